// State of the run on screen: its document, the opened document, the other runs, the undo history, and its problems.
import { type Accessor, createMemo, createSignal, type Setter, untrack } from 'solid-js';
import { getAt, type Json, setAt } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import type { Diagnostic, Frame, InForce, RunDocuments, TraceSummary } from '../../generated/boundary.ts';
import { type Client, LostError, RefusedError } from '../../sim/client.ts';
import { type AnswerBytes, answerOf } from '../../sim/packet.ts';
import type { RunId } from '../../sim/protocol.ts';
import { type Change, inForceAt, isWithin, listedEdits, placedEdits } from '../edits/edits.ts';
import { type MadeEdit, NO_HISTORY, type Words } from '../edits/undo.ts';
import { byPath, explain, type Notice } from '../notices/notices.ts';
import { type Compared, createDiffering } from './differing.ts';
import { NO_NAMED_RUNS, withNamedRun } from './namedRuns.ts';

/** The part of the page's state used by the run. */
export type Surroundings = {
  readonly client: () => Client;
  readonly schema: Schema;
  readonly frame: Accessor<Frame | undefined>;
  /** Whether a rebuilt run plays on from its target. */
  readonly playsOn: Accessor<boolean>;
  readonly setNotice: Setter<Notice | undefined>;
  /** The target of the run, if it is on its way. */
  readonly aim: () => number | undefined;
  /** Called with the target of a rebuild before it begins. */
  readonly onWay: (untilUs: number) => void;
  /** Reads the trace that a document carries, for the next run; undefined if it carries none. */
  readonly takeCarried: (document: Json) => Promise<TraceSummary | undefined>;
  /** Runs in the same batch as a run is put on screen; `same` if it is the same run at another instant. */
  readonly onNewRun: (same: boolean, untilUs: number) => void;
};

export type RunState = ReturnType<typeof createRunState>;

/** The document before the first is loaded. */
const NOTHING: Json = {};

export function createRunState(client: () => Client, frame: Accessor<Frame | undefined>) {
  const [document, setDocument] = createSignal(NOTHING);
  const [inForceChanges, setInForceChanges] = createSignal<readonly InForce[]>([]);
  const [original, setOriginal] = createSignal(NOTHING);
  const [presetName, setPresetName] = createSignal('');
  const [trace, setTrace] = createSignal<TraceSummary>();
  const [history, setHistory] = createSignal(NO_HISTORY);
  /** The runs of this scenario: the one on screen, and those kept by edits in the past. */
  const [namedRuns, setNamedRuns] = createSignal(NO_NAMED_RUNS);
  const edits = createMemo(() => placedEdits(document()));

  /**
   * The number of edits that the playhead has passed: the document in force changes only there. A plain signal, not a
   * memo of the frame, because the whole form depends on it and would be checked at each frame.
   */
  const [editsPassed, setEditsPassed] = createSignal(0);
  /**
   * The run on screen, the edit made last and its instant, as the frame on screen may be older, and the title and note
   * that the simulation has.
   */
  const latest: { id: RunId; editedUs: number; made: MadeEdit | undefined; words: RunWords } = {
    id: { run: 0, edit: 0 },
    editedUs: 0,
    made: undefined,
    words: { title: '', note: '' },
  };
  const nowUs = (): number => frame()?.now_us ?? 0;
  const inForce = createMemo(() => {
    editsPassed();
    return inForceAt(document(), inForceChanges(), Math.max(untrack(nowUs), latest.editedUs));
  });
  const fromOriginal = createDiffering(client, () => ({ from: original(), to: document() }));
  const changed = (): readonly Change[] => fromOriginal() ?? [];
  const listed = createMemo(() => listedEdits(original(), document()));
  /** The number of differences from the loaded scenario: changed fields, later edits, removed scheduled edits. */
  const differences = createMemo(() => {
    const kept = listed().filter((e) => e.scheduled).length;
    return changed().length + (listed().length - kept) + (placedEdits(original()).length - kept);
  });

  function onFrame(next: Frame): void {
    // Frames older than the edit are not shown. This frame has the instant of the run, which may be before the edit
    // after a seek back.
    latest.editedUs = 0;
    setEditsPassed(edits().filter((e) => e.atUs <= next.now_us).length);
  }

  /** Puts a document of the simulation on screen, with the answer about its documents in force. In a batch. */
  function showDocument(next: Json, documents: AnswerBytes): RunDocuments {
    const answer = answerOf<RunDocuments>(documents);
    setDocument(next);
    setInForceChanges(answer.in_force);
    return answer;
  }

  /** Gives the run on screen another title or note. The run stays as it is. */
  function setWords({ path, text }: Words): void {
    const next = setAt(document(), path, text);
    setDocument(next);
    setNamedRuns((all) => (all.all.length === 0 ? all : withNamedRun(all, all.shown, { document: next })));
  }

  return {
    ...{ setWords, showDocument },
    differing: (asked: () => Compared | undefined) => createDiffering(client, asked),
    ...{ document, original, setOriginal, presetName, setPresetName, trace, setTrace },
    ...{ history, setHistory, namedRuns, setNamedRuns, latest, nowUs, onFrame },
    ...{ edits, editsPassed, inForce, changed, listed, differences },
  };
}

/** The words of a document that change no result. */
export type RunWords = { readonly title: string; readonly note: string };

export function wordsOf(document: Json): RunWords {
  return { title: String(getAt(document, 'title') ?? ''), note: String(getAt(document, 'note') ?? '') };
}

/** A document of the simulation under the words of the page, which the simulation may not have got yet. */
export function underWords(document: Json, { title, note }: RunWords): Json {
  const made = wordsOf(document);
  const titled = title === made.title ? document : setAt(document, 'title', title);
  return note === made.note ? titled : setAt(titled, 'note', note);
}

export type RunProblems = ReturnType<typeof createProblems>;

/** The problems of the document, by field. */
export function createProblems(setNotice: Setter<Notice | undefined>) {
  const [problems, setProblems] = createSignal<ReadonlyMap<string, Diagnostic>>(new Map());

  /** Runs an action whose refusal is shown to the user, at its field. */
  async function attempt(action: () => Promise<void>, path = ''): Promise<boolean> {
    try {
      await action();
      // Earlier refusals are corrected, or belonged to something else that continues.
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

  /** Replaces the problems of one field and the fields under it; other fields keep theirs. */
  function tell(diagnostics: readonly Diagnostic[], path: string): void {
    const found = byPath(diagnostics, path);
    // Refused values have no rows of their own, so the changed field shows the problem.
    const refused = diagnostics.find((d) => d.severity === 'error');
    const here: readonly [string, Diagnostic][] = path !== '' && refused && !found.has(path) ? [[path, refused]] : [];
    setProblems((before) => {
      const others = path === '' ? [] : [...before].filter(([at]) => !isWithin(at, path));
      return new Map([...others, ...here, ...found]);
    });
  }

  return { problems, setProblems, attempt, tell };
}
