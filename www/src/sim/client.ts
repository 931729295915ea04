// The page's side of the worker: questions become promises, and a dead worker is replaced.
//
// The client keeps the inputs of the run (scenario with its edits, trace file, playhead), which are enough to rebuild
// the same run.

import { readFrame } from '../base/frameBytes.ts';
import { trust } from '../base/trust.ts';
import type {
  CloseUp,
  CloseUpAnswers,
  Diagnostic,
  Frame,
  FrameQuery,
  Occasion,
  RunAnswers,
  RunQuestion,
  StepKind,
  TraceOutcome,
} from '../generated/boundary.ts';
import { compiledModule, shareCompiled } from './compiled.ts';
import { answerOf, askedText, type QueryOf } from './packet.ts';
import {
  type Answers,
  type FromWorker,
  type Mode,
  never,
  precedes,
  type Question,
  type RunId,
  type ToWorker,
} from './protocol.ts';
import type { WorkerLike } from './spawn.ts';
import { createWatchdog } from './watchdog.ts';

/** The input was refused; the present run continues. */
export class RefusedError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((d) => `${d.path}: ${d.found}`).join('; ') || 'refused');
    this.diagnostics = diagnostics;
  }
}

/** The worker died before it answered. */
export class LostError extends Error {}

/**
 * Ignores errors of questions without an answer because the worker was replaced or has no run; throws every other
 * error.
 */
export function ignoreLost(error: unknown): void {
  if (!(error instanceof LostError || error instanceof RefusedError)) throw error;
}

export type Ready = { readonly version: string };

/** A crash, and what the page can offer the user. */
export type Crash = {
  readonly message: string;
  /** The instant up to which the run was rebuilt, without its last question, if that was possible. */
  readonly againUs: number | undefined;
  /** The scenario with its edits, as it was. */
  readonly scenario: string;
  readonly nowUs: number;
};

export type Listener = {
  /** A frame of the latest accepted run; frames of an earlier run still on their way are not shown. */
  readonly onFrame: (frame: Frame, id: RunId, mode: Mode, achieved: number) => void;
  readonly onCrash: (crash: Crash) => void;
  /** How much of the module has come, and of how many bytes, while it is loaded. */
  readonly onLoading?: (bytes: number, of: number) => void;
  /** Whether a run on screen waits for the module. */
  readonly onWaits?: (waits: boolean) => void;
};

type Pending = {
  /** The kind of the question. */
  readonly work: string;
  readonly resolve: (value: Answers[keyof Answers]) => void;
  readonly reject: (reason: Error) => void;
  /** How many seconds the thread may be silent before it answers. */
  readonly mostSilent: number;
};

/** Messages about the thread itself. */
type Told = 'loading' | 'recorded' | 'waits' | 'ready' | 'alive' | 'pong' | 'crash';

/** Work is done in slices far shorter than this, in seconds. */
const MOST_SILENT = 5;
/** For work done in one piece, which may cover a million requests. */
const MOST_SILENT_WHOLE = 30;
const WHOLE: ReadonlySet<string> = new Set(['load', 'trace', 'report', 'outcomes']);

/** After this many crashes in a row, without progress between them, the run is not rebuilt. */
const MOST_CRASHES = 2;

/** Threads started so far. */
let lives = 0;

export class Client {
  private worker: WorkerLike | undefined;
  /** Whether a worker of this client was ever ready. */
  private wasReady = false;
  private readonly pending = new Map<number, Pending>();
  private nextId = 0;
  private scenario = '';
  private id: RunId = { run: 0, edit: 0 };
  private nowUs = 0;
  private detail: FrameQuery | undefined;
  private traceFile: File | undefined;
  private usesTrace = false;
  private crashes = 0;
  private frameQueued: Extract<FromWorker, { kind: 'frame' }> | undefined;
  /** Whether the run is playing. */
  private moves = false;
  private again: Promise<void> | undefined;
  private readonly watchdog = createWatchdog({
    ping: () => this.worker?.postMessage({ kind: 'ping' }),
    works: () => this.moves || this.pending.size > 0,
    mostSilent: () => Math.max(MOST_SILENT, ...[...this.pending.values()].map((p) => p.mostSilent)),
    hung: (seconds) => this.died(`it did not answer for ${seconds} s and was ended`, () => {}),
  });

  private readonly spawn: () => WorkerLike;
  private readonly listener: Listener;
  private readonly nextPaint: (callback: () => void) => void;
  private readonly batch: boolean;
  /** Whether the worker accepts messages; earlier ones would be lost. */
  private ready = false;
  /** Questions that were asked before the first worker was ready. */
  private early: (() => void)[] = [];

  /** With `batch`, for runs without display. */
  constructor(
    spawn: () => WorkerLike,
    listener: Listener,
    nextPaint: (callback: () => void) => void,
    { batch = false } = {},
  ) {
    this.spawn = spawn;
    this.listener = listener;
    this.nextPaint = nextPaint;
    this.batch = batch;
  }

  /** Starts the worker; resolves when its module is compiled. */
  start(): Promise<Ready> {
    const worker = this.spawn();
    const life = `simulation-${++lives}-${Date.now()}`;
    this.worker = worker;
    this.ready = false;
    return new Promise((resolve, reject) => {
      const failed = (told: string | undefined): void => {
        if (this.worker !== worker) return;
        const why = this.ready ? 'its thread has failed' : 'its script could not be loaded or run';
        this.died(told || why, reject);
      };
      worker.onerror = (event) => failed(event.message);
      if (worker.failed) {
        failed(undefined);
        return;
      }
      worker.onmessage = ({ data }) => {
        if (this.worker !== worker) return;
        this.watchdog.hears();
        if (data.kind === 'ready') {
          this.wasReady = true;
          shareCompiled(data.module);
          this.takes(worker);
          resolve({ version: data.version });
        } else if (data.kind === 'recorded') {
          this.takes(worker);
        } else if (data.kind === 'waits') {
          this.listener.onWaits?.(data.waits);
        } else if (data.kind === 'loading') {
          this.listener.onLoading?.(data.bytes, data.of);
        } else if (data.kind === 'alive') {
          this.watch(worker, life, reject);
        } else if (data.kind === 'crash') {
          this.died(data.message, reject);
        } else if (data.kind !== 'pong') {
          this.received(data);
        }
      };
      worker.postMessage({ kind: 'boot', module: compiledModule(), batch: this.batch, life });
    });
  }

  /** The worker accepts messages from now on. */
  private takes(worker: WorkerLike): void {
    if (this.ready) return;
    this.ready = true;
    if (this.detail) worker.postMessage({ kind: 'detail', query: this.detail });
    for (const ask of this.early.splice(0)) ask();
  }

  /** A thread that the browser ends for lack of memory sends no message; the release of its lock shows it. */
  private watch(worker: WorkerLike, life: string, starting: (reason: Error) => void): void {
    if (typeof navigator === 'undefined' || !navigator.locks) return;
    navigator.locks
      .request(life, () => {
        if (this.worker === worker) this.died('its thread was ended', starting);
      })
      .catch(() => {});
  }

  /** Whether a run was asked for that is not there yet. */
  isAwaited(): boolean {
    return [...this.pending.values()].some(({ work }) => work === 'load');
  }

  /** Makes a run of `text` and runs it to `untilUs`. */
  async load(
    text: string,
    options: { id: RunId; useTrace: boolean; untilUs: number; thenPlay: boolean; keeps: boolean },
  ): Promise<Answers['load']> {
    const accepted = await this.request({ kind: 'load', text, ...options });
    this.scenario = accepted.scenario;
    this.id = accepted.id;
    this.usesTrace = options.useTrace;
    return accepted;
  }

  check(text: string): Promise<Answers['check']> {
    return this.request({ kind: 'check', text });
  }

  async apply(edit: string): Promise<Answers['apply']> {
    const accepted = await this.request({ kind: 'apply', edit });
    this.scenario = accepted.scenario;
    this.id = accepted.id;
    return accepted;
  }

  step(step: StepKind, back = false): Promise<Answers['step']> {
    return this.request({ kind: 'step', step, back });
  }

  /** Runs to the next time of an occasion; resolves as a step does. */
  runTo(occasion: Occasion): Promise<Answers['run-to']> {
    return this.request({ kind: 'run-to', occasion });
  }

  /** Goes to an instant; resolves when it is reached, or when another command ends the seek. */
  seek(untilUs: number): Promise<Answers['seek']> {
    return this.request({ kind: 'seek', untilUs });
  }

  columns(
    views: Extract<Question, { kind: 'columns' }>['views'],
    window?: Extract<Question, { kind: 'columns' }>['window'],
  ): Promise<Answers['columns']> {
    return this.request({ kind: 'columns', views, ...(window && { window }) });
  }

  /** The answer to a question about the run at the playhead. */
  async ask<K extends keyof RunAnswers>(kind: K, query: QueryOf<RunQuestion, K>): Promise<RunAnswers[K]> {
    const { question } = askedText({ [kind]: query });
    return answerOf<RunAnswers[K]>(await this.request({ kind: 'present', question }, [], kind));
  }

  /** The answer to a question of a close-up. */
  closeUp<K extends keyof CloseUpAnswers>(kind: K, query: QueryOf<CloseUp, K>): Promise<CloseUpAnswers[K]> {
    return this.ofCloseUp<CloseUpAnswers[K]>({ [kind]: query });
  }

  /** The answers to several such questions at one instant, in their order. */
  closeUps(questions: readonly CloseUp[]): Promise<readonly CloseUpAnswers[keyof CloseUpAnswers][]> {
    return this.ofCloseUp(questions);
  }

  private async ofCloseUp<A>(asked: unknown): Promise<A> {
    const { question } = askedText(asked);
    return answerOf<A>(await this.request({ kind: 'close-up', question }));
  }

  freshSeed(): Promise<string> {
    return this.request({ kind: 'fresh-seed' });
  }

  /** Resolves when an ended thread was replaced, or could not be. */
  async settled(): Promise<void> {
    await this.again;
  }

  /** Ends the worker; open questions are not answered. */
  end(): void {
    this.watchdog.end();
    this.worker?.terminate();
    this.worker = undefined;
    this.early = [];
    for (const { reject } of this.pending.values()) reject(new LostError('ended'));
    this.pending.clear();
  }

  play(speed: number): void {
    this.moves = true;
    this.send({ kind: 'play', speed });
  }

  pause(): void {
    this.send({ kind: 'pause' });
  }

  setDetail(query: FrameQuery): void {
    this.detail = query;
    this.send({ kind: 'detail', query });
  }

  /** Reads a trace file, which later runs may replay. */
  async readTrace(file: File, progress: (bytes: number) => void): Promise<TraceOutcome> {
    const { readTraceFile } = await import('./traceFile.ts');
    const { outcome, packed } = await readTraceFile(file, progress);
    if (outcome.ok) {
      await this.request({ kind: 'trace', packed }, [packed.buffer]);
      this.traceFile = file;
    }
    return outcome;
  }

  /** `work` names what may take long in one piece. */
  private request<K extends Question['kind']>(
    question: Extract<Question, { kind: K }>,
    transfer: Transferable[] = [],
    work: string = question.kind,
  ): Promise<Answers[K]> {
    const id = this.nextId++;
    return new Promise<Answers[keyof Answers]>((resolve, reject) => {
      this.pending.set(id, { work, resolve, reject, mostSilent: WHOLE.has(work) ? MOST_SILENT_WHOLE : MOST_SILENT });
      const ask = (): void => {
        if (!this.send({ kind: 'ask', id, question }, transfer))
          this.settle(id)?.reject(new LostError('no simulation is running'));
      };
      if (this.worker && !this.wasReady && !this.ready) this.early.push(ask);
      else ask();
    }).then((value) => trust<Answers[K]>(value)); // The table of answers gives the type for each question.
  }

  private send(message: ToWorker, transfer: Transferable[] = []): boolean {
    if (!this.worker || !this.ready) return false;
    this.worker.postMessage(message, transfer);
    this.watchdog.watch();
    return true;
  }

  private settle(id: number): Pending | undefined {
    const found = this.pending.get(id);
    this.pending.delete(id);
    return found;
  }

  private received(message: Exclude<FromWorker, { kind: Told }>): void {
    switch (message.kind) {
      case 'frame':
        this.moves = message.mode !== 'paused';
        this.queueFrame(message);
        return;
      case 'answer':
        this.settle(message.id)?.resolve(message.value);
        return;
      case 'refused':
        this.settle(message.id)?.reject(new RefusedError(message.diagnostics));
        return;
      default:
        never(message);
    }
  }

  /** Frames are shown at the next paint, and only then is the next one requested. */
  private queueFrame(message: Extract<FromWorker, { kind: 'frame' }>): void {
    const waits = this.frameQueued !== undefined;
    this.frameQueued = message;
    if (waits) return;
    const worker = this.worker;
    this.nextPaint(() => {
      // Frames of the replacement thread wait for a paint of their own.
      if (this.worker !== worker) return;
      const latest = this.frameQueued;
      this.frameQueued = undefined;
      if (!latest) return;
      if (precedes(latest.id, this.id)) {
        this.send({ kind: 'ack' });
        return;
      }
      const frame = readFrame<Frame>(latest.frame);
      if (frame.now_us > this.nowUs) this.crashes = 0;
      this.nowUs = frame.now_us;
      this.send({ kind: 'ack' });
      this.listener.onFrame(frame, latest.id, latest.mode, latest.achieved);
    });
  }

  /** The worker is gone: start another from the compiled module and rebuild the run, up to the last frame shown. */
  private died(message: string, starting: (reason: Error) => void): void {
    this.watchdog.end();
    this.worker?.terminate();
    this.worker = undefined;
    this.frameQueued = undefined;
    this.moves = false;
    this.early = [];
    this.listener.onWaits?.(false);
    for (const { reject } of this.pending.values()) reject(new LostError(message));
    this.pending.clear();
    starting(new LostError(message));
    this.crashes += 1;
    const { scenario, nowUs } = this;
    const tell = (againUs: number | undefined): void => this.listener.onCrash({ message, againUs, scenario, nowUs });
    if (this.batch || !this.wasReady || this.crashes > MOST_CRASHES) {
      tell(undefined);
      return;
    }
    // A run that crashed twice on the way to the same instant is rebuilt at its start only.
    const untilUs = this.crashes < MOST_CRASHES ? nowUs : 0;
    this.again = this.rebuild(untilUs).then(
      () => tell(scenario === '' ? undefined : untilUs),
      () => tell(undefined),
    );
  }

  private async rebuild(untilUs: number): Promise<void> {
    this.nowUs = 0;
    await this.start();
    // The first scenario was not accepted yet; another one may be.
    if (this.scenario === '') return;
    if (this.usesTrace && this.traceFile) await this.readTrace(this.traceFile, () => {});
    await this.load(this.scenario, { id: this.id, useTrace: this.usesTrace, untilUs, thenPlay: false, keeps: false });
  }
}
