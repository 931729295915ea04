// A race: several policies on the same requests, with several seeds, in as many workers as there are cores.
import { createSignal, onCleanup } from 'solid-js';
import { type Json, parsePath } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import type { CaseText, RaceEntry, RaceRanking, RankBy, RunRow, View } from '../generated/boundary.ts';
import type { Client } from '../sim/client.ts';
import { CompareClient, spawnCompare } from '../sim/compareClient.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

const PICTURE: View = 'ttft-over-time';

/** Somebody in the race, and what is put into the document for it. */
export type Runner = { readonly name: string; readonly value: Json };

/** A run of the race: its figures, and TTFT over its time as a small picture. */
export type Lap = {
  /** Its place among all runs of the race. */
  readonly number: number;
  readonly name: string;
  readonly row: RunRow;
  readonly scenario: string;
  readonly t: Float64Array;
  readonly ttft: Float64Array;
};

export type Race = ReturnType<typeof createRace>;

export function createRace() {
  const [laps, setLaps] = createSignal<readonly Lap[]>([]);
  const [ranking, setRanking] = createSignal<RaceRanking>();
  const [progress, setProgress] = createSignal<Progress>();
  const [running, setRunning] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
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

  async function start(
    document: Json,
    path: string,
    runners: readonly Runner[],
    seeds: number,
    by: RankBy,
  ): Promise<void> {
    stop();
    setLaps([]);
    setRanking(undefined);
    setTrouble('');
    setRunning(true);
    const beganMs = performance.now();
    try {
      const varied = [`${path}=${runners.map((r) => JSON.stringify(r.value)).join(',')}`];
      const cases = await thread.ask({ kind: 'cases', scenario: writeDocument(document), varied, seeds });
      const workers = runs.workersFor(cases.length);
      const tell = (): void => {
        setProgress({ done: laps().length, of: cases.length, tookMs: performance.now() - beganMs, workers });
      };
      tell();
      const whole = await runs.all(cases, async (client, next, heard) => {
        const lap = await lapOf(
          client,
          next,
          runners[Math.floor(next.number / seeds)]?.name ?? parsePath(path).join('.'),
        );
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

  async function lapOf(client: Client, { number, scenario }: CaseText, name: string): Promise<Lap> {
    const outcomes = await outcomesOf(client, scenario);
    const [picture] = await client.columns([PICTURE]);
    const column = (of: string): Float64Array => picture?.columns[picture.names.indexOf(of)] ?? new Float64Array();
    const row = await thread.ask({ kind: 'row', outcomes });
    return { number, name, scenario, row, t: column('t_s'), ttft: column('p99_ms') };
  }

  /** Orders what has come in by a figure. */
  async function rank(by: RankBy): Promise<void> {
    const inOrder = laps().toSorted((x, y) => x.number - y.number);
    const entries: RaceEntry[] = inOrder.map(({ name, row }) => ({ name, run: row }));
    if (entries.length > 0) setRanking(await thread.ask({ kind: 'rank', entries, by }));
  }

  return { laps, ranking, progress, running, trouble, start, stop, rank: (by: RankBy) => void rank(by) };
}
