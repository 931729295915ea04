// A sweep over a field, and the search for the capacity. The module of comparisons gives the runs to make and the
// figures.
import { createSignal, onCleanup } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type { Capacity, CaseText, SweepRow, SweepSummary } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { type Client, RefusedError } from '../../sim/client.ts';
import { ManyRuns, outcomesOf, type Progress, rowOf, troubleOf } from './manyRuns.ts';
import type { Swept } from './studyFiles.ts';
import { caseMs, type ElsewhereAsked } from './sweepCommand.ts';

/** What is shown of a sweep and of a search for the capacity. */
function createShown() {
  const [summary, setSummary] = createSignal<SweepSummary>();
  const [rows, setRows] = createSignal<readonly SweepRow[]>([]);
  const [swept, setSwept] = createSignal<Swept>();
  const [progress, setProgress] = createSignal<Progress>();
  const [capacity, setCapacity] = createSignal<Capacity>();
  const [running, setRunning] = createSignal<'sweep' | 'capacity'>();
  const [trouble, setTrouble] = createSignal('');
  const seen = { summary, rows, swept, progress, capacity, running, trouble };
  return { seen, setSummary, setRows, setSwept, setProgress, setCapacity, setRunning, setTrouble };
}

type Set = Omit<ReturnType<typeof createShown>, 'seen'>;

export function createSweep() {
  const { seen, ...set } = createShown();
  const thread = new Asking('compare');
  const runs = new ManyRuns();

  function stop(): void {
    runs.stop();
    set.setRunning(undefined);
  }
  onCleanup(() => {
    stop();
    thread.end();
  });

  function begin(swept: Swept): void {
    set.setSwept(swept);
    set.setSummary(undefined);
    set.setRows([]);
    set.setCapacity(undefined);
  }

  /** Runs every combination of the varied values, as in `--vary` of the command line. */
  function sweep(swept: Swept): Promise<void> {
    return attempt({ runs, set, stop }, 'sweep', async (tell) => {
      const { document, varied, seeds } = swept;
      const cases = await thread.ask('cases', { scenario: writeDocument(document), varied, seeds });
      begin(swept);
      return runCases({ thread, runs, tell }, cases, pathsOf(varied), (rows, summary) => {
        set.setRows(rows);
        set.setSummary(summary);
      });
    });
  }

  /** Shows the rows of a sweep that was saved. */
  async function show(swept: Swept, rows: readonly SweepRow[]): Promise<void> {
    stop();
    set.setTrouble('');
    set.setProgress(undefined);
    begin(swept);
    set.setRows(rows);
    if (rows.length > 0) set.setSummary(await thread.ask('summary', { paths: pathsOf(swept.varied), rows }));
  }

  /** Looks for the highest load at which a share of the requests meets the objectives. */
  function find(document: Json, seeds: number, share: number): Promise<void> {
    return attempt({ runs, set, stop }, 'capacity', async (tell) => {
      set.setCapacity(undefined);
      await thread.ask('search', { scenario: writeDocument(document), seeds, share });
      if (!(await searchAll({ thread, runs, tell }, seeds))) return false;
      set.setCapacity((await thread.ask('search-found', null)) ?? undefined);
      return true;
    });
  }

  /** What a sweep takes here and its command; runs that have ended tell how long one takes. */
  function asElsewhere({ document, varied, seeds }: Omit<Swept, 'axis'>): ElsewhereAsked {
    const scenario = writeDocument(document);
    const ended = seen.running() !== 'capacity' && seen.rows().length > 0 ? caseMs(seen.progress()) : undefined;
    return { scenario, varied, seeds, workers: runs.workersFor(Number.MAX_SAFE_INTEGER), case_ms: ended };
  }

  /** `thread` also reads and writes the files of studies. */
  return { ...seen, setTrouble: set.setTrouble, sweep, show, find, stop, thread, asElsewhere };
}

/** Does such a study and reports its errors. */
async function attempt(
  { runs, set, stop }: { readonly runs: ManyRuns; readonly set: Set; readonly stop: () => void },
  what: 'sweep' | 'capacity',
  work: (tell: Tell) => Promise<boolean>,
): Promise<void> {
  stop();
  set.setTrouble('');
  set.setProgress(undefined);
  set.setRunning(what);
  const beganMs = performance.now();
  try {
    const tell: Tell = (done, of) =>
      set.setProgress({ done, of, tookMs: performance.now() - beganMs, workers: runs.workersFor(of) });
    if (await work(tell)) stop();
  } catch (error) {
    set.setTrouble(troubleOf(error));
    stop();
  }
}

/** The paths of arguments of `--vary`. */
const pathsOf = (varied: readonly string[]): readonly string[] =>
  varied.map((text) => text.slice(0, text.indexOf('=')));

/** Reports the number of finished runs and of all runs. */
type Tell = (done: number, of: number) => void;

/** The tools of a study. */
type Means = { readonly thread: Asking<'compare'>; readonly runs: ManyRuns; readonly tell: Tell };

/** Makes the runs of a sweep; `found` gets the results after each. Returns whether all were made. */
async function runCases(
  { thread, runs, tell }: Means,
  cases: readonly CaseText[],
  paths: readonly string[],
  found: (rows: readonly SweepRow[], summary: SweepSummary) => void,
): Promise<boolean> {
  const rows = new Map<number, SweepRow>();
  tell(0, cases.length);
  return runs.all(cases, async (client, { number, values, scenario }, heard) => {
    const run = await rowOf(client, thread, scenario);
    if (!heard()) return;
    rows.set(number, { values, run });
    tell(rows.size, cases.length);
    const inOrder = cases.flatMap((c) => rows.get(c.number) ?? []);
    const summary = await thread.ask('summary', { paths, rows: inOrder });
    if (heard()) found(inOrder, { ...summary, evidence: cases[0]?.evidence ?? [] });
  });
}

/** Searches with every seed. Returns whether all searches ended. */
async function searchAll({ thread, runs, tell }: Means, seeds: number): Promise<boolean> {
  const all = Array.from({ length: seeds }, (_, seed) => seed);
  let done = 0;
  tell(done, seeds);
  return runs.all(all, async (client, seed, heard) => {
    await searchOne(thread, client, seed, heard);
    done += 1;
    if (heard()) tell(done, seeds);
  });
}

/** Searches with one seed: runs the loads that the search requests until it ends. */
async function searchOne(thread: Asking<'compare'>, client: Client, seed: number, heard: () => boolean): Promise<void> {
  for (let next = await thread.ask('search-next', seed); next !== null && heard(); ) {
    try {
      const outcomes = await outcomesOf(client, next);
      await thread.ask('search-saw', { seed, outcomes });
    } catch (error) {
      // The run needs too many requests or too much memory: the previous load was the highest, if there was one.
      if (!(error instanceof RefusedError) || !(await thread.ask('search-refused', seed))) throw error;
    }
    next = await thread.ask('search-next', seed);
  }
}
