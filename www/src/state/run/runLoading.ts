// Loading: a scenario instead of the one on screen, and the run of a changed document up to an instant.
import { batch } from 'solid-js';
import { equal, getAt, type Json } from '../../base/json.ts';
import { readDocument, writeDocument } from '../../base/text.ts';
import type { AnswerBytes } from '../../sim/packet.ts';
import type { RunId } from '../../sim/protocol.ts';
import { NO_HISTORY, type Opened, recorded } from '../edits/undo.ts';
import { byPath, ofDocument } from '../notices/notices.ts';
import { NO_NAMED_RUNS, namedRunOf } from './namedRuns.ts';
import { type RunProblems, type RunState, type Surroundings, wordsOf } from './runState.ts';

/** The opening instant of a scenario without one: late enough for queues to have filled. */
const OPENING_US = 25_000_000;

export type Loading = ReturnType<typeof createLoading>;

export function createLoading(page: Surroundings, state: RunState, { attempt, setProblems }: RunProblems) {
  const { client, playsOn, onWay, onNewRun } = page;
  const { document, showDocument, setOriginal, setPresetName, trace, setTrace, setNamedRuns, latest } = state;
  let runs = 0;

  function newRun(): RunId {
    runs += 1;
    return { run: runs, edit: 0 };
  }

  /** Loads a scenario instead of the one on screen, and shows the result of `as` for its document. */
  async function load(text: string, useTrace: boolean, untilUs: number, as: (next: Json) => Opened): Promise<void> {
    const carried = useTrace ? undefined : await page.takeCarried(readDocument(text));
    const replays = useTrace || carried !== undefined;
    const accepted = await client().load(text, {
      ...{ id: newRun(), useTrace: replays, untilUs, thenPlay: false, keeps: false },
    });
    latest.id = accepted.id;
    const next = as(readDocument(accepted.scenario));
    batch(() => {
      showRun(next.document, accepted.documents, false, untilUs);
      setNamedRuns(next.namedRuns);
      setOriginal(next.original);
      setPresetName(next.name);
      if (!useTrace) setTrace(carried);
      setProblems(byPath(accepted.diagnostics, ''));
    });
  }

  /** Makes a run of `next` up to an instant; the same document is the same run. */
  async function run(next: Json, untilUs: number, path: string): Promise<boolean> {
    return attempt(async () => {
      const same = equal(next, document());
      const rows = (of: Json) => getAt(of, 'workload.trace.rows');
      if (rows(next) !== rows(document())) {
        const carried = await page.takeCarried(next);
        if (carried) setTrace(carried);
      }
      onWay(untilUs);
      const accepted = await client().load(writeDocument(next), {
        id: same ? latest.id : newRun(),
        useTrace: trace() !== undefined && getAt(next, 'workload.trace') !== undefined,
        untilUs,
        thenPlay: playsOn(),
        keeps: true,
      });
      latest.id = accepted.id;
      batch(() => {
        showRun(readDocument(accepted.scenario), accepted.documents, same, untilUs);
        setProblems((before) =>
          path === '' && accepted.diagnostics.length === 0 ? before : ofDocument(before, accepted.diagnostics, path),
        );
      });
    }, path);
  }

  function showRun(next: Json, documents: AnswerBytes, same: boolean, untilUs: number): void {
    latest.editedUs = 0;
    latest.words = wordsOf(next);
    showDocument(next, documents);
    if (!same) setNamedRuns((all) => namedRunOf(all, next));
    onNewRun(same, untilUs);
  }

  /** Whether a run was loaded. */
  const isLoaded = (): boolean => runs > 0;
  return { load, run, isLoaded };
}

export type Opening = ReturnType<typeof createOpening>;

/** Steps that can be undone: opening a scenario, and restarting the run. */
export function createOpening(page: Surroundings, state: RunState, loading: Loading, { attempt }: RunProblems) {
  const { document, original, presetName, trace, namedRuns, setHistory, latest, nowUs } = state;
  const { load, run, isLoaded } = loading;

  /**
   * Loads a new scenario and takes it to an instant; the old one stays if it is refused. A link gives the document to
   * compare with.
   */
  async function open(
    text: string,
    name: string,
    useTrace: boolean,
    untilUs = OPENING_US,
    from?: string,
  ): Promise<boolean> {
    return attempt(async () => {
      // Rows of a trace are not kept for undo.
      const before = isLoaded() && !useTrace && trace() === undefined ? opened() : undefined;
      await load(text, useTrace, untilUs, (next) => ({
        document: next,
        original: from === undefined ? next : readDocument(from),
        name,
        namedRuns: NO_NAMED_RUNS,
        atUs: untilUs,
      }));
      setHistory((h) =>
        before ? recorded(h, { kind: 'open', before, after: { ...opened(), atUs: untilUs } }) : NO_HISTORY,
      );
    });
  }

  /** The scenario on screen with its runs, to reopen it. */
  function opened(): Opened {
    const [name, atUs] = [presetName(), Math.max(latest.editedUs, nowUs())];
    return { document: document(), original: original(), name, namedRuns: namedRuns(), atUs };
  }

  /** Makes the run again from a changed document, up to the same instant. */
  async function restartWith(next: Json, path = ''): Promise<boolean> {
    const before = document();
    const done = await run(next, page.aim() ?? nowUs(), path);
    if (done && !equal(before, document()))
      setHistory((h) => recorded(h, { kind: 'restart', before, after: document() }));
    return done;
  }

  return { open, restartWith };
}
