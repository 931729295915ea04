// The runs of the open lesson. Those of the step on screen are made in batch workers; after each seed the thread of
// comparisons says what they show. Results are kept, so that going back shows them at once.
import { createEffect, createSignal, on, onCleanup, untrack } from 'solid-js';
import type { CaseFigures, Guess, LessonCase, StepVerdict } from '../../generated/boundary.ts';
import { Client, LostError } from '../../sim/client.ts';
import { spawnWorker } from '../../sim/spawn.ts';
import { troubleOf } from '../studies/manyRuns.ts';
import { guesses, lesson, lessonStep, setVerdicts } from './lesson.ts';
import { askedBefore, forgetGuesses } from './lessonGuess.ts';
import { lessonThread } from './lessonThread.ts';

/** The runs of a step: how many of them and of its seeds have ended. */
export type StepRuns = {
  readonly done: number;
  readonly of: number;
  readonly running: boolean;
  readonly tookMs: number;
  /** Why they stopped, in words. */
  readonly trouble: string;
};

/** The runs by step. */
export const [stepRuns, setStepRuns] = createSignal<Readonly<Record<number, StepRuns>>>({});

const MOST_WORKERS = 8;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
const IGNORED = { onFrame: () => {}, onCrash: () => {} };

/** The results of a step. */
type Results = {
  readonly cases: readonly LessonCase[];
  readonly ended: Map<number, CaseFigures>;
  /** The numbers of the cases that no worker has taken. */
  readonly waiting: number[];
  tookMs: number;
};

/** The cases whose seeds have run completely; before the first has, all. */
export function wholeSeeds(
  cases: readonly LessonCase[],
  ended: ReadonlyMap<number, CaseFigures>,
): readonly CaseFigures[] {
  const missing = new Set(cases.flatMap((c, i) => (ended.has(i) ? [] : [c.seed])));
  const all = cases.flatMap((_, i) => ended.get(i) ?? []);
  const whole = all.filter(({ seed }) => !missing.has(seed));
  return whole.length > 0 ? whole : all;
}

/** Makes the runs of one lesson. */
class LessonRuns {
  private readonly workers: Client[] = [];
  private idle: Client[] = [];
  private readonly results = new Map<number, Results>();
  /** The steps whose runs are wanted, in order. */
  private wanted: readonly number[] = [];
  /** Steps that are being judged, and whether they changed meanwhile. */
  private readonly judging = new Map<number, boolean>();
  private ended = false;
  private readonly guessOf: (step: number) => Guess | undefined;

  constructor(guessOf: (step: number) => Guess | undefined) {
    this.guessOf = guessOf;
  }

  end(): void {
    this.ended = true;
    for (const worker of this.workers) worker.end();
  }

  /** Makes the runs of these steps, the first one first; runs of others wait. */
  async want(steps: readonly number[]): Promise<void> {
    this.wanted = steps;
    for (const step of steps) await this.prepare(step);
    for (const step of this.results.keys()) this.tell(step);
    this.startWorkers();
  }

  /** Tries again after trouble. */
  retry(step: number): void {
    this.results.delete(step);
    setStepRuns((all) => ({ ...all, [step]: { done: 0, of: 0, running: false, tookMs: 0, trouble: '' } }));
    void this.want(this.wanted);
  }

  private async prepare(step: number): Promise<void> {
    if (this.results.has(step) || untrack(stepRuns)[step]?.trouble) return;
    try {
      const cases = await lessonThread().ask('lesson-cases', step);
      if (this.ended || this.results.has(step)) return;
      this.results.set(step, { cases, ended: new Map(), waiting: cases.map((_, i) => i), tookMs: 0 });
      // A step without runs has a verdict too: its question and claims are empty.
      if (cases.length === 0) void this.judge(step);
    } catch (error) {
      this.fail(step, error);
    }
  }

  private startWorkers(): void {
    const jobs = this.wanted.reduce((sum, step) => sum + (this.results.get(step)?.waiting.length ?? 0), 0);
    for (const worker of this.idle.splice(0)) void this.work(worker);
    const most = Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2, jobs);
    while (this.workers.length < most) {
      const worker = new Client(spawnWorker, IGNORED, (callback) => setTimeout(callback, 500), { batch: true });
      this.workers.push(worker);
      worker.start().then(
        () => this.work(worker),
        (error: unknown) => this.lost(worker, error),
      );
    }
  }

  /** Takes one run after the other until none is left. */
  private async work(worker: Client): Promise<void> {
    for (;;) {
      const job = this.next();
      if (!job) {
        this.idle.push(worker);
        return;
      }
      const [step, results, number] = job;
      try {
        await this.run(worker, step, results, number);
      } catch (error) {
        if (error instanceof LostError) {
          this.lost(worker, error);
          return;
        }
        this.fail(step, error);
      }
    }
  }

  private next(): readonly [number, Results, number] | undefined {
    if (this.ended) return undefined;
    for (const step of this.wanted) {
      const results = this.results.get(step);
      const number = results?.waiting.shift();
      if (results && number !== undefined) return [step, results, number];
    }
    return undefined;
  }

  private async run(worker: Client, step: number, results: Results, number: number): Promise<void> {
    const one = results.cases[number];
    if (!one) return;
    const beganMs = performance.now();
    const id = { run: 1, edit: 0 };
    await worker.load(one.scenario, { id, useTrace: false, untilUs: 0, thenPlay: false, keeps: false });
    await worker.seek(END_OF_TIME);
    const values = await worker.closeUp('figures', one.paths);
    results.tookMs += performance.now() - beganMs;
    results.ended.set(number, { run: one.run, seed: one.seed, values });
    if (this.ended) return;
    this.tell(step);
    if (results.cases.every((other, i) => other.seed !== one.seed || results.ended.has(i)) || results.ended.size < 12)
      void this.judge(step);
  }

  /** Judges a step again, such as for another guess. */
  async judge(step: number): Promise<void> {
    if (this.judging.has(step)) {
      this.judging.set(step, true);
      return;
    }
    const results = this.results.get(step);
    if (!results) return;
    this.judging.set(step, false);
    try {
      const ended = wholeSeeds(results.cases, results.ended);
      const guess = this.guessOf(step);
      const verdict = await lessonThread().ask('lesson-verdict', { step, ended, guess });
      if (!this.ended) setVerdicts((all): Readonly<Record<number, StepVerdict>> => ({ ...all, [step]: verdict }));
    } catch (error) {
      this.fail(step, error);
    }
    const changed = this.judging.get(step);
    this.judging.delete(step);
    if (changed && !this.ended) await this.judge(step);
  }

  private tell(step: number): void {
    const results = this.results.get(step);
    if (!results) return;
    const [done, of] = [results.ended.size, results.cases.length];
    const running = done < of && this.wanted.includes(step);
    setStepRuns((all) => ({ ...all, [step]: { done, of, running, tookMs: results.tookMs, trouble: '' } }));
  }

  private lost(worker: Client, error: unknown): void {
    if (this.ended) return;
    worker.end();
    this.workers.splice(this.workers.indexOf(worker), 1);
    const [step] = this.wanted;
    if (step !== undefined) this.fail(step, error);
  }

  private fail(step: number, error: unknown): void {
    if (this.ended) return;
    const results = this.results.get(step);
    results?.waiting.splice(0);
    const [done, of] = [results?.ended.size ?? 0, results?.cases.length ?? 0];
    const trouble = wordsOf(error);
    setStepRuns((all) => ({ ...all, [step]: { done, of, running: false, tookMs: 0, trouble } }));
  }
}

function wordsOf(error: unknown): string {
  try {
    return troubleOf(error);
  } catch {
    return error instanceof Error ? error.message : String(error);
  }
}

let present: LessonRuns | undefined;

/** Tries the runs of a step again after trouble. */
export function retryRuns(step: number): void {
  present?.retry(step);
}

/**
 * Makes the runs of the step on screen, and of the question whose answer it shows, for as long as its owner lives. Called
 * once.
 */
export function followLesson(): void {
  const stop = (): void => {
    present?.end();
    present = undefined;
    setStepRuns({});
    setVerdicts({});
  };
  createEffect(
    on(lesson, (open) => {
      stop();
      forgetGuesses();
      if (open) present = new LessonRuns((step) => untrack(guesses)[step]);
    }),
  );
  createEffect(() => {
    const runs = lesson()?.read.runs;
    if (!runs) return;
    const steps = [askedBefore(), lessonStep()].flatMap((step) => step ?? []);
    void present?.want(steps.filter((step) => (runs[step] ?? 0) > 0));
  });
  createEffect(
    on(guesses, (now, before) => {
      for (const step of Object.keys(now).map(Number)) if (now[step] !== before?.[step]) void present?.judge(step);
    }),
  );
  onCleanup(stop);
}
