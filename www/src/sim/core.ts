// The WebAssembly module as the runner sees it. Tests use a small stand-in with the same interface. In engine.ts the
// compiler checks that the module, whose declarations are generated, implements it.
import type {
  ColumnsQuery,
  Diagnostic,
  FrameQuery,
  Occasion,
  RunFigures,
  StepKind,
  Stop,
} from '../generated/boundary.ts';
import type { AnswerBytes } from './packet.ts';

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
  apply(editJson: string): Diagnostic[];
  nowUs(): number;
  events(): number;
  /** JSON of a `Frame`. */
  frame(query: FrameQuery): Uint8Array;
  /** The answer to a `RunQuestion`, JSON text. */
  ask(question: string): AnswerBytes;
  /** The answer to a `CloseUp`, JSON text, or to a list of them. */
  closeUp(question: string): AnswerBytes;
  columns(query: ColumnsQuery): ColumnSet;
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

/** The exports of the module for the simulation. */
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
