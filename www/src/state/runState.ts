// What is known of the run on screen: its document, what it was opened as, the runs beside it, what can be undone, and its problems.
import { type Accessor, createMemo, createSignal, type Setter, untrack } from 'solid-js';
import type { Json } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { Diagnostic, Frame, TraceSummary } from '../generated/boundary.ts';
import { type Client, LostError, RefusedError } from '../sim/client.ts';
import type { RunId } from '../sim/protocol.ts';
import { changes, effective, isWithin, listedEdits, placedEdits } from './edits.ts';
import { NO_NAMED_RUNS } from './namedRuns.ts';
import { byPath, explain, type Notice } from './notices.ts';
import { NO_HISTORY } from './undo.ts';

/** What of the page's state the run reads and sets. */
export type Surroundings = {
  readonly client: () => Client;
  readonly schema: Schema;
  readonly frame: Accessor<Frame | undefined>;
  /** Whether a run that is made again plays on from where it is taken to. */
  readonly playsOn: Accessor<boolean>;
  readonly setNotice: Setter<Notice | undefined>;
  /** Where the run is being taken, if it is on its way. */
  readonly aim: () => number | undefined;
  /** Called with the instant to which a run is made again, before that begins. */
  readonly onWay: (untilUs: number) => void;
  /** Runs in the same batch as a run is put on screen: `same` where it is the one that was there, at another instant. */
  readonly onNewRun: (same: boolean) => void;
};

export type RunState = ReturnType<typeof createRunState>;

export function createRunState(frame: Accessor<Frame | undefined>) {
  const [document, setDocument] = createSignal<Json>({});
  const [original, setOriginal] = createSignal<Json>({});
  const [presetName, setPresetName] = createSignal('');
  const [trace, setTrace] = createSignal<TraceSummary>();
  const [history, setHistory] = createSignal(NO_HISTORY);
  /** The runs of this scenario: the one on screen, and those that edits in the past have left. */
  const [namedRuns, setNamedRuns] = createSignal(NO_NAMED_RUNS);
  const edits = createMemo(() => placedEdits(document()));
  /**
   * How many edits the playhead has passed: the document in force changes only there. A signal that is set, not a memo of the
   * frame: the whole form hangs on it, and would be looked through at each frame.
   */
  const [editsPassed, setEditsPassed] = createSignal(0);
  /** The run on screen, and where its latest edit was made: the frame on screen may be older than it. */
  const latest: { id: RunId; editedUs: number } = { id: { run: 0, edit: 0 }, editedUs: 0 };
  const nowUs = (): number => frame()?.now_us ?? 0;
  const inForce = createMemo(() => {
    editsPassed();
    return effective(document(), Math.max(untrack(nowUs), latest.editedUs));
  });
  const changed = createMemo(() => changes(original(), document()));
  const listed = createMemo(() => listedEdits(original(), document()));
  /** How much differs from the scenario as it was loaded: its fields, edits made since, scheduled edits taken out. */
  const differences = createMemo(() => {
    const kept = listed().filter((e) => e.scheduled).length;
    return changed().length + (listed().length - kept) + (placedEdits(original()).length - kept);
  });

  function onFrame(next: Frame): void {
    // Frames older than the edit are not shown: this one is where the run is, before the edit too once it went back.
    latest.editedUs = 0;
    setEditsPassed(edits().filter((e) => e.atUs <= next.now_us).length);
  }

  return {
    ...{ document, setDocument, original, setOriginal, presetName, setPresetName, trace, setTrace },
    ...{ history, setHistory, namedRuns, setNamedRuns, latest, nowUs, onFrame },
    ...{ edits, editsPassed, inForce, changed, listed, differences },
  };
}

export type RunProblems = ReturnType<typeof createProblems>;

/** What is wrong with the document, by field. */
export function createProblems(setNotice: Setter<Notice | undefined>) {
  const [problems, setProblems] = createSignal<ReadonlyMap<string, Diagnostic>>(new Map());

  /** Runs an action whose refusal is the user's to see, by the field it is about. */
  async function attempt(action: () => Promise<void>, path = ''): Promise<boolean> {
    try {
      await action();
      // What was refused before is mended, or was about something else that goes on.
      setNotice((notice) => (notice?.kind === 'problem' ? undefined : notice));
      return true;
    } catch (error) {
      if (error instanceof RefusedError) {
        tell(error.diagnostics, path);
        const whole = error.diagnostics.find((d) => d.path === '');
        if (whole && path === '') setNotice({ kind: 'problem', text: explain(whole) });
        return false;
      }
      if (error instanceof LostError) return false;
      throw error;
    }
  }

  /** What is wrong with one field and under it replaces what was; other fields keep what is wrong with them. */
  function tell(diagnostics: readonly Diagnostic[], path: string): void {
    const found = byPath(diagnostics, path);
    // What was refused has no rows of its own: it is told at the field that was changed.
    const refused = diagnostics.find((d) => d.severity === 'error');
    const here: readonly [string, Diagnostic][] = path !== '' && refused && !found.has(path) ? [[path, refused]] : [];
    setProblems((before) => {
      const others = path === '' ? [] : [...before].filter(([at]) => !isWithin(at, path));
      return new Map([...others, ...here, ...found]);
    });
  }

  return { problems, setProblems, attempt, tell };
}
