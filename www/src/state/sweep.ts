// A sweep over a field, and the search for the capacity: what to run comes from the module that compares, and so do the figures.
import { createSignal, onCleanup } from 'solid-js';
import type { Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import type { Capacity, SweepRow, SweepSummary } from '../generated/boundary.ts';
import { RefusedError } from '../sim/client.ts';
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

  function begin(what: 'sweep' | 'capacity'): number {
    stop();
    setTrouble('');
    setProgress(undefined);
    setRunning(what);
    return performance.now();
  }

  /** Runs every combination of what is varied, as `--vary` of the command line takes it. */
  async function sweep(document: Json, varied: readonly string[], seeds: number): Promise<void> {
    const beganMs = begin('sweep');
    setSummary(undefined);
    try {
      const cases = await thread.ask({ kind: 'cases', scenario: writeDocument(document), varied, seeds });
      const paths = varied.map((text) => text.slice(0, text.indexOf('=')));
      const rows = new Map<number, SweepRow>();
      const workers = runs.workersFor(cases.length);
      const tell = (): void => {
        setProgress({ done: rows.size, of: cases.length, tookMs: performance.now() - beganMs, workers });
      };
      tell();
      const whole = await runs.all(cases, async (client, { number, values, scenario }, heard) => {
        const run = await rowOf(client, thread, scenario);
        if (!heard()) return;
        rows.set(number, { values, run });
        tell();
        const inOrder = cases.flatMap((c) => rows.get(c.number) ?? []);
        const found = await thread.ask({ kind: 'summary', paths, rows: inOrder });
        if (heard()) setSummary(found);
      });
      if (whole) stop();
    } catch (error) {
      setTrouble(troubleOf(error));
      stop();
    }
  }

  /** Looks for the highest load at which a share of the requests meets the objectives. */
  async function find(document: Json, seeds: number, share: number): Promise<void> {
    const beganMs = begin('capacity');
    setCapacity(undefined);
    try {
      await thread.ask({ kind: 'search', scenario: writeDocument(document), seeds, share });
      const all = Array.from({ length: seeds }, (_, seed) => seed);
      const workers = runs.workersFor(seeds);
      let done = 0;
      const tell = (): void => {
        setProgress({ done, of: seeds, tookMs: performance.now() - beganMs, workers });
      };
      tell();
      const whole = await runs.all(all, async (client, seed, heard) => {
        for (let next = await thread.ask({ kind: 'search-next', seed }); next !== undefined && heard(); ) {
          try {
            const outcomes = await outcomesOf(client, next);
            await thread.ask({ kind: 'search-saw', seed, outcomes });
          } catch (error) {
            // More requests or memory than a run may have: the load before it was the highest, if there was one.
            if (!(error instanceof RefusedError) || !(await thread.ask({ kind: 'search-refused', seed }))) throw error;
          }
          next = await thread.ask({ kind: 'search-next', seed });
        }
        done += 1;
        if (heard()) tell();
      });
      if (!whole) return;
      setCapacity(await thread.ask({ kind: 'search-found' }));
      stop();
    } catch (error) {
      setTrouble(troubleOf(error));
      stop();
    }
  }

  return { summary, progress, capacity, running, trouble, sweep, find, stop };
}
