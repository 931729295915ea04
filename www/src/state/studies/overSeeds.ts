// Two runs compared over several seeds: both run to the end with each seed, in as many workers as there are cores.
import { createSignal, untrack } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { readDocument, writeDocument } from '../../base/text.ts';
import type { CaseText, OutcomesPair, RunComparison } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import { type Client, RefusedError } from '../../sim/client.ts';
import type { Given } from '../../sim/packet.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

/** Both runs with several seeds: their progress, their results, and the reason for a missing oracle. */
export type OverSeeds = {
  readonly progress: Progress;
  readonly comparison: RunComparison | undefined;
  readonly noOracle: string;
};

type Pair = Given<OutcomesPair>;
/** The scenarios of one seed: of both runs, and of their oracles, if any. */
type Job = { readonly i: number; readonly first: string; readonly second: string; readonly bounds: readonly string[] };
type CasesOf = (document: Json) => Promise<readonly CaseText[]>;

/** The comparison over several seeds of the runs of two documents; there may be no second one. */
export function createOverSeeds(
  thread: Asking<'compare'>,
  a: () => Json,
  b: () => Json | undefined,
  setTrouble: (trouble: string) => void,
) {
  const [seeds, setSeeds] = createSignal<OverSeeds>();
  const many = new ManyRuns();

  function forget(): void {
    many.stop();
    setSeeds(undefined);
  }

  /** Runs both to the end with a number of seeds, and compares them seed by seed. */
  async function begin(count: number): Promise<void> {
    const [first, second] = [untrack(a), untrack(b)];
    if (second === undefined) return;
    forget();
    setTrouble('');
    const beganMs = performance.now();
    try {
      const { jobs, noOracle } = await jobsOf(thread, [first, second], count);
      const workers = many.workersFor(jobs.length);
      const tell = (done: number, comparison?: RunComparison): void => {
        const progress = { done, of: jobs.length, tookMs: performance.now() - beganMs, workers };
        setSeeds({ progress, comparison, noOracle });
      };
      const found = await runJobs(many, jobs, tell);
      if (!found) return;
      many.stop();
      const scenarios = { a: writeDocument(first), b: writeDocument(second) };
      const compared = await thread.ask('compare', { ...found, scenarios });
      tell(found.pairs.length, compared?.comparison);
    } catch (error) {
      forget();
      setTrouble(troubleOf(error));
    }
  }

  return { seeds, begin, forget, stop: () => many.stop() };
}

/** The runs to make, by seed, and the reason for a missing oracle. */
async function jobsOf(
  thread: Asking<'compare'>,
  documents: readonly [a: Json, b: Json],
  count: number,
): Promise<{ readonly jobs: readonly Job[]; readonly noOracle: string }> {
  const casesOf: CasesOf = (document) =>
    thread.ask('cases', { scenario: writeDocument(document), varied: [], seeds: count });
  const [ofA, ofB] = await Promise.all([casesOf(documents[0]), casesOf(documents[1])]);
  const { oracles, noOracle } = await oraclesOf(thread, documents, casesOf);
  const jobs = ofA.flatMap((first, i): Job[] => {
    const second = ofB[i];
    const bounds = oracles.map((all) => all[i]?.scenario ?? '');
    return second ? [{ i, first: first.scenario, second: second.scenario, bounds }] : [];
  });
  return { jobs, noOracle };
}

/** Makes all runs; `undefined` if cancelled. */
async function runJobs(
  many: ManyRuns,
  jobs: readonly Job[],
  tell: (done: number) => void,
): Promise<{ readonly pairs: readonly Pair[]; readonly bounds: readonly Pair[] } | undefined> {
  const pairs = new Map<number, Pair>();
  const bounds = new Map<number, Pair>();
  tell(0);
  const whole = await many.all(jobs, async (worker, { i, first, second, bounds: [ofFirst, ofSecond] }, heard) => {
    const pair = { a: await outcomesOf(worker, first), b: await outcomesOf(worker, second) };
    if (ofFirst !== undefined && ofSecond !== undefined) bounds.set(i, await boundsOf(worker, ofFirst, ofSecond));
    if (!heard()) return;
    pairs.set(i, pair);
    tell(pairs.size);
  });
  const inOrder = (of: ReadonlyMap<number, Pair>): readonly Pair[] => jobs.flatMap(({ i }) => of.get(i) ?? []);
  return whole ? { pairs: inOrder(pairs), bounds: inOrder(bounds) } : undefined;
}

/** The runs of both oracles, made once if they are equal. */
async function boundsOf(worker: Client, ofFirst: string, ofSecond: string): Promise<Pair> {
  const bound = await outcomesOf(worker, ofFirst);
  return { a: bound, b: ofSecond === ofFirst ? bound : await outcomesOf(worker, ofSecond) };
}

/**
 * The runs of both oracles, by seed; a run without an autoscaler has the other's. If one cannot be made, gives the
 * reason, and the comparison continues without it.
 */
async function oraclesOf(
  thread: Asking<'compare'>,
  documents: readonly [Json, Json],
  casesOf: CasesOf,
): Promise<{ readonly oracles: readonly (readonly CaseText[])[]; readonly noOracle: string }> {
  const refused: string[] = [];
  const one = async (document: Json, name: string): Promise<string | null> =>
    thread.ask('oracle', writeDocument(document)).catch((error: unknown) => {
      if (!(error instanceof RefusedError)) throw error;
      refused.push(`${name}: ${troubleOf(error)}`);
      return null;
    });
  const [ofA, ofB] = [await one(documents[0], 'A'), await one(documents[1], 'B')];
  const both = [ofA ?? ofB, ofB ?? ofA].flatMap((text) => (text === null ? [] : [readDocument(text)]));
  return { oracles: await Promise.all(both.map(casesOf)), noOracle: refused.join('. ') };
}
