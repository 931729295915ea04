// Many runs in as many workers as there are cores, for races, sweeps and searches.
import type { RunRow } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import { Client, LostError, RefusedError } from '../../sim/client.ts';
import { spawnWorker } from '../../sim/spawn.ts';

/** The most workers at once: more than the cores of a desktop would wait for each other. */
const MOST_WORKERS = 8;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
const IGNORED = { onFrame: () => {}, onCrash: () => {} };

/** The progress of such a study. */
export type Progress = {
  readonly done: number;
  readonly of: number;
  readonly tookMs: number;
  readonly workers: number;
};

/** Runs a scenario to its end in a worker. */
export async function outcomesOf(client: Client, scenario: string): Promise<Uint8Array> {
  const id = { run: 1, edit: 0 };
  await client.load(scenario, { id, useTrace: false, untilUs: 0, thenPlay: false, keeps: false });
  await client.seek(END_OF_TIME);
  return client.ask('outcomes', null);
}

/** The figures of a run that a worker makes. */
export async function rowOf(client: Client, thread: Asking<'compare'>, scenario: string): Promise<RunRow> {
  return thread.ask('row', await outcomesOf(client, scenario));
}

export class ManyRuns {
  private workers: Client[] = [];
  /** Messages of a cancelled round are ignored. */
  private round = 0;

  /** Ends all workers. */
  stop(): void {
    this.round += 1;
    for (const worker of this.workers) worker.end();
    this.workers = [];
  }

  /** The number of workers for a number of runs. */
  workersFor(runs: number): number {
    return Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2, runs);
  }

  /**
   * Stops running jobs, and does every job in some worker, one after the other in each. A cancelled job (`heard()` is
   * false) reports nothing. Returns whether all were done.
   */
  async all<T>(
    jobs: readonly T[],
    work: (client: Client, job: T, heard: () => boolean) => Promise<void>,
  ): Promise<boolean> {
    this.stop();
    const mine = this.round;
    const heard = (): boolean => mine === this.round;
    const queue = [...jobs];
    const worker = async (): Promise<void> => {
      const client = new Client(spawnWorker, IGNORED, (callback) => setTimeout(callback, 200), { batch: true });
      this.workers.push(client);
      await client.start();
      for (let job = queue.shift(); job !== undefined && heard(); job = queue.shift()) await work(client, job, heard);
      client.end();
    };
    try {
      await Promise.all(Array.from({ length: this.workersFor(jobs.length) }, worker));
    } catch (error) {
      // Ending a worker ends its question.
      if (heard()) throw error;
    }
    return heard();
  }
}

/** The reason why runs could not be made, in words; other errors are rethrown. */
export function troubleOf(error: unknown): string {
  if (error instanceof LostError) return 'A worker stopped; there may be too little memory.';
  if (error instanceof RefusedError)
    return error.diagnostics
      .map((d) => `${d.path === '' ? '' : `${d.path}: `}found ${d.found}; allowed: ${d.allowed}; ${d.fix}`)
      .join('. ');
  throw error;
}
