// Drives one simulation inside the worker: paces simulated time, yields to messages, posts frames no faster than they are drawn.
//
// It does not depend on WebAssembly or the browser, so that its guarantees (never longer than a slice, one frame at a
// time, the old run stays when a new one is refused) can be tested with a stand-in.
import type { Diagnostic, FrameQuery, Occasion, StepKind, Stop } from '../generated/boundary.ts';
import type { Core, SimCore, Surroundings, TraceCore } from './core.ts';
import { AchievedPace, framesOf } from './framePace.ts';
import type { AnswerBytes } from './packet.ts';
import {
  type Accepted,
  type Answers,
  type ColumnsAnswer,
  type FromWorker,
  type Mode,
  never,
  type Question,
  type RunId,
  type ToWorker,
} from './protocol.ts';
import { Refused, refusable } from './refused.ts';

/** The longest time of work before messages are handled. */
const SLICE_MS = 12;
/** The largest instant the engine knows, 2^53 - 1 microseconds. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
/** Time that passed while the page was hidden or busy is not caught up beyond this. */
const MOST_LAG_MS = 100;

/** A seek shorter than this shows only its target. */
const QUIET_MS = { seeking: 25, back: 300 } as const;

/** The detail of frames before the page has set it. */
const DEFAULT_DETAIL: FrameQuery = { window_s: 30, queue: 12, batch: 64, cells: 168, moves: 64 };

/** The question for the documents in force. */
const DOCUMENTS = '{"documents":null}';

type Post = (message: FromWorker, transfer?: Transferable[]) => void;

/** The answer, with its bytes given away. */
function handedOut(answer: AnswerBytes, transfer: Transferable[]): AnswerBytes {
  for (const bytes of answer) transfer.push(bytes.buffer);
  return answer;
}

export class Runner {
  /** The run on screen. */
  private sim: SimCore | undefined;
  /** The trace that was read last, for new runs. */
  private trace: TraceCore | undefined;
  private id: RunId = { run: 0, edit: 0 };
  private mode: Mode = 'paused';
  private speed = 1;
  private seekUs = 0;
  private afterSeek: 'paused' | 'playing' = 'paused';
  /** The question behind the step or seek under way. */
  private asked: number | undefined;
  /** The instant to return to if the searched occasion does not come. */
  private backUs: number | undefined;
  /** Continues the step under way. */
  private stepping: (sim: SimCore) => Stop = (sim) => sim.advanceStep(SLICE_MS);
  /** No frame of a seek or step is made before this time. */
  private quietUntilMs = 0;
  /** The due instant of the clock, in simulated microseconds with fractions. */
  private dueUs = 0;
  private lastMs = 0;
  private ticking = false;
  private owed = false;
  private unacked = false;
  /** Whether a question is being answered: the page has the answer before the first frame after it. */
  private answering = false;
  /** The earliest time of the next frame of a running simulation. */
  private frameDueMs = 0;
  private detail = DEFAULT_DETAIL;
  private readonly pace = new AchievedPace();

  /** The latest frame of a playing run: its instant. */
  private shownUs: number | undefined;

  private core: Core;
  private readonly around: Surroundings;
  private readonly post: Post;

  constructor(core: Core, around: Surroundings, post: Post) {
    this.core = core;
    this.around = around;
    this.post = post;
  }

  /**
   * Goes on with another core. `sim` is the run on screen at the instant on screen, and takes its place: play goes on with the next
   * frame, and a run that rests is shown again.
   */
  handOver(core: Core, sim: SimCore | undefined): void {
    this.core = core;
    if (!sim) return;
    this.sim?.free();
    this.sim = sim;
    // The moves up to this instant were shown.
    sim.frame(this.detail);
    this.dueUs = sim.nowUs();
    this.lastMs = this.around.now();
    this.pace.begin();
    if (this.resting()) this.postFrame();
  }

  handle(message: Exclude<ToWorker, { kind: 'boot' | 'ahead' | 'ping' }>): void {
    switch (message.kind) {
      case 'play':
        this.play(message.speed);
        return;
      case 'pause':
        this.rest('paused');
        this.postFrame();
        return;
      case 'detail':
        this.detail = message.query;
        this.postFrame();
        return;
      case 'ack':
        this.unacked = false;
        if (this.owed) this.postFrame();
        return;
      case 'ask':
        this.answer(message.id, message.question);
        return;
      default:
        never(message);
    }
  }

  private answer(id: number, question: Question): void {
    try {
      if (question.kind === 'step') {
        if (question.back) this.stepBack(id, question.step);
        else this.step(id, question.step);
        return;
      }
      if (question.kind === 'run-to') {
        this.runTo(id, question.occasion);
        return;
      }
      if (question.kind === 'seek') {
        this.seek(question.untilUs, this.afterwards());
        this.asked = id;
        return;
      }
      const transfer: Transferable[] = [];
      this.answering = true;
      const value = this.ask(question, transfer);
      this.post({ kind: 'answer', id, value }, transfer);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.post({ kind: 'refused', id, diagnostics: error.diagnostics });
    } finally {
      this.answering = false;
    }
    if (this.owed) this.postFrame();
  }

  private ask(
    question: Exclude<Question, { kind: 'step' | 'run-to' | 'seek' }>,
    transfer: Transferable[],
  ): Answers[keyof Answers] {
    switch (question.kind) {
      case 'load':
        return this.load(question, transfer);
      case 'check':
        return this.core.check(question.text);
      case 'apply':
        return this.apply(question.edit, transfer);
      case 'present':
        return handedOut(this.running().ask(question.question), transfer);
      case 'close-up':
        return handedOut(this.running().closeUp(question.question), transfer);
      case 'columns':
        return this.columns(question, transfer);
      case 'fresh-seed':
        return this.core.freshSeed();
      case 'trace':
        // Existing runs keep the old one.
        this.trace?.free();
        this.trace = this.core.newTrace(question.packed);
        return null;
      default:
        return never(question);
    }
  }

  private load(question: Extract<Question, { kind: 'load' }>, transfer: Transferable[]): Answers['load'] {
    const { text, untilUs, thenPlay } = question;
    const diagnostics = this.core.check(text);
    const next = refusable(() => this.runOf(question));
    this.sim = next;
    this.id = question.id;
    this.rest('paused');
    if (untilUs > 0 || thenPlay) this.seek(untilUs, thenPlay ? 'playing' : 'paused');
    else this.postFrame();
    return this.accepted(next, diagnostics, transfer);
  }

  /** The run of a scenario; with `keeps`, the run on screen adopts it. Throws if it is refused, and the old run stays unchanged. */
  private runOf({ text, useTrace, keeps }: Extract<Question, { kind: 'load' }>): SimCore {
    const trace = useTrace ? this.trace : undefined;
    const { sim } = this;
    if (!keeps || !sim) {
      const next = this.core.newSim(text, trace);
      sim?.free();
      return next;
    }
    if (trace) sim.adoptWithTrace(text, trace);
    else sim.adopt(text);
    return sim;
  }

  private accepted(sim: SimCore, diagnostics: readonly Diagnostic[], transfer: Transferable[]): Accepted {
    const documents = handedOut(sim.ask(DOCUMENTS), transfer);
    return { id: this.id, diagnostics, nowUs: sim.nowUs(), scenario: sim.scenario(), documents };
  }

  private apply(edit: string, transfer: Transferable[]): Answers['apply'] {
    const sim = this.running();
    const left = sim.computedUs() > sim.nowUs() ? sim.figures() : undefined;
    const diagnostics = sim.apply(edit);
    if (diagnostics.some((d) => d.severity === 'error')) throw new Refused(diagnostics);
    this.id = { ...this.id, edit: this.id.edit + 1 };
    this.postFrame();
    return { ...this.accepted(sim, diagnostics, transfer), left };
  }

  /** Most steps end within a slice, so the first is run at once; the others follow in slices, with frames that show how far it is. */
  private step(id: number, kind: StepKind): void {
    const sim = this.running();
    sim.beginStep(kind);
    this.go(id, sim, () => sim.advanceStep(SLICE_MS));
  }

  private stepBack(id: number, kind: StepKind): void {
    const sim = this.running();
    sim.beginBack(kind);
    this.quietUntilMs = this.around.now() + QUIET_MS.back;
    this.go(id, sim, () => sim.advanceBack(SLICE_MS));
  }

  private runTo(id: number, occasion: Occasion): void {
    const sim = this.running();
    sim.beginTo(occasion);
    const fromUs = sim.nowUs();
    // If it comes soon, or the end is near without it, no progress is shown.
    this.quietUntilMs = this.around.now() + QUIET_MS.back;
    this.go(id, sim, () => sim.advanceTo(SLICE_MS), fromUs);
  }

  private go(id: number, sim: SimCore, on: (sim: SimCore) => Stop, backUs?: number): void {
    this.rest('paused');
    this.backUs = backUs;
    this.stepping = on;
    this.mode = 'stepping';
    this.asked = id;
    this.stepOn(sim);
    this.postFrame();
    if (this.asked !== undefined) this.wake();
  }

  private stepOn(sim: SimCore): Stop {
    const stop = this.stepping(sim);
    if (stop === 'events') return stop;
    if (stop === 'finished' && this.backUs !== undefined && this.backUs < sim.nowUs()) {
      this.endAsked(stop);
      this.seek(this.backUs, 'paused');
      return 'events';
    }
    this.rest('paused', stop);
    return stop;
  }

  /** Answers the question behind the step or seek under way: it has ended or was given up. */
  private endAsked(stop: Stop): void {
    const id = this.asked;
    this.asked = undefined;
    if (id !== undefined) this.post({ kind: 'answer', id, value: { stop, nowUs: this.sim?.nowUs() ?? 0 } });
  }

  private columns(asked: Extract<Question, { kind: 'columns' }>, transfer: Transferable[]): ColumnsAnswer[] {
    const { sim } = this;
    if (!sim) return [];
    const { window } = asked;
    return asked.views.map((view) => {
      const startMs = this.around.now();
      const { names, columns } = sim.columns({
        view,
        window_s: this.detail.window_s,
        ...(window && view !== 'health' && { from_us: window.fromUs, to_us: window.toUs }),
      });
      for (const column of columns) transfer.push(column.buffer);
      return { view, names, columns, tookMs: this.around.now() - startMs };
    });
  }

  private running(): SimCore {
    if (!this.sim)
      throw new Refused([{ severity: 'error', path: '', found: 'no run', allowed: 'a run', fix: 'load a scenario' }]);
    return this.sim;
  }

  private play(speed: number): void {
    this.speed = speed;
    if (!this.sim) return;
    if (this.mode === 'seeking') {
      this.afterSeek = 'playing';
      return;
    }
    if (this.mode !== 'playing') {
      this.endAsked('events');
      this.mode = 'playing';
      this.pace.begin();
    }
    this.dueUs = this.sim.nowUs();
    this.lastMs = this.around.now();
    this.wake();
  }

  private rest(mode: 'paused', step: Stop = 'events'): void {
    this.endAsked(step);
    this.mode = mode;
    this.pace.begin();
  }

  /** The state of the run once it has reached its target. */
  private afterwards(): 'paused' | 'playing' {
    if (this.mode === 'seeking') return this.afterSeek;
    return this.mode === 'playing' ? 'playing' : 'paused';
  }

  private seek(untilUs: number, then: 'paused' | 'playing'): void {
    this.endAsked('events');
    if (this.mode !== 'seeking') this.quietUntilMs = this.around.now() + QUIET_MS.seeking;
    this.mode = 'seeking';
    this.seekUs = Math.min(untilUs, END_OF_TIME);
    this.sim?.seek(this.seekUs);
    this.afterSeek = then;
    this.pace.begin();
    this.wake();
  }

  private wake(): void {
    if (this.ticking) return;
    this.ticking = true;
    this.around.soon(() => this.tick());
  }

  /** One slice of work, then back to the messages. */
  private tick(): void {
    this.ticking = false;
    const { sim } = this;
    if (!sim || this.mode === 'paused') return;
    const stop = this.mode === 'stepping' ? this.stepOn(sim) : this.slice(sim);
    if (stop === 'finished') this.rest('paused');
    else if (this.mode === 'seeking' && stop === 'until') this.arrive(sim);
    this.measure(sim);
    if (this.mode !== 'playing' || sim.nowUs() !== this.shownUs) this.postFrame();
    if (this.resting()) return;
    this.ticking = true;
    // Remaining work continues at once; a clock on time waits for the next 4 ms.
    if (stop === 'events') this.around.soon(() => this.tick());
    else this.around.later(() => this.tick(), 4);
  }

  private resting(): boolean {
    return this.mode === 'paused';
  }

  private target(nowMs: number): number {
    if (this.mode === 'seeking') return this.seekUs;
    if (this.speed === Number.POSITIVE_INFINITY) return END_OF_TIME;
    const passedMs = Math.min(nowMs - this.lastMs, MOST_LAG_MS);
    this.lastMs = nowMs;
    this.dueUs += passedMs * 1000 * this.speed;
    return Math.floor(this.dueUs);
  }

  private slice(sim: SimCore): Stop {
    const until = this.target(this.around.now());
    const stop = sim.advance(until, SLICE_MS);
    // A simulation that is too slow does not catch up later: its clock continues from where it is.
    if (stop === 'events' && this.mode === 'playing')
      this.dueUs = Math.min(this.dueUs, sim.nowUs() + this.speed * MOST_LAG_MS * 1000);
    return stop;
  }

  private arrive(sim: SimCore): void {
    if (this.afterSeek === 'paused') {
      this.rest('paused', 'until');
      return;
    }
    this.endAsked('until');
    this.mode = 'playing';
    this.dueUs = sim.nowUs();
    this.lastMs = this.around.now();
    this.pace.begin();
  }

  private measure(sim: SimCore): void {
    if (this.mode === 'playing') this.pace.note(this.around.now(), sim.nowUs());
  }

  private postFrame(): void {
    const startMs = this.around.now();
    const due = this.mode === 'playing' ? this.frameDueMs : Math.max(this.frameDueMs, this.quietUntilMs);
    if (this.unacked || this.answering || (!this.resting() && startMs < due)) {
      this.owed = true;
      return;
    }
    if (!this.sim) return;
    this.owed = false;
    this.unacked = true;
    this.shownUs = this.mode === 'playing' ? this.sim.nowUs() : undefined;
    const frame = this.sim.frame(this.detail);
    const endMs = this.around.now();
    const { share, apartMs } = framesOf(this.mode, this.speed);
    this.frameDueMs = Math.max(startMs + apartMs, endMs + (share - 1) * (endMs - startMs));
    this.post(
      { kind: 'frame', id: this.id, frame, mode: this.mode, achieved: this.mode === 'playing' ? this.pace.speed() : 0 },
      [frame.buffer],
    );
  }
}
