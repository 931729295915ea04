// A second run beside the one on screen, in a worker of its own, and the comparison of both request by request.
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, untrack } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { writeDocument } from '../../base/text.ts';
import type { Frame, RequestCloud, RequestDetail, RunComparison, View } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { Client, LostError } from '../../sim/client.ts';
import type { ColumnsAnswer } from '../../sim/protocol.ts';
import { spawnWorker } from '../../sim/spawn.ts';
import { troubleOf } from './manyRuns.ts';
import { createOverSeeds } from './overSeeds.ts';

/** The charts that show both runs. */
const VIEWS: readonly View[] = ['ttft-over-time', 'e2e-over-time', 'health', 'fleet-load'];
/** The least time between requests for the charts of both, while the run plays. */
const CHARTS_MS = 500;

/** The run beside the run on screen; `choice` is what it was chosen by in a list. */
export type Beside = { readonly name: string; readonly document: Json; readonly choice?: string };

/** The same charts of both runs. */
export type Charts = { readonly a: readonly ColumnsAnswer[]; readonly b: readonly ColumnsAnswer[] };

/** Both runs at one instant, or B at its end if that is earlier. */
export type BothFrames = { readonly a: Frame; readonly b: Frame };

/** A pair of one request: how it went in each run. */
export type Pair = { readonly a: RequestDetail; readonly b: RequestDetail };

/** Both runs compared up to an instant. */
export type Result = {
  readonly atUs: number;
  readonly comparison: RunComparison;
  readonly cloud: RequestCloud | null;
};

/** The parts of the run on screen used here. */
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
  const [trouble, setTrouble] = createSignal('');
  const [pair, setPair] = createSignal<Pair>();
  const thread = new Asking('compare');
  const following = createFollowing({ a, b: () => b.client(), beside, thread, tell });
  const b = createSecondRun(following.onFrame, () => setTrouble('The second run stopped. Choose it again.'));
  const seeds = createOverSeeds(thread, a.document, () => beside()?.document, setTrouble);
  onCleanup(() => {
    seeds.stop();
    b.end();
    thread.end();
  });

  /** Begins the second run, which may have to be made first, and clears the previous comparison. */
  async function choose(wanted: Beside | { readonly make: () => Beside | Promise<Beside> }): Promise<void> {
    setTrouble('');
    try {
      const next = 'make' in wanted ? await wanted.make() : wanted;
      await b.load(next.document, a.traceFile());
      following.forget();
      setPair(undefined);
      seeds.forget();
      setBeside(next);
      following.go();
    } catch (error) {
      tell(error);
    }
  }

  function tell(error: unknown): void {
    if (error instanceof LostError) return;
    setTrouble(troubleOf(error) || 'It was refused.');
  }

  // Another scenario on screen ends the comparison.
  createEffect(on(a.document, seeds.forget, { defer: true }));
  const place = createMemo(() => `${a.frame()?.now_us} ${a.rests()}`);
  createEffect(on(place, () => following.go()));

  /** Opens one request in both runs. */
  async function openPair(requestA: number, requestB: number): Promise<void> {
    const client = b.client();
    if (!client) return;
    const [ofA, ofB] = await Promise.all([a.inspect(requestA), client.ask('inspect', requestB)]);
    setPair(ofA && ofB ? { a: ofA, b: ofB } : undefined);
  }

  return {
    beside,
    choose,
    /** The thread that compares; it also reads and writes files of studies. */
    thread,
    trouble,
    setTrouble,
    pair,
    openPair: (requestA: number, requestB: number) => void openPair(requestA, requestB).catch(tell),
    /** Both runs with several seeds, once requested. */
    seeds: seeds.seeds,
    /** The outcomes of the requests of the second run at its present instant. */
    outcomes: async () => b.client()?.ask('outcomes', null),
    overSeeds: (count: number) => void seeds.begin(count),
    forgetSeeds: seeds.forget,
    result: following.result,
    charts: following.charts,
    atUs: following.atUs,
    frames: following.frames,
  };
}

/** The second run, in a worker that begins with the first document. */
function createSecondRun(onFrame: (frame: Frame) => void, onCrash: () => void) {
  let client: Client | undefined;
  let runs = 0;

  async function ready(): Promise<Client> {
    if (client) return client;
    const begun = new Client(spawnWorker, { onFrame, onCrash }, (callback) => requestAnimationFrame(callback));
    await begun.start();
    client = begun;
    return begun;
  }

  /** Begins the run of a document, on its trace if it replays one. */
  async function load(document: Json, trace: File | undefined): Promise<void> {
    const run = await ready();
    const useTrace = getAt(document, 'workload.trace') !== undefined && trace !== undefined;
    if (useTrace) await run.readTrace(trace, () => {});
    const options = { id: { run: ++runs, edit: 0 }, useTrace, untilUs: 0, thenPlay: false, keeps: false };
    await run.load(writeDocument(document), options);
  }

  return { client: () => client, load, end: () => client?.end() };
}

/**
 * Takes the second run to the instant of the first, with the charts of both; both are compared when the first one
 * rests.
 */
function createFollowing(runs: {
  readonly a: RunA;
  readonly b: () => Client | undefined;
  readonly beside: Accessor<Beside | undefined>;
  readonly thread: Asking<'compare'>;
  readonly tell: (error: unknown) => void;
}) {
  const { a, b, beside, thread, tell } = runs;
  const [result, setResult] = createSignal<Result>();
  const [charts, setCharts] = createSignal<Charts>();
  const [atUs, setAtUs] = createSignal<number>();
  const [frames, setFrames] = createSignal<BothFrames>();
  /** The state of A when B was last sent to it. */
  let ahead: Frame | undefined;
  let chartsDueMs = 0;

  const go = oneAtATime(async () => {
    const run = b();
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

  async function compare(run: Client, now: number): Promise<void> {
    const [ofA, ofB] = await Promise.all([a.outcomes(), run.ask('outcomes', null)]);
    const second = untrack(beside);
    if (!second) return;
    const scenarios = { a: writeDocument(untrack(a.document)), b: writeDocument(second.document) };
    const found = await thread.ask('compare', { pairs: [{ a: ofA, b: ofB }], scenarios });
    if (found && untrack(a.frame)?.now_us === now) setResult({ atUs: now, ...found });
  }

  function onFrame(frame: Frame): void {
    setAtUs(frame.now_us);
    if (ahead && (frame.now_us === ahead.now_us || frame.finished)) setFrames({ a: ahead, b: frame });
  }

  function forget(): void {
    setResult(undefined);
    setCharts(undefined);
    setFrames(undefined);
  }

  return {
    /** The result of the latest comparison. */
    result,
    charts,
    /** The instant of the second run. */
    atUs,
    /** Both at one instant, in step. */
    frames,
    go,
    onFrame,
    forget,
  };
}
