// A sweep over a field, and the search for the capacity. The module of comparisons gives the runs to make and the
// figures.
import { createSignal, onCleanup } from 'solid-js';
import type { Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import type { Capacity, CaseText, SweepRow, SweepSummary } from '../generated/boundary.ts';
import { type Client, RefusedError } from '../sim/client.ts';
import { CompareClient, spawnCompare } from '../sim/compareClient.ts';
import { ManyRuns, outcomesOf, type Progress, rowOf, troubleOf } from './manyRuns.ts';

export function createSweep() {
  const [summary, setSummary] = createSignal<SweepSummary>();
  const [progress, setProgress] = createSignal<Progress>();
  const [capacity, setCapacity] = createSignal<Capacity>();
  const [running, setRunning] = createSignal<'sweep' | 'capacity'>();
  const [trouble, setTrouble] = createSignal('');
  const thread = new CompareClient(spawnCompare);
  const runs = new ManyRuns();

  function stop(): void {
    runs.stop();
    setRunning(undefined);
  }
  onCleanup(() => {
    stop();
    thread.end();
  });

  /** Does such a study and reports its errors. */
  async function attempt(what: 'sweep' | 'capacity', work: (tell: Tell) => Promise<boolean>): Promise<void> {
    stop();
    setTrouble('');
    setProgress(undefined);
    setRunning(what);
    const beganMs = performance.now();
    try {
      const tell: Tell = (done, of) =>
        setProgress({ done, of, tookMs: performance.now() - beganMs, workers: runs.workersFor(of) });
      if (await work(tell)) stop();
    } catch (error) {
      setTrouble(troubleOf(error));
      stop();
    }
  }

  /** Runs every combination of the varied values, as in `--vary` of the command line. */
  function sweep(document: Json, varied: readonly string[], seeds: number): Promise<void> {
    return attempt('sweep', async (tell) => {
      setSummary(undefined);
      const cases = await thread.ask({ kind: 'cases', scenario: writeDocument(document), varied, seeds });
      const paths = varied.map((text) => text.slice(0, text.indexOf('=')));
      return runCases({ thread, runs, tell }, cases, paths, setSummary);
    });
  }

  /** Looks for the highest load at which a share of the requests meets the objectives. */
  function find(document: Json, seeds: number, share: number): Promise<void> {
    return attempt('capacity', async (tell) => {
      setCapacity(undefined);
      await thread.ask({ kind: 'search', scenario: writeDocument(document), seeds, share });
      if (!(await searchAll({ thread, runs, tell }, seeds))) return false;
      setCapacity(await thread.ask({ kind: 'search-found' }));
      return true;
    });
  }

  return { summary, progress, capacity, running, trouble, sweep, find, stop };
}

/** Reports the number of finished runs and of all runs. */
type Tell = (done: number, of: number) => void;

/** The tools of a study. */
type Means = { readonly thread: CompareClient; readonly runs: ManyRuns; readonly tell: Tell };

/** Makes the runs of a sweep; `found` gets the results after each. Returns whether all were made. */
async function runCases(
  { thread, runs, tell }: Means,
  cases: readonly CaseText[],
  paths: readonly string[],
  found: (summary: SweepSummary) => void,
): Promise<boolean> {
  const rows = new Map<number, SweepRow>();
  tell(0, cases.length);
  return runs.all(cases, async (client, { number, values, scenario }, heard) => {
    const run = await rowOf(client, thread, scenario);
    if (!heard()) return;
    rows.set(number, { values, run });
    tell(rows.size, cases.length);
    const inOrder = cases.flatMap((c) => rows.get(c.number) ?? []);
    const summary = await thread.ask({ kind: 'summary', paths, rows: inOrder });
    if (heard()) found({ ...summary, evidence: cases[0]?.evidence ?? [] });
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
async function searchOne(thread: CompareClient, client: Client, seed: number, heard: () => boolean): Promise<void> {
  for (let next = await thread.ask({ kind: 'search-next', seed }); next !== undefined && heard(); ) {
    try {
      const outcomes = await outcomesOf(client, next);
      await thread.ask({ kind: 'search-saw', seed, outcomes });
    } catch (error) {
      // The run needs too many requests or too much memory: the previous load was the highest, if there was one.
      if (!(error instanceof RefusedError) || !(await thread.ask({ kind: 'search-refused', seed }))) throw error;
    }
    next = await thread.ask({ kind: 'search-next', seed });
  }
}
