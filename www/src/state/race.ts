// A race: several policies on the same requests, with several seeds, in as many workers as there are cores.
import { createSignal, onCleanup } from 'solid-js';
import { type Json, parsePath } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import type { CaseText, RaceEntry, RaceRanking, RankBy, RunRow, View } from '../generated/boundary.ts';
import type { Client } from '../sim/client.ts';
import { CompareClient, spawnCompare } from '../sim/compareClient.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

const PICTURE: View = 'ttft-over-time';

/** A policy in the race, and its value in the document. */
export type Runner = { readonly name: string; readonly value: Json };

/** The input of a race. */
export type RaceOf = {
  readonly path: string;
  readonly runners: readonly Runner[];
  readonly seeds: number;
  /** Whether the oracle runs too: the bound of autoscalers. */
  readonly bounded: boolean;
};

/** A run of the race: its figures, and TTFT over its time as a small picture. */
export type Lap = {
  /** Its place among all runs of the race. */
  readonly number: number;
  readonly name: string;
  /** Whether it is the oracle's. */
  readonly bound: boolean;
  readonly row: RunRow;
  readonly scenario: string;
  readonly t: Float64Array;
  readonly ttft: Float64Array;
};

/** A run to make. */
type Run = { readonly of: CaseText; readonly name: string; readonly bound: boolean };

export type Race = ReturnType<typeof createRace>;

export function createRace() {
  const [laps, setLaps] = createSignal<readonly Lap[]>([]);
  const [ranking, setRanking] = createSignal<RaceRanking>();
  const [progress, setProgress] = createSignal<Progress>();
  const [running, setRunning] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
  /** The reason for a missing oracle in a race of autoscalers. */
  const [noOracle, setNoOracle] = createSignal('');
  const thread = new CompareClient(spawnCompare);
  const runs = new ManyRuns();

  function stop(): void {
    runs.stop();
    setRunning(false);
  }
  onCleanup(() => {
    stop();
    thread.end();
  });

  async function start(document: Json, race: RaceOf, by: RankBy): Promise<void> {
    const { path, runners, seeds } = race;
    stop();
    setLaps([]);
    setRanking(undefined);
    setTrouble('');
    setNoOracle('');
    setRunning(true);
    const beganMs = performance.now();
    try {
      const varied = [`${path}=${runners.map((r) => JSON.stringify(r.value)).join(',')}`];
      const raced = await thread.ask({ kind: 'cases', scenario: writeDocument(document), varied, seeds });
      const nameOf = (of: CaseText): string =>
        runners[Math.floor(of.number / seeds)]?.name ?? parsePath(path).join('.');
      const cases = [
        ...raced.map((of) => ({ of, name: nameOf(of), bound: false })),
        ...(race.bounded ? await boundsOf(thread, document, seeds, setNoOracle) : []),
      ];
      const workers = runs.workersFor(cases.length);
      const tell = (): void => {
        setProgress({ done: laps().length, of: cases.length, tookMs: performance.now() - beganMs, workers });
      };
      tell();
      const whole = await runs.all(cases, async (client, next, heard) => {
        const lap = await lapOf(thread, client, next);
        if (!heard()) return;
        setLaps((all) => [...all, lap]);
        tell();
        await rank(by);
      });
      if (whole) stop();
    } catch (error) {
      setTrouble(troubleOf(error));
      stop();
    }
  }

  /** Ranks the finished runs by a figure. */
  async function rank(by: RankBy): Promise<void> {
    const found = await rankingOf(thread, laps(), by);
    if (found) setRanking(found);
  }

  return { laps, ranking, progress, running, trouble, noOracle, start, stop, rank: (by: RankBy) => void rank(by) };
}

/** The runs of the oracle; none, with the reason reported, if it has no answer. */
async function boundsOf(
  thread: CompareClient,
  document: Json,
  seeds: number,
  setWhyNot: (why: string) => void,
): Promise<readonly Run[]> {
  try {
    const scenario = await thread.ask({ kind: 'oracle', scenario: writeDocument(document) });
    if (scenario === undefined) return [];
    const all = await thread.ask({ kind: 'cases', scenario, varied: [], seeds });
    return all.map((of) => ({ of, name: 'oracle', bound: true }));
  } catch (error) {
    setWhyNot(troubleOf(error));
    return [];
  }
}

/** A run of the race, made in a worker. */
async function lapOf(
  thread: CompareClient,
  client: Client,
  { of: { number, scenario }, name, bound }: Run,
): Promise<Lap> {
  const outcomes = await outcomesOf(client, scenario);
  const [picture] = await client.columns([PICTURE]);
  const column = (of: string): Float64Array => picture?.columns[picture.names.indexOf(of)] ?? new Float64Array();
  const row = await thread.ask({ kind: 'row', outcomes });
  return { number, name, bound, scenario, row, t: column('t_s'), ttft: column('p99_ms') };
}

/** The finished runs, ranked by a figure; `undefined` before the first. */
async function rankingOf(thread: CompareClient, laps: readonly Lap[], by: RankBy): Promise<RaceRanking | undefined> {
  const inOrder = laps.toSorted((x, y) => x.number - y.number);
  const entries: RaceEntry[] = inOrder.filter((lap) => !lap.bound).map(({ name, row }) => ({ name, run: row }));
  const bound = inOrder.filter((lap) => lap.bound).map((lap) => lap.row);
  return entries.length > 0 ? thread.ask({ kind: 'rank', entries, bound, by }) : undefined;
}
