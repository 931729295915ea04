// The interface of links to the page, and the results of opening a link.
import type { Accessor, Setter } from 'solid-js';
import type { Json } from '../../base/json.ts';
import type { Selection } from '../../base/view.ts';
import type { Diagnostic, Frame, LinkView, OpenedLink, RunReport, TraceSummary } from '../../generated/boundary.ts';
import type { Notice } from '../notices/notices.ts';
import type { Beside } from '../studies/compare.ts';
import type { Kept } from './tabStorage.ts';

/** The result of a link that was not opened completely. */
export type LinkTrouble = {
  readonly problems: readonly Diagnostic[];
  /** Its contents, if they wait for a file. */
  readonly waits: OpenedLink | undefined;
};

/** The part of the page's state used by links. */
export type PageState = {
  readonly document: Accessor<Json>;
  /** The scenario as it was opened, and its name. */
  readonly original: Accessor<Json>;
  readonly name: Accessor<string>;
  /** Opens a kept scenario without a link, or the first scenario if there is none. */
  readonly openUnlinked: (kept: Kept | undefined) => Promise<void>;
  readonly trace: Accessor<TraceSummary | undefined>;
  readonly setTrace: Setter<TraceSummary | undefined>;
  /** The second run in the address. */
  readonly beside: Accessor<Beside | undefined>;
  /** Lists a second run beside the opened one. */
  readonly addSecondRun: (name: string, scenario: string) => void;
  readonly frame: Accessor<Frame | undefined>;
  readonly playsOn: Accessor<boolean>;
  /** Whether the run has reached its target. */
  readonly rests: Accessor<boolean>;
  readonly selected: Accessor<Selection>;
  readonly speed: Accessor<number>;
  readonly firstSpeed: number;
  readonly panel: Accessor<string | undefined>;
  readonly setNotice: Setter<Notice | undefined>;
  /** Loads a scenario; false if it is refused. */
  readonly open: (
    text: string,
    name: string,
    useTrace: boolean,
    link: { atUs?: number; original?: string },
  ) => Promise<boolean>;
  /** Applies the view of a link to the page. */
  readonly look: (view: LinkView) => void;
  /** Opens the lesson that a link names. */
  readonly openLesson: (link: string) => Promise<void>;
  readonly pause: () => void;
  /** Runs the rest of the events at the instant on screen. */
  readonly settle: () => Promise<void>;
  /** The report at the instant on screen, and the version that computes it. */
  readonly report: () => Promise<RunReport>;
  readonly version: Accessor<string>;
  readonly goOn: (toUs: number) => void;
  /** Reads a trace file; `undefined` if it cannot be used. */
  readonly readTrace: (file: File) => Promise<TraceSummary | undefined>;
};
