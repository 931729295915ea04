// What links read and set of the page, and what becomes of a link.
import type { Accessor, Setter } from 'solid-js';
import type { Json } from '../base/json.ts';
import type { Selection } from '../base/view.ts';
import type { Diagnostic, Frame, LinkView, OpenedLink, TraceSummary } from '../generated/boundary.ts';
import type { Beside } from './compare.ts';
import type { Kept } from './kept.ts';
import type { Notice } from './notices.ts';

/** What became of a link that is not opened as it was made. */
export type LinkTrouble = {
  readonly problems: readonly Diagnostic[];
  /** What it carries, if that waits for a file. */
  readonly waits: OpenedLink | undefined;
};

/** The part of the page's state that links read and set. */
export type PageState = {
  readonly document: Accessor<Json>;
  /** The scenario as it was opened, and its name. */
  readonly original: Accessor<Json>;
  readonly name: Accessor<string>;
  /** Opens what was kept of a scenario without a link; the first one where nothing was. */
  readonly openUnlinked: (kept: Kept | undefined) => Promise<void>;
  readonly trace: Accessor<TraceSummary | undefined>;
  readonly setTrace: Setter<TraceSummary | undefined>;
  /** The second run that the address carries too. */
  readonly beside: Accessor<Beside | undefined>;
  /** Lists a second run beside the one that was opened. */
  readonly addSecondRun: (name: string, scenario: string) => void;
  readonly frame: Accessor<Frame | undefined>;
  readonly playsOn: Accessor<boolean>;
  /** Whether the run is where it was taken. */
  readonly rests: Accessor<boolean>;
  readonly selected: Accessor<Selection>;
  readonly speed: Accessor<number>;
  readonly firstSpeed: number;
  readonly panel: Accessor<string | undefined>;
  readonly setNotice: Setter<Notice | undefined>;
  /** Loads a scenario; false where it is refused. */
  readonly open: (
    text: string,
    name: string,
    useTrace: boolean,
    link: { atUs?: number; original?: string },
  ) => Promise<boolean>;
  /** Puts the page where a link's view has it. */
  readonly look: (view: LinkView) => void;
  readonly pause: () => void;
  readonly goOn: (toUs: number) => void;
  /** Reads a trace file; `undefined` where it cannot be used. */
  readonly readTrace: (file: File) => Promise<TraceSummary | undefined>;
};
