// A stand-in for a simulation and its environment, for tests of the runner.
import type { Diagnostic, RunFigures, Stop } from '../generated/boundary.ts';
import type { ColumnSet, Core, SimCore, Surroundings } from './core.ts';
import type { AnswerBytes } from './packet.ts';
import type { FromWorker, Question } from './protocol.ts';
import { Runner } from './runner.ts';

/** A simulation with an event every millisecond, each of which costs `costMs` of the test's own clock. */
export class FakeSim implements SimCore {
  us = 0;
  count = 0;
  freed = false;
  longestMs = 0;
  /** The cost of a frame. */
  frameMs = 0;
  adopted = 0;
  /** The furthest computed instant before it went back. */
  computed = 0;
  private backTo = 0;
  private stepAt = 0;
  private readonly clock: { ms: number };
  private readonly costMs: number;
  private readonly endUs: number;
  constructor(clock: { ms: number }, costMs: number, endUs: number) {
    this.clock = clock;
    this.costMs = costMs;
    this.endUs = endUs;
  }
  advance(untilUs: number, maxMs: number): Stop {
    const before = this.clock.ms;
    const until = Math.min(untilUs, this.endUs);
    while (this.clock.ms - before + this.costMs <= maxMs && this.next() <= until) this.event();
    this.longestMs = Math.max(this.longestMs, this.clock.ms - before);
    if (this.next() <= until) return 'events';
    this.us = Math.max(this.us, until);
    return this.us >= this.endUs ? 'finished' : 'until';
  }
  private next(): number {
    return (Math.floor(this.us / 1000) + 1) * 1000;
  }
  private event(): void {
    this.us = this.next();
    this.count += 1;
    this.clock.ms += this.costMs;
  }
  /** There is a checkpoint at every second. */
  seek(untilUs: number): void {
    if (untilUs < this.us) this.us = Math.floor(untilUs / 1e6) * 1e6;
  }
  beginBack(): void {
    this.backTo = Math.max(0, this.us - 1000);
    this.seek(this.backTo);
  }
  advanceBack(maxMs: number): Stop {
    return this.advance(this.backTo, maxMs);
  }
  adopt(text: string): void {
    if (text === 'refuse') throw [{ severity: 'error', path: 'seed', found: '-1', allowed: '0 or more', fix: '' }];
    this.us = 0;
    this.adopted += 1;
  }
  adoptWithTrace(text: string): void {
    this.adopt(text);
  }
  beginTo(): void {
    this.beginStep('preemption');
  }
  advanceTo(maxMs: number): Stop {
    return this.advanceStep(maxMs);
  }
  figures(): RunFigures {
    return { computed_us: this.computed };
  }
  computedUs(): number {
    return this.computed;
  }
  beginStep(kind: string): void {
    this.stepAt = this.count + (kind === 'preemption' ? 10_000 : 1);
  }
  advanceStep(maxMs: number): Stop {
    const before = this.clock.ms;
    while (this.count < this.stepAt) {
      if (this.us >= this.endUs) return 'finished';
      if (this.clock.ms - before + this.costMs > maxMs) return 'events';
      this.event();
    }
    return 'until';
  }
  apply(edit: string): Diagnostic[] {
    return edit.includes('bad') ? [{ severity: 'error', path: 'x', found: '1', allowed: '2', fix: '' }] : [];
  }
  nowUs(): number {
    return this.us;
  }
  events(): number {
    return this.count;
  }
  frame(): Uint8Array {
    this.clock.ms += this.frameMs;
    return new TextEncoder().encode(JSON.stringify({ now_us: this.us }));
  }
  /** Answers with the question. */
  ask(question: string): AnswerBytes {
    return [new TextEncoder().encode(question)];
  }
  closeUp(question: string): AnswerBytes {
    return this.ask(question);
  }
  columns(): ColumnSet {
    return { names: ['t_s', 'v'], columns: [new Float64Array([0]), new Float64Array([1])] };
  }
  scenario(): string {
    return '{}';
  }
  free(): void {
    this.freed = true;
  }
}

export function setup(costMs = 0.01, endUs = 1e12) {
  const clock = { ms: 0 };
  const queue: { at: number; run: () => void }[] = [];
  const posted: FromWorker[] = [];
  const sims: FakeSim[] = [];
  const core: Core = {
    check: () => [],
    freshSeed: () => '18446744073709551615',
    version: () => '0',
    newTrace: () => ({ free: () => {} }),
    newSim: (text) => {
      if (text === 'refuse') {
        throw [{ severity: 'error', path: 'seed', found: '-1', allowed: '0 or more', fix: '' }];
      }
      const sim = new FakeSim(clock, costMs, endUs);
      sims.push(sim);
      return sim;
    },
  };
  const around: Surroundings = {
    now: () => clock.ms,
    soon: (run) => queue.push({ at: clock.ms, run }),
    later: (run, ms) => queue.push({ at: clock.ms + ms, run }),
  };
  const runner = new Runner(core, around, (message) => posted.push(message));
  /** Lets wall time pass and runs due callbacks. */
  const pass = (ms: number): void => {
    const until = clock.ms + ms;
    for (;;) {
      queue.sort((a, b) => a.at - b.at);
      const next = queue[0];
      if (!next || next.at > until || clock.ms > until) break;
      queue.shift();
      clock.ms = Math.max(clock.ms, next.at);
      next.run();
    }
    clock.ms = Math.max(clock.ms, until);
  };
  let id = 0;
  const ask = (question: Question): FromWorker | undefined => {
    runner.handle({ kind: 'ask', id: id++, question });
    return posted.filter((m) => m.kind === 'answer' || m.kind === 'refused').at(-1);
  };
  const load = (text = '{}', untilUs = 0, keeps = false): FromWorker | undefined =>
    ask({ kind: 'load', id: { run: 1, edit: 0 }, text, useTrace: false, untilUs, thenPlay: false, keeps });
  const sim = (): FakeSim => {
    const last = sims.at(-1);
    if (!last) throw new Error('no simulation');
    return last;
  };
  const frames = (): FromWorker[] => posted.filter((m) => m.kind === 'frame');
  /** The values of the answers that have a certain field. */
  const answers = (field: string): unknown[] =>
    posted.flatMap((m) =>
      m.kind === 'answer' && typeof m.value === 'object' && m.value !== null && field in m.value ? [m.value] : [],
    );
  return { core, around, runner, posted, frames, answers, sims, sim, pass, ask, load };
}
