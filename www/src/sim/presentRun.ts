// The run under way in the worker, and the module that computes it. A run that began in the small module moves to the quicker one once
// that is there and where little is computed twice: at its beginning, or by being made again beside the run, which waits for it.
import type { FrameQuery, Stop } from '../generated/boundary.ts';
import type { Core, SimCore, TraceCore } from './core.ts';
import type { Question } from './protocol.ts';
import { refusable, unlessRefused } from './refused.ts';

/** A run that took longer is not computed again in a quicker module, as the wait would be seen, unless so long a way makes up for it. */
const MOST_REPEATED_MS = 1500;
const LONG_WAY = 3;

export class PresentRun {
  /** The module that runs to come are made in. */
  core: Core;
  sim: SimCore | undefined;
  private trace: TraceCore | undefined;
  private replays = false;
  /** The module that `sim` is of. */
  private made: Core | undefined;
  /** The same run in the quicker module, on its way to where `sim` is. */
  private successor: SimCore | undefined;
  /** Time that computing `sim` took so far. */
  private busyMs = 0;
  /** The module that replaces `core` once no trace is held in that. */
  private quicker: Core | undefined;
  private readonly now: () => number;

  constructor(core: Core, now: () => number) {
    this.core = core;
    this.now = now;
  }

  /** Takes a trace that was read, for runs to come; throws where it is refused. */
  takeTrace(packed: Uint8Array): void {
    // Runs hold the old one of their own.
    this.trace?.free();
    this.core = this.quicker ?? this.core;
    this.trace = this.core.newTrace(packed);
  }

  /** Begins the run of a scenario; throws where it is refused, and the old one is as it was. */
  begin(question: Extract<Question, { kind: 'load' }>): SimCore {
    const next = refusable(() => this.runOf(question));
    this.stay();
    this.sim = next;
    this.made = this.core;
    this.replays = question.useTrace;
    return next;
  }

  private runOf({ text, useTrace, keeps }: Extract<Question, { kind: 'load' }>): SimCore {
    const trace = useTrace ? this.trace : undefined;
    const { sim } = this;
    if (!keeps || !sim || this.made !== this.core) {
      const next = this.core.newSim(text, trace);
      sim?.free();
      this.busyMs = 0;
      return next;
    }
    if (trace) sim.adoptWithTrace(text, trace);
    else sim.adopt(text);
    return sim;
  }

  /** Computes a piece of the run. */
  timed(work: () => Stop): Stop {
    const startMs = this.now();
    const stop = work();
    this.busyMs += this.now() - startMs;
    return stop;
  }

  /** Takes a quicker module for runs to come; false where a trace is held in the one before. */
  quicken(core: Core): boolean {
    this.quicker = core;
    if (this.trace) return false;
    this.core = core;
    return true;
  }

  /** A run that is to go ahead begins anew in the quicker module, if that loses little, else stays; tells whether it did. */
  beginAnew(untilUs: number): boolean {
    const { sim, core } = this;
    const may = sim && untilUs > sim.nowUs() && this.mayMove(sim, untilUs);
    const next = may ? (this.successor ?? unlessRefused(() => core.newSim(sim.scenario(), undefined))) : undefined;
    if (!next) this.stay();
    if (!sim || !next) return false;
    this.replace(sim, next);
    this.busyMs = 0;
    return true;
  }

  /** Whether making the present run in the quicker module takes a moment or pays until an instant, and nothing of it is computed beyond where it is. */
  private mayMove(sim: SimCore, untilUs = 0): boolean {
    const pays = this.busyMs <= MOST_REPEATED_MS || LONG_WAY * sim.nowUs() <= untilUs;
    return this.made !== this.core && !this.replays && pays && sim.computedUs() <= sim.nowUs();
  }

  /** Begins to make the present run in the quicker module, where that may be. A question that changes the run or takes it back ends that; the next play begins it again. */
  handOver(): boolean {
    const { sim, core } = this;
    if (!sim || this.successor || !this.mayMove(sim)) return false;
    this.successor = unlessRefused(() => core.newSim(sim.scenario(), undefined));
    // It is on its way there: one that plays as fast as it can keeps few checkpoints.
    this.successor?.seek(sim.nowUs());
    return true;
  }

  /** The present run stays in the module that it is in. */
  stay(): void {
    this.successor?.free();
    this.successor = undefined;
  }

  /** A slice of the successor's way to where the run is, which waits for it and is then replaced; `undefined` where there is none. */
  follow(maxMs: number, detail: FrameQuery): 'under way' | 'replaced' | 'stayed' | undefined {
    const { sim, successor: next } = this;
    if (!sim || !next) return undefined;
    if (next.advance(sim.nowUs(), maxMs) === 'events') return 'under way';
    // After a single step the run may stand between two events of one instant, where no advance leads.
    if (next.events() !== sim.events()) {
      this.stay();
      return 'stayed';
    }
    // A frame takes what moved since the one before: that was shown.
    next.frame(detail);
    this.replace(sim, next);
    return 'replaced';
  }

  private replace(sim: SimCore, next: SimCore): void {
    this.successor = undefined;
    sim.free();
    this.sim = next;
    this.made = this.core;
  }
}
