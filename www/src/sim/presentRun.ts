// The run under way in the worker, and the module that computes it. A run that began in the small module moves to the
// quicker one once that has loaded, if little is computed twice: it restarts there at its beginning, or is rebuilt
// beside the waiting run.
import type { FrameQuery, Stop } from '../generated/boundary.ts';
import type { Core, SimCore, TraceCore } from './core.ts';
import type { Question } from './protocol.ts';
import { refusable, unlessRefused } from './refused.ts';

/**
 * A run that took longer is not rebuilt in a quicker module, because the wait would be visible, unless a
 * long enough remainder makes up for it.
 */
const MOST_REPEATED_MS = 1500;
const LONG_WAY = 3;

export class PresentRun {
  /** The module for new runs. */
  core: Core;
  sim: SimCore | undefined;
  private trace: TraceCore | undefined;
  private replays = false;
  /** The module of `sim`. */
  private made: Core | undefined;
  /** The same run in the quicker module, on its way to the instant of `sim`. */
  private successor: SimCore | undefined;
  /** The time spent on computing `sim` so far. */
  private busyMs = 0;
  /** The module that replaces `core` once that holds no trace. */
  private quicker: Core | undefined;
  private readonly now: () => number;

  constructor(core: Core, now: () => number) {
    this.core = core;
    this.now = now;
  }

  /** Takes a trace that was read, for new runs; throws if it is refused. */
  takeTrace(packed: Uint8Array): void {
    // Existing runs keep the old one.
    this.trace?.free();
    this.core = this.quicker ?? this.core;
    this.trace = this.core.newTrace(packed);
  }

  /** Begins the run of a scenario; throws if it is refused, and the old run stays unchanged. */
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

  /** Takes a quicker module for new runs; false if the previous one holds a trace. */
  quicken(core: Core): boolean {
    this.quicker = core;
    if (this.trace) return false;
    this.core = core;
    return true;
  }

  /** Restarts a run that will run ahead in the quicker module if little is lost; returns whether it did. */
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

  /**
   * Whether rebuilding the present run in the quicker module is quick or pays off until an instant, and nothing is
   * computed beyond the present instant.
   */
  private mayMove(sim: SimCore, untilUs = 0): boolean {
    const pays = this.busyMs <= MOST_REPEATED_MS || LONG_WAY * sim.nowUs() <= untilUs;
    return this.made !== this.core && !this.replays && pays && sim.computedUs() <= sim.nowUs();
  }

  /**
   * Begins to rebuild the present run in the quicker module, if allowed. A question that changes the run or takes it
   * back ends that; the next play begins it again. `atAnyCost`: however long it takes, and without what was computed beyond the
   * present instant.
   */
  handOver(atAnyCost = false): boolean {
    const { sim, core } = this;
    const moves = atAnyCost ? this.made !== core && !this.replays : sim !== undefined && this.mayMove(sim);
    if (!sim || this.successor || !moves) return false;
    this.successor = unlessRefused(() => core.newSim(sim.scenario(), undefined));
    // It is sent there as a seek, because a run that plays at full speed keeps few checkpoints.
    this.successor?.seek(sim.nowUs());
    return true;
  }

  /** Keeps the present run in its module. */
  stay(): void {
    this.successor?.free();
    this.successor = undefined;
  }

  /**
   * A slice of the successor's way to the instant of the run, which waits and is then replaced; `undefined` if there is
   * no successor.
   */
  follow(maxMs: number, detail: FrameQuery): 'under way' | 'replaced' | 'stayed' | undefined {
    const { sim, successor: next } = this;
    if (!sim || !next) return undefined;
    if (next.advance(sim.nowUs(), maxMs) === 'events') return 'under way';
    // After a single step the run may be between two events of one instant, which no advance reaches.
    if (next.events() !== sim.events()) {
      this.stay();
      return 'stayed';
    }
    // A frame has the moves since the previous one; these were shown already.
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
