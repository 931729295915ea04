// Messages to the user: the notice, dialogs, the gallery, and the sentences of the polite live region.
import { type Accessor, createSignal, type Setter } from 'solid-js';
import { awaitField } from '../../base/typedAhead.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { Allowed } from '../commands/shortcuts.ts';
import { sentenceOf } from '../notices/liveRegion.ts';
import type { Notice, TraceReading } from '../notices/notices.ts';
import { readChoice, readFlag, writeChoice, writeFlag } from '../view/flags.ts';

export type DialogsSlice = {
  readonly notice: Accessor<Notice | undefined>;
  readonly setNotice: Setter<Notice | undefined>;
  /** The trace file being read, or its errors. */
  readonly reading: Accessor<TraceReading | undefined>;
  readonly setReading: Setter<TraceReading | undefined>;
  readonly help: Accessor<boolean>;
  readonly setHelp: Setter<boolean>;
  /** Whether the list of commands is open. */
  readonly palette: Accessor<boolean>;
  readonly setPalette: (open: boolean) => void;
  /** Which keyboard shortcuts work. */
  readonly keys: Accessor<Allowed>;
  readonly setKeys: (allowed: Allowed) => void;
  readonly gallery: Accessor<boolean>;
  readonly setGallery: Setter<boolean>;
  /** Whether the dialog that finds the ratio of prefill to decode replicas is open. */
  readonly finding: Accessor<boolean>;
  readonly setFinding: Setter<boolean>;
  /** Whether a dialog is open. */
  readonly covered: () => boolean;
  /** The text of the polite live region. */
  readonly spoken: Accessor<string>;
  /** Announces a sentence in the polite live region. */
  readonly tell: Setter<string>;
  /** Announces the state of the run, even if unchanged. */
  readonly say: () => void;
  /** Whether changes are announced automatically. */
  readonly speaks: Accessor<boolean>;
  readonly setSpeaks: (on: boolean) => void;
};

const KEYS = 'keys';

/** The kept choice; `off` is what earlier versions kept for no single keys. */
function keptKeys(): Allowed {
  const kept = readChoice(KEYS);
  return kept === 'none' ? 'none' : kept === 'chords' || kept === 'off' ? 'chords' : 'all';
}

export function createDialogs(frame: () => Frame | undefined, sharing: () => boolean): DialogsSlice {
  const [notice, setNotice] = createSignal<Notice>();
  const [reading, setReading] = createSignal<TraceReading>();
  const [help, setHelp] = createSignal(false);
  const [palette, setPalette] = createSignal(false);
  const [keys, setKeys] = createSignal<Allowed>(keptKeys());
  const [gallery, setGallery] = createSignal(false);
  const [finding, setFinding] = createSignal(false);
  const [spoken, tell] = createSignal('');
  const [speaks, setSpeaks] = createSignal(readFlag('spoken'));

  function say(): void {
    const at = frame();
    if (!at) return;
    const said = sentenceOf(at);
    // A live region announces only changed text.
    tell((before) => (before === said ? `${said}\u00a0` : said));
  }

  return {
    notice,
    setNotice,
    reading,
    setReading,
    help,
    setHelp,
    ...{ palette, keys },
    setPalette: (open) => {
      if (open) awaitField('.palette input');
      setPalette(open);
    },
    setKeys: (allowed) => {
      setKeys(allowed);
      writeChoice(KEYS, allowed);
    },
    gallery,
    setGallery,
    ...{ finding, setFinding },
    covered: () => help() || gallery() || palette() || finding() || reading() !== undefined || sharing(),
    spoken,
    tell,
    say,
    speaks,
    setSpeaks: (on) => {
      setSpeaks(on);
      writeFlag('spoken', on);
    },
  };
}
