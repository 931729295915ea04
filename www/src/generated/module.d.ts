// The declarations of the WebAssembly module, from its Rust source: scripts/build-wasm
declare module '*/pkg/tokenyard.js' {
  /* tslint:disable */
  /* eslint-disable */

  type Diagnostic = import('./boundary.ts').Diagnostic;
  type ColumnsQuery = import('./boundary.ts').ColumnsQuery;
  type FrameQuery = import('./boundary.ts').FrameQuery;
  type Occasion = import('./boundary.ts').Occasion;
  type RunFigures = import('./boundary.ts').RunFigures;
  type StepKind = import('./boundary.ts').StepKind;
  type Stop = import('./boundary.ts').Stop;
  type ColumnSet = { names: string[], columns: Float64Array<ArrayBuffer>[] };



  /**
   * A run in progress, and its checkpoints.
   */
  export class Sim {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * Loads a scenario on a trace, which stays the caller's.
       */
      adoptWithTrace(text: string, trace: Trace): void;
      /**
       * Loads another scenario, at its beginning; computed parts of runs that begin alike stay. Throws a list of
       * diagnostics; then nothing has changed.
       */
      adopt(text: string): void;
      /**
       * Continues the step back, for at most about `max_ms` milliseconds: `until` (there), `events` (not yet) or
       * `finished` (there was nothing of the kind: at the beginning).
       */
      advanceBack(max_ms: number): Stop;
      /**
       * Runs towards the end of the last step, for at most about `max_ms` milliseconds: `until` (it has happened),
       * `events` (not yet) or `finished` (it never will).
       */
      advanceStep(max_ms: number): Stop;
      /**
       * Runs towards the occasion, as `advanceStep` does.
       */
      advanceTo(max_ms: number): Stop;
      /**
       * Runs up to and including an instant, for at most about `max_ms` milliseconds: `until`, `events` (the time was
       * up) or `finished`.
       */
      advance(until_us: number, max_ms: number): Stop;
      /**
       * Applies an edit, JSON text, at the playhead; with errors nothing has changed.
       */
      apply(edit: string): Diagnostic[];
      /**
       * The answer to a question about the run at the playhead: a `RunQuestion` as JSON text. Answers are bytes of JSON text, then those that
       * this names, which pass between threads without a copy.
       */
      ask(question: string): Uint8Array<ArrayBuffer>[];
      /**
       * Begins a step back of a kind.
       */
      beginBack(kind: StepKind): void;
      /**
       * Begins a single step of a kind.
       */
      beginStep(kind: StepKind): void;
      /**
       * Begins a run to the next occurrence of an occasion.
       */
      beginTo(occasion: Occasion): void;
      /**
       * All problems of a scenario text; never throws.
       */
      static check(text: string): Diagnostic[];
      /**
       * As `ask`, for a `CloseUp`: single steps, blocks and requests.
       */
      closeUp(question: string): Uint8Array<ArrayBuffer>[];
      /**
       * The columns of a view, as a copy that can be transferred.
       */
      columns(asked: ColumnsQuery): ColumnSet;
      /**
       * The instant up to which the run was computed, in microseconds.
       */
      computedUs(): number;
      /**
       * Events run so far.
       */
      events(): number;
      /**
       * The entry of this run in a list of runs, as far as it was computed.
       */
      figures(): RunFigures;
      /**
       * The state at the playhead, as the bytes of the JSON of a `Frame`, which pass between threads without a copy.
       *
       * Measured in Node 20, for 4 and 8 replicas: JSON takes 0.15 and 0.23 ms here and 0.05 and 0.10 ms to parse on the page.
       * `serde_wasm_bindgen` takes 0.16 and 0.34 ms, and the clone that takes the object to the page 0.10 and 0.20 ms.
       */
      frame(asked: FrameQuery): Uint8Array;
      /**
       * Loads a scenario; throws a list of diagnostics.
       */
      constructor(text: string);
      /**
       * The playhead in microseconds.
       */
      nowUs(): number;
      /**
       * The scenario with all edits made so far, as JSON text.
       */
      scenario(): string;
      /**
       * Goes to the nearest checkpoint before an instant, or stays if the playhead is nearer; `advance` runs the rest.
       */
      seek(until_us: number): void;
      /**
       * Loads a scenario for a run without watchers: no event log and no latest window; throws a list of diagnostics.
       */
      static unwatched(text: string): Sim;
      /**
       * Version of this program.
       */
      static version(): string;
      /**
       * Loads a scenario on a trace, which stays the caller's.
       */
      static withTrace(text: string, trace: Trace): Sim;
  }

  /**
   * Answers the questions of one thread.
   */
  export class TheoryDesk {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
       * list of diagnostics if it is refused.
       */
      ask(question: string, named: Uint8Array[]): Uint8Array<ArrayBuffer>[];
      /**
       * A desk that was asked nothing yet.
       */
      constructor();
  }

  /**
   * A recorded trace, as the module of links read it.
   */
  export class Trace {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The trace from the bytes of `TraceFile.packed`.
       */
      constructor(packed: Uint8Array | number[]);
  }

  /**
   * Answers the questions of one thread.
   */
  export class WhatIfDesk {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
       * list of diagnostics if it is refused.
       */
      ask(question: string, named: Uint8Array[]): Uint8Array<ArrayBuffer>[];
      /**
       * A desk that was asked nothing yet.
       */
      constructor();
  }

  /**
   * A fresh seed as text, like all seeds on the page. It is below 2^32, short enough to be read aloud.
   */
  export function freshSeed(): string;

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_sim_free: (a: number, b: number) => void;
      readonly __wbg_theorydesk_free: (a: number, b: number) => void;
      readonly __wbg_trace_free: (a: number, b: number) => void;
      readonly __wbg_whatifdesk_free: (a: number, b: number) => void;
      readonly freshSeed: () => [number, number, number, number];
      readonly sim_adopt: (a: number, b: number, c: number) => [number, number];
      readonly sim_adoptWithTrace: (a: number, b: number, c: number, d: number) => [number, number];
      readonly sim_advance: (a: number, b: number, c: number) => [number, number];
      readonly sim_advanceBack: (a: number, b: number) => [number, number];
      readonly sim_advanceStep: (a: number, b: number) => [number, number];
      readonly sim_advanceTo: (a: number, b: number) => [number, number];
      readonly sim_apply: (a: number, b: number, c: number) => any;
      readonly sim_ask: (a: number, b: number, c: number) => [number, number, number, number];
      readonly sim_beginBack: (a: number, b: any) => [number, number];
      readonly sim_beginStep: (a: number, b: any) => [number, number];
      readonly sim_beginTo: (a: number, b: any) => [number, number];
      readonly sim_check: (a: number, b: number) => any;
      readonly sim_closeUp: (a: number, b: number, c: number) => [number, number, number, number];
      readonly sim_columns: (a: number, b: any) => [number, number, number];
      readonly sim_computedUs: (a: number) => number;
      readonly sim_events: (a: number) => number;
      readonly sim_figures: (a: number) => any;
      readonly sim_frame: (a: number, b: any) => [number, number, number, number];
      readonly sim_new: (a: number, b: number) => [number, number, number];
      readonly sim_nowUs: (a: number) => number;
      readonly sim_scenario: (a: number) => [number, number];
      readonly sim_seek: (a: number, b: number) => void;
      readonly sim_unwatched: (a: number, b: number) => [number, number, number];
      readonly sim_version: () => [number, number];
      readonly sim_withTrace: (a: number, b: number, c: number) => [number, number, number];
      readonly start: () => void;
      readonly theorydesk_ask: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
      readonly theorydesk_new: () => number;
      readonly trace_new: (a: number, b: number) => [number, number, number];
      readonly whatifdesk_ask: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
      readonly whatifdesk_new: () => number;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
      readonly __wbindgen_exn_store: (a: number) => void;
      readonly __externref_table_alloc: () => number;
      readonly __wbindgen_externrefs: WebAssembly.Table;
      readonly __externref_table_dealloc: (a: number) => void;
      readonly __externref_drop_slice: (a: number, b: number) => void;
      readonly __wbindgen_start: () => void;
  }

  export type SyncInitInput = BufferSource | WebAssembly.Module;

  /**
   * Instantiates the given `module`, which can either be bytes or
   * a precompiled `WebAssembly.Module`.
   *
   * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
   *
   * @returns {InitOutput}
   */
  export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

  /**
   * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
   * for everything else, calls `WebAssembly.instantiate` directly.
   *
   * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
   *
   * @returns {Promise<InitOutput>}
   */
  export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
}
declare module '*/pkg/compare.js' {
  /* tslint:disable */
  /* eslint-disable */

  /**
   * Answers the questions of one thread.
   */
  export class ComparisonDesk {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
       * list of diagnostics if it is refused.
       */
      ask(question: string, named: Uint8Array[]): Uint8Array<ArrayBuffer>[];
      /**
       * A desk that was asked nothing yet.
       */
      constructor();
  }

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_comparisondesk_free: (a: number, b: number) => void;
      readonly comparisondesk_ask: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
      readonly comparisondesk_new: () => number;
      readonly start: () => void;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
      readonly __wbindgen_externrefs: WebAssembly.Table;
      readonly __externref_table_alloc: () => number;
      readonly __externref_drop_slice: (a: number, b: number) => void;
      readonly __externref_table_dealloc: (a: number) => void;
      readonly __wbindgen_start: () => void;
  }

  export type SyncInitInput = BufferSource | WebAssembly.Module;

  /**
   * Instantiates the given `module`, which can either be bytes or
   * a precompiled `WebAssembly.Module`.
   *
   * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
   *
   * @returns {InitOutput}
   */
  export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

  /**
   * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
   * for everything else, calls `WebAssembly.instantiate` directly.
   *
   * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
   *
   * @returns {Promise<InitOutput>}
   */
  export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
}
declare module '*/pkg/links.js' {
  /* tslint:disable */
  /* eslint-disable */

  /**
   * Answers the questions of one thread.
   */
  export class LinkDesk {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
       * list of diagnostics if it is refused.
       */
      ask(question: string, named: Uint8Array[]): Uint8Array<ArrayBuffer>[];
      /**
       * A desk that was asked nothing yet.
       */
      constructor();
  }

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_linkdesk_free: (a: number, b: number) => void;
      readonly linkdesk_ask: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
      readonly linkdesk_new: () => number;
      readonly start: () => void;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
      readonly __wbindgen_externrefs: WebAssembly.Table;
      readonly __externref_table_alloc: () => number;
      readonly __externref_drop_slice: (a: number, b: number) => void;
      readonly __externref_table_dealloc: (a: number) => void;
      readonly __wbindgen_start: () => void;
  }

  export type SyncInitInput = BufferSource | WebAssembly.Module;

  /**
   * Instantiates the given `module`, which can either be bytes or
   * a precompiled `WebAssembly.Module`.
   *
   * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
   *
   * @returns {InitOutput}
   */
  export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

  /**
   * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
   * for everything else, calls `WebAssembly.instantiate` directly.
   *
   * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
   *
   * @returns {Promise<InitOutput>}
   */
  export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
}
declare module '*/pkg/measured.js' {
  /* tslint:disable */
  /* eslint-disable */

  /**
   * Answers the questions of one thread.
   */
  export class MeasuredDesk {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
       * list of diagnostics if it is refused.
       */
      ask(question: string, named: Uint8Array[]): Uint8Array<ArrayBuffer>[];
      /**
       * A desk that was asked nothing yet.
       */
      constructor();
  }

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_measureddesk_free: (a: number, b: number) => void;
      readonly measureddesk_ask: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
      readonly measureddesk_new: () => number;
      readonly start: () => void;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
      readonly __wbindgen_externrefs: WebAssembly.Table;
      readonly __externref_table_alloc: () => number;
      readonly __externref_drop_slice: (a: number, b: number) => void;
      readonly __externref_table_dealloc: (a: number) => void;
      readonly __wbindgen_start: () => void;
  }

  export type SyncInitInput = BufferSource | WebAssembly.Module;

  /**
   * Instantiates the given `module`, which can either be bytes or
   * a precompiled `WebAssembly.Module`.
   *
   * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
   *
   * @returns {InitOutput}
   */
  export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

  /**
   * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
   * for everything else, calls `WebAssembly.instantiate` directly.
   *
   * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
   *
   * @returns {Promise<InitOutput>}
   */
  export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
}
declare module '*/pkg/exchange.js' {
  /* tslint:disable */
  /* eslint-disable */

  /**
   * Answers the questions of one thread.
   */
  export class ExchangeDesk {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
       * list of diagnostics if it is refused.
       */
      ask(question: string, named: Uint8Array[]): Uint8Array<ArrayBuffer>[];
      /**
       * A desk that was asked nothing yet.
       */
      constructor();
  }

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_exchangedesk_free: (a: number, b: number) => void;
      readonly exchangedesk_ask: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
      readonly exchangedesk_new: () => number;
      readonly start: () => void;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
      readonly __wbindgen_externrefs: WebAssembly.Table;
      readonly __externref_table_alloc: () => number;
      readonly __externref_drop_slice: (a: number, b: number) => void;
      readonly __externref_table_dealloc: (a: number) => void;
      readonly __wbindgen_start: () => void;
  }

  export type SyncInitInput = BufferSource | WebAssembly.Module;

  /**
   * Instantiates the given `module`, which can either be bytes or
   * a precompiled `WebAssembly.Module`.
   *
   * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
   *
   * @returns {InitOutput}
   */
  export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

  /**
   * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
   * for everything else, calls `WebAssembly.instantiate` directly.
   *
   * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
   *
   * @returns {Promise<InitOutput>}
   */
  export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
}
