// The WebAssembly module as the runner sees it. Tests put a small stand-in behind the same interface; the compiler checks in
// worker.ts and quick.ts that the modules, whose declarations are generated, are such.
import type {
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
  /** Runs to an instant, for about so many milliseconds at most. */
  advance(untilUs: number, maxMs: number): Stop;
  beginStep(kind: StepKind): void;
  /** Runs towards the end of the step begun last, for about so many milliseconds at most. */
  advanceStep(maxMs: number): Stop;
  /** Begins the way to the next time of an occasion. */
  beginTo(occasion: Occasion): void;
  advanceTo(maxMs: number): Stop;
  /** What a list of runs says of this one, as far as it was computed. */
  figures(): RunFigures;
  computedUs(): number;
  /** Goes to the nearest checkpoint before an instant, or stays if that is nearer: `advance` leads there. */
  seek(untilUs: number): void;
  beginBack(kind: StepKind): void;
  /** Goes on with the step back begun last, for about so many milliseconds at most. */
  advanceBack(maxMs: number): Stop;
  /** Goes on with another scenario at its beginning; what was computed of runs that begin alike stays. Throws a list of diagnostics. */
  adopt(text: string): void;
  adoptWithTrace(text: string, trace: TraceCore): void;
  /** How many checkpoints, and about how many bytes they take. */
  checkpoints(): [number, number];
  apply(editJson: string): Diagnostic[];
  nowUs(): number;
  events(): number;
  /** JSON of a `Frame`. */
  frame(query: FrameQuery): Uint8Array;
  eventRows(query: EventsQuery): EventRows;
  scalingRows(query: ScalingQuery): ScalingRows;
  inspect(request: number): RequestDetail | null;
  /** The slowest request told between two instants that took no longer than so much: by TTFT, or else by E2E. */
  slowest(ttft: boolean, fromUs: number, toUs: number, atMostUs: number): number | undefined;
  columns(query: ColumnsQuery): ColumnSet;
  evidence(): Evidence;
  report(): string;
  /** What became of each request up to the playhead, for the module of comparisons. */
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
  /** A seed that nobody has drawn before. */
  freshSeed(): string;
  newTrace(packed: Uint8Array): TraceCore;
  /** Throws a list of diagnostics. */
  newSim(text: string, trace: TraceCore | undefined): SimCore;
}

/** What a module of the simulation exports. */
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

/** What the runner needs from its surroundings. */
export type Surroundings = {
  readonly now: () => number;
  /** Calls back after messages that wait have been handled. */
  readonly soon: (callback: () => void) => void;
  /** Calls back after some milliseconds. */
  readonly later: (callback: () => void, ms: number) => void;
};
