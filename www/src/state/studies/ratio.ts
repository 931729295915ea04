// The search for the best ratio of prefill to decode replicas: a search for the capacity with each ratio and seed. The
// module of comparisons gives the runs to make and the result.
import { createSignal, onCleanup } from 'solid-js';
import { type Json, setAt } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type { RatioResult } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { type Client, RefusedError } from '../../sim/client.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

/** A search: the row of its ratio, and its seed. */
type Search = { readonly row: number; readonly seed: number };

/** The searches in the order in which they run: all ratios with one seed, then with the next. */
export function searchesOf(rows: number, seeds: number): readonly Search[] {
  return Array.from({ length: seeds }, (_, seed) => Array.from({ length: rows }, (_, row) => ({ row, seed }))).flat();
}

/** The scenario as it is now, without edits: ratios differ from its start on. */
export function asNow(inForce: Json): Json {
  return setAt(inForce, 'edits', []);
}

export function createRatioSearch() {
  const [result, setResult] = createSignal<RatioResult>();
  const [progress, setProgress] = createSignal<Progress>();
  const [running, setRunning] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
  const thread = new Asking('compare');
  const runs = new ManyRuns();

  function stop(): void {
    runs.stop();
    setRunning(false);
  }
  onCleanup(() => {
    stop();
    thread.end();
  });

  async function search(document: Json, seeds: number, share: number): Promise<boolean> {
    const beganMs = performance.now();
    const rows = await thread.ask('ratios', { scenario: writeDocument(asNow(document)), seeds, share });
    const all = searchesOf(rows, seeds);
    let done = 0;
    const tell = (): void => {
      const workers = runs.workersFor(all.length);
      setProgress({ done, of: all.length, tookMs: performance.now() - beganMs, workers });
    };
    tell();
    return runs.all(all, async (client, one, heard) => {
      await searchOne(thread, client, one, heard);
      done += 1;
      const found = await thread.ask('ratios-found', null);
      if (!heard()) return;
      tell();
      setResult(found ?? undefined);
    });
  }

  /** Looks for the highest load of each ratio at which a share of the requests meets the objectives. */
  async function find(document: Json, seeds: number, share: number): Promise<void> {
    stop();
    setTrouble('');
    setProgress(undefined);
    setResult(undefined);
    setRunning(true);
    try {
      if (await search(document, seeds, share)) stop();
    } catch (error) {
      setTrouble(troubleOf(error));
      stop();
    }
  }

  return { result, progress, running, trouble, find, stop };
}

/** Runs the loads that one search asks for until it ends. */
async function searchOne(thread: Asking<'compare'>, client: Client, one: Search, heard: () => boolean): Promise<void> {
  for (let next = await thread.ask('ratio-next', one); next !== null && heard(); ) {
    try {
      await thread.ask('ratio-saw', { of: one, outcomes: await outcomesOf(client, next) });
    } catch (error) {
      // The run needs too much: the previous load was the highest, if there was one.
      if (!(error instanceof RefusedError) || !(await thread.ask('ratio-refused', one))) throw error;
    }
    next = await thread.ask('ratio-next', one);
  }
}
