// The declarations of the WebAssembly module, from its Rust source: scripts/build-wasm
declare module '*/pkg/tokenyard.js' {
  /* tslint:disable */
  /* eslint-disable */

  type Diagnostic = import('./boundary.ts').Diagnostic;
  type ColumnsQuery = import('./boundary.ts').ColumnsQuery;
  type EventRows = import('./boundary.ts').EventRows;
  type EventsQuery = import('./boundary.ts').EventsQuery;
  type FrameQuery = import('./boundary.ts').FrameQuery;
  type PresetInfo = import('./boundary.ts').PresetInfo;
  type RequestDetail = import('./boundary.ts').RequestDetail;
  type StepKind = import('./boundary.ts').StepKind;
  type Stop = import('./boundary.ts').Stop;
  type TraceOutcome = import('./boundary.ts').TraceOutcome;
  type Json = null | boolean | number | string | Json[] | JsonObject;
  type JsonObject = { [key: string]: Json };
  type ColumnSet = { names: string[], columns: Float64Array<ArrayBuffer>[] };



  /**
   * A run in progress.
   */
  export class Sim {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * Runs towards the end of the step begun last, but for no more than about `max_ms` milliseconds: `until`
       * (it has happened), `events` (not yet) or `finished` (it never will).
       */
      advanceStep(max_ms: number): Stop;
      /**
       * Runs up to and including an instant, but for no more than about `max_ms` milliseconds: `until`, `events` (the time was
       * up) or `finished`.
       */
      advance(until_us: number, max_ms: number): Stop;
      /**
       * Applies an edit, JSON text, at the playhead; with errors nothing has changed.
       */
      apply(edit: string): Diagnostic[];
      /**
       * The shape of the model that a Hugging Face config.json describes; throws a list of diagnostics.
       */
      static architectureFromHf(text: string): JsonObject;
      /**
       * Begins a single step of a kind.
       */
      beginStep(kind: StepKind): void;
      /**
       * All problems of a scenario text; never throws.
       */
      static check(text: string): Diagnostic[];
      /**
       * The columns of a view, copied out of the module's memory: they can be given away.
       */
      columns(asked: ColumnsQuery): ColumnSet;
      /**
       * Digest of the report.
       */
      digest(): string;
      /**
       * Lines of the event log.
       */
      eventRows(asked: EventsQuery): EventRows;
      /**
       * Events run so far.
       */
      events(): number;
      /**
       * What the playhead shows, as JSON of a `Frame`.
       *
       * Measured in Node 20, for 4 and 8 replicas: JSON takes 0.15 and 0.23 ms here and 0.05 and 0.10 ms to parse on the page.
       * `serde_wasm_bindgen` takes 0.16 and 0.34 ms, and the clone that takes the object to the page 0.10 and 0.20 ms.
       */
      frame(asked: FrameQuery): string;
      /**
       * One request in full; `null` if it has not arrived.
       */
      inspect(request: number): RequestDetail | null;
      /**
       * Loads a scenario; throws a list of diagnostics.
       */
      constructor(text: string);
      /**
       * The playhead in microseconds.
       */
      nowUs(): number;
      /**
       * The built-in scenarios.
       */
      static presets(): PresetInfo[];
      /**
       * The report: the bytes that the command line prints.
       */
      report(): string;
      /**
       * The scenario with all edits made so far, as JSON text.
       */
      scenario(): string;
      /**
       * The request that a place on a chart or a distribution stands for: of those that got their first token between two instants,
       * or else finished then, the slowest that took no longer than `at_most_us`.
       */
      slowest(ttft: boolean, from_us: number, to_us: number, at_most_us: number): number | undefined;
      /**
       * Loads a scenario for a run that nobody watches: no event log and no latest window; throws a list of diagnostics.
       */
      static unwatched(text: string): Sim;
      /**
       * Version of this program.
       */
      static version(): string;
      /**
       * The same on a trace, which stays the caller's.
       */
      static withTrace(text: string, trace: Trace): Sim;
  }

  /**
   * A recorded trace, read piece by piece.
   */
  export class Trace {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * Ends the file.
       */
      finish(): TraceOutcome;
      /**
       * A reader for a file of this name.
       */
      constructor(file_name: string);
      /**
       * Takes the next piece of the file.
       */
      push(bytes: Uint8Array | number[]): void;
  }

  /**
   * A fresh seed as text, as all seeds are on the page. It is below 2^32: short enough to be read out.
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
      readonly __wbg_trace_free: (a: number, b: number) => void;
      readonly freshSeed: () => [number, number, number, number];
      readonly sim_advance: (a: number, b: number, c: number) => [number, number];
      readonly sim_advanceStep: (a: number, b: number) => [number, number];
      readonly sim_apply: (a: number, b: number, c: number) => any;
      readonly sim_architectureFromHf: (a: number, b: number) => [number, number, number];
      readonly sim_beginStep: (a: number, b: any) => [number, number];
      readonly sim_check: (a: number, b: number) => any;
      readonly sim_columns: (a: number, b: any) => [number, number, number];
      readonly sim_digest: (a: number) => [number, number];
      readonly sim_eventRows: (a: number, b: any) => [number, number, number];
      readonly sim_events: (a: number) => number;
      readonly sim_frame: (a: number, b: any) => [number, number, number, number];
      readonly sim_inspect: (a: number, b: number) => any;
      readonly sim_new: (a: number, b: number) => [number, number, number];
      readonly sim_nowUs: (a: number) => number;
      readonly sim_presets: () => any;
      readonly sim_report: (a: number) => [number, number];
      readonly sim_scenario: (a: number) => [number, number];
      readonly sim_slowest: (a: number, b: number, c: number, d: number, e: number) => number;
      readonly sim_unwatched: (a: number, b: number) => [number, number, number];
      readonly sim_version: () => [number, number];
      readonly sim_withTrace: (a: number, b: number, c: number) => [number, number, number];
      readonly start: () => void;
      readonly trace_finish: (a: number) => any;
      readonly trace_new: (a: number, b: number) => number;
      readonly trace_push: (a: number, b: number, c: number) => void;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
      readonly __wbindgen_exn_store: (a: number) => void;
      readonly __externref_table_alloc: () => number;
      readonly __wbindgen_externrefs: WebAssembly.Table;
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
