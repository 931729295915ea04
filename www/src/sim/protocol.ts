// The messages between the page and the simulation worker. Every message is plain data; columns travel as transfers.
import type { Diagnostic, FrameQuery, Occasion, RunFigures, StepKind, Stop, View } from '../generated/boundary.ts';
import type { AnswerBytes } from './packet.ts';

/** The instant of the run after a command, and its document. */
export type RunState = { readonly nowUs: number; readonly scenario: string };

/**
 * The run that a frame or an answer belongs to. The page numbers its documents; the same document run again keeps its
 * number, since it gives the same run. `edit` counts the changes to that document during the run.
 */
export type RunId = { readonly run: number; readonly edit: number };

export function sameRun(a: RunId, b: RunId): boolean {
  return a.run === b.run && a.edit === b.edit;
}

/** Whether `a` was superseded by `b`: its document or an edit of it. */
export function precedes(a: RunId, b: RunId): boolean {
  return a.run < b.run || (a.run === b.run && a.edit < b.edit);
}

/** An accepted run; `documents`: the answer to the question of that name; `left`: the figures of the old run after an edit in the past. */
export type Accepted = RunState & {
  readonly id: RunId;
  readonly diagnostics: readonly Diagnostic[];
  readonly documents: AnswerBytes;
  readonly left?: RunFigures | undefined;
};

/** How a seek or step ended, and its instant. */
export type Stopped = { readonly stop: Stop; readonly nowUs: number };

export type ColumnsAnswer = {
  readonly view: View;
  readonly names: readonly string[];
  readonly columns: readonly Float64Array[];
  /** The time to make them. */
  readonly tookMs: number;
};

/** Questions: each gets one answer of the type that `Answers` gives it. */
export type Question =
  /**
   * Makes a run of a scenario, on the trace read last if `useTrace`, and runs it to `untilUs`; the old run stays if it
   * is refused. With `keeps`, computed parts of runs with the same beginning stay too.
   */
  | {
      readonly kind: 'load';
      readonly keeps: boolean;
      readonly id: RunId;
      readonly text: string;
      readonly useTrace: boolean;
      readonly untilUs: number;
      readonly thenPlay: boolean;
    }
  | { readonly kind: 'check'; readonly text: string }
  | { readonly kind: 'apply'; readonly edit: string }
  /**
   * Runs as fast as possible to the next event of a kind. Answered when it has happened, or when another command ends
   * the search.
   */
  | { readonly kind: 'step'; readonly step: StepKind; readonly back: boolean }
  /** Runs as fast as possible to the next time of an occasion. Answered as a step is. */
  | { readonly kind: 'run-to'; readonly occasion: Occasion }
  /**
   * Goes to an instant, then continues as before. Answered when it is reached, or when another command ends the seek.
   */
  | { readonly kind: 'seek'; readonly untilUs: number }
  /** Columns of views; those over time only between two instants, if these are given, but the health of the whole run. */
  | {
      readonly kind: 'columns';
      readonly views: readonly View[];
      readonly window?: { readonly fromUs: number; readonly toUs: number };
    }
  /** A question about the run at the playhead: a `RunQuestion` as JSON text. */
  | { readonly kind: 'present'; readonly question: string }
  /** A `CloseUp` as JSON text, or a list of them. */
  | { readonly kind: 'close-up'; readonly question: string }
  /** A fresh random seed as text, because JavaScript's numbers do not hold all seeds. */
  | { readonly kind: 'fresh-seed' }
  /** Takes a trace that the thread of links has read. */
  | { readonly kind: 'trace'; readonly packed: Uint8Array<ArrayBuffer> };

export type Answers = {
  load: Accepted;
  check: readonly Diagnostic[];
  apply: Accepted;
  /** `until`: it has happened. `events`: another command came before it was found. `finished`: it does not happen. */
  step: Stopped;
  'run-to': Stopped;
  seek: Stopped;
  columns: readonly ColumnsAnswer[];
  present: AnswerBytes;
  'close-up': AnswerBytes;
  'fresh-seed': string;
  trace: null;
};

/** From the page to the worker. */
export type ToWorker =
  /** The first message: with a module the worker instantiates that, without one it compiles the module itself. */
  | {
      readonly kind: 'boot';
      readonly module: WebAssembly.Module | undefined;
      /** Whether runs are made without display: without event log and latest window. */
      readonly batch: boolean;
      /** A lock that the worker holds as long as it lives, if the browser allows it. */
      readonly life: string;
    }
  /** Before that: the page opens with the scenario whose recording is at an address. */
  | { readonly kind: 'ahead'; readonly url: string }
  | { readonly kind: 'play'; readonly speed: number }
  | { readonly kind: 'pause' }
  /** How much detail frames have. */
  | { readonly kind: 'detail'; readonly query: FrameQuery }
  /** The latest frame was drawn; the next may come. */
  | { readonly kind: 'ack' }
  /** A thread that does not hang answers it at once. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question };

/** `seeking`: on the way to an instant; `stepping`: on the way to the next event of a kind. */
export type Mode = 'paused' | 'playing' | 'seeking' | 'stepping';

/** From the worker to the page. */
export type FromWorker =
  /** How much of the module has come, and of how many bytes. */
  | { readonly kind: 'loading'; readonly bytes: number; readonly of: number }
  /** The recorded opening is there: messages are taken from now on. */
  | { readonly kind: 'recorded' }
  /** Whether the page waits for the module: the recorded opening is over, or has not what was asked for. */
  | { readonly kind: 'waits'; readonly waits: boolean }
  | {
      readonly kind: 'ready';
      /** The compiled module, for other threads. */
      readonly module: WebAssembly.Module;
      readonly version: string;
    }
  /** The thread holds its lock. The browser releases it when the thread ends; the page waits for that. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'pong' }
  | {
      readonly kind: 'frame';
      readonly id: RunId;
      /** JSON of a `Frame`: parsing text is cheaper than a structured clone of the object. */
      readonly frame: Uint8Array;
      readonly mode: Mode;
      /** Simulated seconds per wall second over the latest second, 0 while paused. */
      readonly achieved: number;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly value: Answers[keyof Answers] }
  | { readonly kind: 'refused'; readonly id: number; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'crash'; readonly message: string };

/** For the end of a switch over a union: fails to compile when a case is missing. */
export function never(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
