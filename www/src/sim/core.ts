// The WebAssembly module as the runner sees it. Tests use a small stand-in with the same interface. In worker.ts and
// quick.ts the compiler checks that the modules, whose declarations are generated, implement it.
import type {
  CloseUp,
  ColumnsQuery,
  Diagnostic,
  EventRows,
  EventsQuery,
  Evidence,
  FrameQuery,
  Occasion,
  RequestDetail,
  RunFigures,
  ScalingQuery,
  ScalingRows,
  StepKind,
  Stop,
} from '../generated/boundary.ts';

/** Columns of equal length, copied out of the module's memory. */
export type ColumnSet = { names: string[]; columns: Float64Array<ArrayBuffer>[] };

export interface SimCore {
  /** Runs to an instant, for at most about `maxMs` milliseconds. */
  advance(untilUs: number, maxMs: number): Stop;
  beginStep(kind: StepKind): void;
  /** Runs towards the end of the step begun last, for at most about `maxMs` milliseconds. */
  advanceStep(maxMs: number): Stop;
  /** Begins the search for the next time of an occasion. */
  beginTo(occasion: Occasion): void;
  advanceTo(maxMs: number): Stop;
  /** The figures of this run for a list of runs, as far as computed. */
  figures(): RunFigures;
  computedUs(): number;
  /**
   * Goes to the nearest checkpoint before an instant, or stays if that is nearer; `advance` then runs to the instant.
   */
  seek(untilUs: number): void;
  beginBack(kind: StepKind): void;
  /** Continues the step back begun last, for at most about `maxMs` milliseconds. */
  advanceBack(maxMs: number): Stop;
  /**
   * Switches to another scenario at its beginning and keeps what was computed of runs with the same beginning. Throws a
   * list of diagnostics.
   */
  adopt(text: string): void;
  adoptWithTrace(text: string, trace: TraceCore): void;
  /** The number of checkpoints, and roughly their bytes. */
  checkpoints(): [number, number];
  apply(editJson: string): Diagnostic[];
  nowUs(): number;
  events(): number;
  /** JSON of a `Frame`. */
  frame(query: FrameQuery): Uint8Array;
  eventRows(query: EventsQuery): EventRows;
  inspect(request: number): RequestDetail | null;
  /** The slowest request reported between two instants and no slower than a limit: by TTFT, or else by E2E. */
  slowest(ttft: boolean, fromUs: number, toUs: number, atMostUs: number): number | undefined;
  /** Bytes of the JSON of the answer. The first module does not have it. */
  closeUp?(asked: CloseUp): Uint8Array;
  /** The decisions of autoscalers. The first module does not have them. */
  scalingRows?(query: ScalingQuery): ScalingRows;
  columns(query: ColumnsQuery): ColumnSet;
  evidence(): Evidence;
  report(): string;
  /** The outcome of each request up to the playhead, for the module of comparisons. */
  outcomes(): Uint8Array;
  digest(report: string): string;
  scenario(): string;
  free(): void;
}

export interface TraceCore {
  free(): void;
}

export interface Core {
  check(text: string): Diagnostic[];
  version(): string;
  /** A fresh random seed. */
  freshSeed(): string;
  newTrace(packed: Uint8Array): TraceCore;
  /** Throws a list of diagnostics. */
  newSim(text: string, trace: TraceCore | undefined): SimCore;
}

/** The exports of a module of the simulation. */
type SimModule<T extends TraceCore> = {
  freshSeed(): string;
  readonly Trace: new (packed: Uint8Array) => T;
  readonly Sim: {
    new (text: string): SimCore;
    withTrace(text: string, trace: T): SimCore;
    check(text: string): Diagnostic[];
    version(): string;
  };
};

export function coreOf<T extends TraceCore>({ freshSeed, Sim, Trace }: SimModule<T>): Core {
  return {
    check: (text) => Sim.check(text),
    version: () => Sim.version(),
    freshSeed,
    newTrace: (packed) => new Trace(packed),
    newSim: (text, trace) => (trace instanceof Trace ? Sim.withTrace(text, trace) : new Sim(text)),
  };
}

/** The runner's interface to its environment. */
export type Surroundings = {
  readonly now: () => number;
  /** Calls back after waiting messages have been handled. */
  readonly soon: (callback: () => void) => void;
  /** Calls back after some milliseconds. */
  readonly later: (callback: () => void, ms: number) => void;
};
