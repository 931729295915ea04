// A second run beside the one on screen, in a worker of its own, and what the two come to request by request.
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, untrack } from 'solid-js';
import { getAt, type Json } from '../base/json.ts';
import { oneAtATime } from '../base/oneAtATime.ts';
import { readDocument, writeDocument } from '../base/text.ts';
import type { CaseText, Frame, RequestDetail, RunComparison, View } from '../generated/boundary.ts';
import { Client, LostError, RefusedError } from '../sim/client.ts';
import { CompareClient, spawnCompare } from '../sim/compareClient.ts';
import type { Outcomes } from '../sim/compareProtocol.ts';
import type { ColumnsAnswer } from '../sim/protocol.ts';
import { spawnWorker } from '../sim/spawn.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

/** The charts that show both runs. */
const VIEWS: readonly View[] = ['ttft-over-time', 'e2e-over-time', 'health', 'fleet-load'];
/** While the run plays, charts of both are asked for no more often. */
const CHARTS_MS = 500;

/** What runs beside the run on screen. */
export type Beside = { readonly name: string; readonly document: Json };

/** The same charts of both runs. */
export type Charts = { readonly a: readonly ColumnsAnswer[]; readonly b: readonly ColumnsAnswer[] };

/** Both runs at one instant; where B has ended before, at its end. */
export type BothFrames = { readonly a: Frame; readonly b: Frame };

/** A pair of one request: how it went in each run. */
export type Pair = { readonly a: RequestDetail; readonly b: RequestDetail };

/** Both runs with several seeds: how far they are, what they come to at the end, and why there is no oracle where there should be one. */
export type OverSeeds = {
  readonly progress: Progress;
  readonly comparison: RunComparison | undefined;
  readonly noOracle: string;
};

/** What is read of the run on screen. */
type RunA = {
  readonly frame: Accessor<Frame | undefined>;
  readonly document: Accessor<Json>;
  readonly rests: Accessor<boolean>;
  readonly traceFile: Accessor<File | undefined>;
  readonly outcomes: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly columns: (views: readonly View[]) => Promise<readonly ColumnsAnswer[]>;
  readonly inspect: (request: number) => Promise<RequestDetail | null>;
};

export type Comparing = ReturnType<typeof createComparing>;

export function createComparing(a: RunA) {
  const [beside, setBeside] = createSignal<Beside>();
  const [result, setResult] = createSignal<{ readonly atUs: number; readonly comparison: RunComparison }>();
  const [charts, setCharts] = createSignal<Charts>();
  const [atUs, setAtUs] = createSignal<number>();
  const [frames, setFrames] = createSignal<BothFrames>();
  /** What A showed when B was last sent after it. */
  let ahead: Frame | undefined;
  const [trouble, setTrouble] = createSignal('');
  const [pair, setPair] = createSignal<Pair>();
  const thread = new CompareClient(spawnCompare);
  const [seeds, setSeeds] = createSignal<OverSeeds>();
  const many = new ManyRuns();
  let client: Client | undefined;
  let runs = 0;
  onCleanup(() => {
    many.stop();
    client?.end();
    thread.end();
  });

  async function ready(): Promise<Client> {
    if (client) return client;
    const listener = {
      onFrame: (frame: Frame) => {
        setAtUs(frame.now_us);
        if (ahead && (frame.now_us === ahead.now_us || frame.finished)) setFrames({ a: ahead, b: frame });
      },
      onCrash: () => setTrouble('The second run stopped. Choose it again.'),
    };
    const begun = new Client(spawnWorker, listener, (callback) => requestAnimationFrame(callback));
    await begun.start();
    client = begun;
    return begun;
  }

  /** Begins the second run; what was compared before is gone. */
  async function choose(next: Beside): Promise<void> {
    setTrouble('');
    try {
      const run = await ready();
      const file = a.traceFile();
      const useTrace = getAt(next.document, 'workload.trace') !== undefined && file !== undefined;
      if (useTrace) await run.readTrace(file, () => {});
      const options = { id: { run: ++runs, edit: 0 }, useTrace, untilUs: 0, thenPlay: false, keeps: false };
      await run.load(writeDocument(next.document), options);
      setResult(undefined);
      setCharts(undefined);
      setFrames(undefined);
      setPair(undefined);
      forgetSeeds();
      setBeside(next);
      follow();
    } catch (error) {
      tell(error);
    }
  }

  function tell(error: unknown): void {
    if (error instanceof LostError) return;
    setTrouble(troubleOf(error) || 'It was refused.');
  }

  function forgetSeeds(): void {
    many.stop();
    setSeeds(undefined);
  }

  /** Runs both to the end with so many seeds, and compares them seed by seed. */
  async function overSeeds(count: number): Promise<void> {
    const b = untrack(beside);
    if (!b) return;
    forgetSeeds();
    setTrouble('');
    const beganMs = performance.now();
    try {
      const casesOf = (document: Json) =>
        thread.ask({ kind: 'cases', scenario: writeDocument(document), varied: [], seeds: count });
      const [ofA, ofB] = await Promise.all([casesOf(untrack(a.document)), casesOf(b.document)]);
      const { oracles, noOracle } = await oraclesOf([untrack(a.document), b.document], casesOf);
      const jobs = ofA.flatMap((first, i) => {
        const second = ofB[i];
        return second ? [{ i, first, second, bounds: oracles.map((all) => all[i]?.scenario ?? '') }] : [];
      });
      const pairs = new Map<number, readonly [Outcomes, Outcomes]>();
      const bounds = new Map<number, readonly [Outcomes, Outcomes]>();
      const workers = many.workersFor(jobs.length);
      const tellProgress = (comparison?: RunComparison): void => {
        const progress = { done: pairs.size, of: jobs.length, tookMs: performance.now() - beganMs, workers };
        setSeeds({ progress, comparison, noOracle });
      };
      tellProgress();
      const whole = await many.all(jobs, async (worker, { i, first, second, bounds: [ofFirst, ofSecond] }, heard) => {
        const pair = [await outcomesOf(worker, first.scenario), await outcomesOf(worker, second.scenario)] as const;
        if (ofFirst !== undefined && ofSecond !== undefined) {
          const bound = await outcomesOf(worker, ofFirst);
          bounds.set(i, [bound, ofSecond === ofFirst ? bound : await outcomesOf(worker, ofSecond)]);
        }
        if (!heard()) return;
        pairs.set(i, pair);
        tellProgress();
      });
      if (!whole) return;
      many.stop();
      const inOrder = (of: ReadonlyMap<number, readonly [Outcomes, Outcomes]>) =>
        jobs.flatMap(({ i }) => [of.get(i) ?? []].flatMap((pair) => (pair.length === 2 ? [pair] : [])));
      const scenarios = scenariosWith(b.document);
      const asked = { kind: 'compare', pairs: inOrder(pairs), scenarios, bounds: inOrder(bounds) } as const;
      tellProgress((await thread.ask(asked)) ?? undefined);
    } catch (error) {
      forgetSeeds();
      setTrouble(troubleOf(error));
    }
  }

  /**
   * The runs of the oracles of both, by seed; a run without an autoscaler has the other's. Where one cannot be made, why not, and the
   * comparison goes on without it.
   */
  async function oraclesOf(
    documents: readonly [Json, Json],
    casesOf: (document: Json) => Promise<readonly CaseText[]>,
  ): Promise<{ readonly oracles: readonly (readonly CaseText[])[]; readonly noOracle: string }> {
    const refused: string[] = [];
    const one = async (document: Json, name: string): Promise<string | undefined> =>
      thread.ask({ kind: 'oracle', scenario: writeDocument(document) }).catch((error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
        refused.push(`${name}: ${troubleOf(error)}`);
        return undefined;
      });
    const [ofA, ofB] = [await one(documents[0], 'A'), await one(documents[1], 'B')];
    const both = [ofA ?? ofB, ofB ?? ofA].flatMap((text) => (text === undefined ? [] : [readDocument(text)]));
    return { oracles: await Promise.all(both.map(casesOf)), noOracle: refused.join('. ') };
  }

  // Another scenario on screen is another comparison.
  createEffect(on(a.document, forgetSeeds, { defer: true }));

  let chartsDueMs = 0;
  /** Takes the second run to where the first one is; both are compared where the first one rests. */
  const follow = oneAtATime(async () => {
    const run = client;
    const shown = untrack(a.frame);
    if (!run || shown === undefined || untrack(beside) === undefined) return;
    const now = shown.now_us;
    ahead = shown;
    try {
      await run.seek(now);
      if (performance.now() >= chartsDueMs || untrack(a.rests)) {
        const [ofA, ofB] = await Promise.all([a.columns(VIEWS), run.columns(VIEWS)]);
        setCharts({ a: ofA, b: ofB });
        chartsDueMs = performance.now() + CHARTS_MS;
      }
      if (untrack(a.rests) && untrack(a.frame)?.now_us === now) await compare(run, now);
    } catch (error) {
      tell(error);
    }
  });

  function scenariosWith(documentOfB: Json): readonly [a: string, b: string] {
    return [writeDocument(untrack(a.document)), writeDocument(documentOfB)];
  }

  async function compare(run: Client, now: number): Promise<void> {
    const [ofA, ofB] = await Promise.all([a.outcomes(), run.outcomes()]);
    const b = untrack(beside);
    if (!b) return;
    const scenarios = scenariosWith(b.document);
    const comparison = await thread.ask({ kind: 'compare', pairs: [[ofA, ofB]], scenarios });
    if (comparison && untrack(a.frame)?.now_us === now) setResult({ atUs: now, comparison });
  }

  const place = createMemo(() => `${a.frame()?.now_us} ${a.rests()}`);
  createEffect(on(place, () => follow()));

  /** Opens one request in both runs. */
  async function openPair(requestA: number, requestB: number): Promise<void> {
    if (!client) return;
    const [ofA, ofB] = await Promise.all([a.inspect(requestA), client.inspect(requestB)]);
    setPair(ofA && ofB ? { a: ofA, b: ofB } : undefined);
  }

  return {
    beside,
    choose,
    result,
    charts,
    trouble,
    setTrouble,
    pair,
    openPair: (requestA: number, requestB: number) => void openPair(requestA, requestB).catch(tell),
    /** Both runs with several seeds, once that is asked for. */
    seeds,
    /** What became of the requests of the second run, where it is now. */
    outcomes: async () => client?.outcomes(),
    overSeeds: (count: number) => void overSeeds(count),
    forgetSeeds,
    /** How far the second run is. */
    atUs,
    /** Both at one instant, in step. */
    frames,
  };
}
