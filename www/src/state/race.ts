// A race: several policies on the same requests, with several seeds, in as many workers as there are cores.
import { createSignal, onCleanup } from 'solid-js';
import { type Json, parsePath } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import type { CaseText, RaceEntry, RaceRanking, RankBy, RunRow, View } from '../generated/boundary.ts';
import { Client, LostError, RefusedError } from '../sim/client.ts';
import { CompareClient, spawnCompare } from '../sim/compareClient.ts';
import { spawnWorker } from '../sim/spawn.ts';

/** Most workers at once: more than a desk has cores wait for each other. */
const MOST_WORKERS = 8;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
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

/** How far a race is. */
export type Progress = {
  readonly done: number;
  readonly of: number;
  readonly tookMs: number;
  readonly workers: number;
};

export type Race = ReturnType<typeof createRace>;

export function createRace() {
  const [laps, setLaps] = createSignal<readonly Lap[]>([]);
  const [ranking, setRanking] = createSignal<RaceRanking>();
  const [progress, setProgress] = createSignal<Progress>();
  const [running, setRunning] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
  const thread = new CompareClient(spawnCompare);
  /** The workers of the race that runs, and its number: what a cancelled one still says is not heard. */
  let workers: Client[] = [];
  let race = 0;

  function stop(): void {
    race += 1;
    for (const worker of workers) worker.end();
    workers = [];
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
    const mine = race;
    setLaps([]);
    setRanking(undefined);
    setTrouble('');
    setRunning(true);
    const beganMs = performance.now();
    try {
      const varied = [`${path}=${runners.map((r) => JSON.stringify(r.value)).join(',')}`];
      const cases = await thread.ask({ kind: 'cases', scenario: writeDocument(document), varied, seeds });
      const queue = cases.map((text, i) => ({
        text,
        name: runners[Math.floor(i / seeds)]?.name ?? parsePath(path).join('.'),
      }));
      const count = Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2, queue.length);
      const tell = (): void => {
        const done = laps().length;
        setProgress({ done, of: cases.length, tookMs: performance.now() - beganMs, workers: count });
      };
      tell();
      const work = async (): Promise<void> => {
        const client = new Client(spawnWorker, IGNORED, (callback) => setTimeout(callback, 200));
        workers.push(client);
        await client.start();
        for (let next = queue.shift(); next && mine === race; next = queue.shift()) {
          const lap = await runOf(client, next.text, next.name);
          if (mine !== race) return;
          setLaps((all) => [...all, lap]);
          tell();
          await rank(by);
        }
        client.end();
      };
      await Promise.all(Array.from({ length: count }, work));
    } catch (error) {
      if (mine === race) tellTrouble(error);
    }
    if (mine === race) stop();
  }

  async function runOf(client: Client, { number, scenario }: CaseText, name: string): Promise<Lap> {
    const id = { run: 1, edit: 0 };
    await client.load(scenario, { id, useTrace: false, untilUs: 0, thenPlay: false, keeps: false });
    await client.seek(END_OF_TIME);
    const [outcomes, [picture]] = [await client.outcomes(), await client.columns([PICTURE])];
    const column = (of: string): Float64Array => picture?.columns[picture.names.indexOf(of)] ?? new Float64Array();
    return {
      number,
      name,
      scenario,
      row: await thread.ask({ kind: 'row', outcomes }),
      t: column('t_s'),
      ttft: column('p99_ms'),
    };
  }

  /** Orders what has come in by a figure. */
  async function rank(by: RankBy): Promise<void> {
    const inOrder = laps().toSorted((x, y) => x.number - y.number);
    const entries: RaceEntry[] = inOrder.map(({ name, row }) => ({ name, run: row }));
    if (entries.length > 0) setRanking(await thread.ask({ kind: 'rank', entries, by }));
  }

  function tellTrouble(error: unknown): void {
    if (error instanceof LostError) setTrouble('A worker of the race stopped: there may be too little memory.');
    else if (error instanceof RefusedError)
      setTrouble(error.diagnostics.map((d) => `${d.path}: ${d.found}; allowed: ${d.allowed}`).join('. '));
    else throw error;
  }

  return { laps, ranking, progress, running, trouble, start, stop, rank: (by: RankBy) => void rank(by) };
}

const IGNORED = { onFrame: () => {}, onCrash: () => {} };
