// The WebAssembly module as the runner sees it. Tests put a small stand-in behind the same interface.

export interface SimCore {
  /** Runs to an instant, for about so many milliseconds at most. */
  advance(untilUs: number, maxMs: number): string;
  beginStep(kind: string): void;
  /** Runs towards the end of the step begun last, for about so many milliseconds at most. */
  advanceStep(maxMs: number): string;
  apply(editJson: string): string;
  nowUs(): number;
  events(): number;
  frame(queryJson: string): string;
  eventRows(queryJson: string): string;
  inspect(request: number): string;
  columns(queryJson: string): string;
  /** The values of a column, copied out of the module's memory. */
  column(index: number): Float64Array<ArrayBuffer>;
  report(): string;
  digest(): string;
  scenario(): string;
  free(): void;
}

export interface TraceCore {
  push(bytes: Uint8Array): void;
  finish(): string;
  free(): void;
}

export interface Core {
  check(text: string): string;
  /** Throws an Error whose message is the JSON of its diagnostics. */
  architectureFromHf(text: string): string;
  presets(): string;
  version(): string;
  newTrace(fileName: string): TraceCore;
  newSim(text: string, trace: TraceCore | undefined): SimCore;
}

/** What the runner needs from its surroundings. */
export type Surroundings = {
  readonly now: () => number;
  /** Calls back after messages that wait have been handled. */
  readonly soon: (callback: () => void) => void;
  /** Calls back after some milliseconds. */
  readonly later: (callback: () => void, ms: number) => void;
};
