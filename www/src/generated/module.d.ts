// The declarations of the WebAssembly module, from its Rust source: scripts/build-wasm
declare module '*/pkg/tokenyard.js' {
  /* tslint:disable */
  /* eslint-disable */

  type Diagnostic = import('./boundary.ts').Diagnostic;
  type ColumnsQuery = import('./boundary.ts').ColumnsQuery;
  type Evidence = import('./boundary.ts').Evidence;
  type EventRows = import('./boundary.ts').EventRows;
  type EventsQuery = import('./boundary.ts').EventsQuery;
  type FrameQuery = import('./boundary.ts').FrameQuery;
  type Occasion = import('./boundary.ts').Occasion;
  type RequestDetail = import('./boundary.ts').RequestDetail;
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
       * Number of checkpoints, and about how many bytes they take besides the run itself.
       */
      checkpoints(): [number, number];
      /**
       * The columns of a view, as a copy that can be transferred.
       */
      columns(asked: ColumnsQuery): ColumnSet;
      /**
       * The instant up to which the run was computed, in microseconds.
       */
      computedUs(): number;
      /**
       * Digest of a report that `report` gave.
       */
      digest(report: string): string;
      /**
       * Lines of the event log.
       */
      eventRows(asked: EventsQuery): EventRows;
      /**
       * Events run so far.
       */
      events(): number;
      /**
       * The evidence behind the numbers, at the playhead.
       */
      evidence(): Evidence;
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
       * The outcome of each request up to the playhead, in the form that the module of comparisons reads: a copy that
       * can be transferred.
       */
      outcomes(): Uint8Array;
      /**
       * The report: the bytes that the command line prints.
       */
      report(): string;
      /**
       * The scenario with all edits made so far, as JSON text.
       */
      scenario(): string;
      /**
       * Goes to the nearest checkpoint before an instant, or stays if the playhead is nearer; `advance` runs the rest.
       */
      seek(until_us: number): void;
      /**
       * The request at a point of a chart or a distribution: of the requests with their first token (or else their end)
       * between two instants, the slowest that took at most `at_most_us`.
       */
      slowest(ttft: boolean, from_us: number, to_us: number, at_most_us: number): number | undefined;
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
      readonly __wbg_trace_free: (a: number, b: number) => void;
      readonly freshSeed: () => [number, number, number, number];
      readonly sim_adopt: (a: number, b: number, c: number) => [number, number];
      readonly sim_adoptWithTrace: (a: number, b: number, c: number, d: number) => [number, number];
      readonly sim_advance: (a: number, b: number, c: number) => [number, number];
      readonly sim_advanceBack: (a: number, b: number) => [number, number];
      readonly sim_advanceStep: (a: number, b: number) => [number, number];
      readonly sim_advanceTo: (a: number, b: number) => [number, number];
      readonly sim_apply: (a: number, b: number, c: number) => any;
      readonly sim_beginBack: (a: number, b: any) => [number, number];
      readonly sim_beginStep: (a: number, b: any) => [number, number];
      readonly sim_beginTo: (a: number, b: any) => [number, number];
      readonly sim_check: (a: number, b: number) => any;
      readonly sim_checkpoints: (a: number) => any;
      readonly sim_columns: (a: number, b: any) => [number, number, number];
      readonly sim_computedUs: (a: number) => number;
      readonly sim_digest: (a: number, b: number, c: number) => [number, number];
      readonly sim_eventRows: (a: number, b: any) => [number, number, number];
      readonly sim_events: (a: number) => number;
      readonly sim_evidence: (a: number) => any;
      readonly sim_figures: (a: number) => any;
      readonly sim_frame: (a: number, b: any) => [number, number, number, number];
      readonly sim_inspect: (a: number, b: number) => any;
      readonly sim_new: (a: number, b: number) => [number, number, number];
      readonly sim_nowUs: (a: number) => number;
      readonly sim_outcomes: (a: number) => [number, number];
      readonly sim_report: (a: number) => [number, number];
      readonly sim_scenario: (a: number) => [number, number];
      readonly sim_seek: (a: number, b: number) => void;
      readonly sim_slowest: (a: number, b: number, c: number, d: number, e: number) => number;
      readonly sim_unwatched: (a: number, b: number) => [number, number, number];
      readonly sim_version: () => [number, number];
      readonly sim_withTrace: (a: number, b: number, c: number) => [number, number, number];
      readonly start: () => void;
      readonly trace_new: (a: number, b: number) => [number, number, number];
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
declare module '*/pkg/compare.js' {
  /* tslint:disable */
  /* eslint-disable */

  type Capacity = import('./boundary.ts').Capacity;
  type CaseText = import('./boundary.ts').CaseText;
  type RaceEntry = import('./boundary.ts').RaceEntry;
  type RaceRanking = import('./boundary.ts').RaceRanking;
  type RatioCase = import('./boundary.ts').RatioCase;
  type RatioResult = import('./boundary.ts').RatioResult;
  type RankBy = import('./boundary.ts').RankBy;
  type RunPolicies = import('./boundary.ts').RunPolicies;
  type RunComparison = import('./boundary.ts').RunComparison;
  type RequestCloud = import('./boundary.ts').RequestCloud;
  type RunRow = import('./boundary.ts').RunRow;
  type StudyFile = import('./boundary.ts').StudyFile;
  type StudyRead = import('./boundary.ts').StudyRead;
  type SweepElsewhere = import('./boundary.ts').SweepElsewhere;
  type SweepRow = import('./boundary.ts').SweepRow;
  type SweepSummary = import('./boundary.ts').SweepSummary;



  type LessonRead = import('./boundary.ts').LessonRead;
  type LessonCase = import('./boundary.ts').LessonCase;
  type CaseFigures = import('./boundary.ts').CaseFigures;
  type StepVerdict = import('./boundary.ts').StepVerdict;
  type Guess = import('./boundary.ts').Guess;



  /**
   * The search for the capacity of a scenario, seed by seed: it names the next run, and takes its result.
   */
  export class CapacityStudy {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * A search with a number of seeds for the load at which a share of the requests (above 0 up to 1) meets the
       * objectives; throws a list of diagnostics.
       */
      constructor(scenario: string, seeds: number, share: number);
      /**
       * The scenario that runs next for a seed, as JSON text; `undefined` once its search has ended.
       */
      next(seed: number): string | undefined;
      /**
       * Records that the last requested run cannot be made. Returns whether a lower load is known to hold.
       */
      refused(seed: number): boolean;
      /**
       * The result of the searches.
       */
      result(): Capacity;
      /**
       * Takes the outcomes of the last requested run, as bytes of `Sim.outcomes`; throws a list of diagnostics.
       */
      saw(seed: number, outcomes: Uint8Array | number[]): void;
  }

  /**
   * Runs of two scenarios, seed by seed.
   */
  export class Comparison {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * Adds the oracles' outcomes for the seed of the two runs that are added next; throws a list of diagnostics.
       */
      addBounds(a: Uint8Array | number[], b: Uint8Array | number[], bound_a: Uint8Array | number[], bound_b: Uint8Array | number[]): void;
      /**
       * Adds two runs with the same seed, as bytes of `Sim.outcomes`; throws a list of diagnostics.
       */
      add(a: Uint8Array | number[], b: Uint8Array | number[]): void;
      /**
       * The requests of the first pair as points, by TTFT; `null` unless requests are paired.
       */
      cloud(): RequestCloud | null;
      /**
       * A comparison without runs.
       */
      constructor();
      /**
       * The result of the comparison; `null` before the first pair.
       */
      result(): RunComparison | null;
      /**
       * The scenarios of A and B, with the edits that they have when the pairs are added; throws a list of diagnostics.
       */
      setScenarios(a: string, b: string): void;
  }

  /**
   * A lesson that was opened.
   */
  export class OpenLesson {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The runs of a step; throws a list of diagnostics.
       */
      cases(step: number): LessonCase[];
      /**
       * What the runs that have ended show, and what became of the reader's guess; throws a list of diagnostics.
       */
      judge(step: number, ended: CaseFigures[], guess: Guess | undefined): StepVerdict;
      /**
       * Reads a lesson, JSON text; throws a list of diagnostics.
       */
      constructor(text: string);
      /**
       * What the page shows of it.
       */
      read(): LessonRead;
  }

  /**
   * The search for the best ratio of prefill to decode replicas: a search for the capacity with each ratio and seed.
   */
  export class RatioStudy {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The ratios in the order of their rows.
       */
      cases(): RatioCase[];
      /**
       * The searches with a number of seeds for the load at which a share of the requests (above 0 up to 1) meets the
       * objectives, for all ratios or those given, such as `2:6` and `mixed`; throws a list of diagnostics.
       */
      constructor(scenario: string, seeds: number, share: number, ratios: string[]);
      /**
       * The scenario that runs next for a row and a seed, as JSON text; `undefined` once its search has ended.
       */
      next(row: number, seed: number): string | undefined;
      /**
       * Records that the last requested run cannot be made. Returns whether a lower load is known to hold.
       */
      refused(row: number, seed: number): boolean;
      /**
       * The result of the searches so far.
       */
      result(): RatioResult;
      /**
       * Takes the outcomes of the last requested run, as bytes of `Sim.outcomes`; throws a list of diagnostics.
       */
      saw(row: number, seed: number, outcomes: Uint8Array | number[]): void;
  }

  /**
   * The scenario, JSON text, of an entrant: with settings, JSON text by path, from an instant on, and without edits of
   * the same fields from then on; throws a list of diagnostics.
   */
  export function entrantOf(scenario: string, set: string, from_us: number): string;

  /**
   * The scenario of the oracle, as JSON text; `undefined` if no pool has an autoscaler. Throws a list of diagnostics.
   */
  export function oracleOf(scenario: string): string | undefined;

  /**
   * The current order of a race of a number of seeds.
   */
  export function rankRace(entries: RaceEntry[], bound: RunRow[], by: RankBy, seeds: number): RaceRanking;

  /**
   * Reads the file of a study; throws a list of diagnostics.
   */
  export function readStudy(text: string): StudyRead;

  /**
   * The policies that a run has at a path, one after the other; throws a list of diagnostics.
   */
  export function runPolicies(scenario: string, path: string): RunPolicies;

  /**
   * The figures of a run, from the bytes of `Sim.outcomes`; throws a list of diagnostics.
   */
  export function runRow(outcomes: Uint8Array | number[]): RunRow;

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  /**
   * The runs of a study as CSV.
   */
  export function studyCsv(study: StudyFile): string;

  /**
   * The cases of a sweep, from arguments of `--vary`; throws a list of diagnostics.
   */
  export function sweepCases(scenario: string, varied: string[], seeds: number): CaseText[];

  /**
   * About how long a sweep takes on the page, where one run took `case_ms` milliseconds if some have ended, and its command for another
   * machine; throws a list of diagnostics.
   */
  export function sweepElsewhere(scenario: string, varied: string[], seeds: number, workers: number, case_ms?: number | null): SweepElsewhere;

  /**
   * The summary of the rows of a sweep.
   */
  export function sweepSummary(paths: string[], rows: SweepRow[]): SweepSummary;

  /**
   * A scenario with a ratio of prefill to decode replicas such as `2:6`, or `mixed`, at equal GPUs, as JSON text; throws
   * a list of diagnostics.
   */
  export function withRatio(scenario: string, ratio: string): string;

  /**
   * The file of a study, as text.
   */
  export function writeStudy(study: StudyFile): string;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_capacitystudy_free: (a: number, b: number) => void;
      readonly __wbg_comparison_free: (a: number, b: number) => void;
      readonly __wbg_openlesson_free: (a: number, b: number) => void;
      readonly __wbg_ratiostudy_free: (a: number, b: number) => void;
      readonly capacitystudy_new: (a: number, b: number, c: number, d: number) => [number, number, number];
      readonly capacitystudy_next: (a: number, b: number) => [number, number];
      readonly capacitystudy_refused: (a: number, b: number) => number;
      readonly capacitystudy_result: (a: number) => any;
      readonly capacitystudy_saw: (a: number, b: number, c: number, d: number) => [number, number];
      readonly comparison_add: (a: number, b: number, c: number, d: number, e: number) => [number, number];
      readonly comparison_addBounds: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number) => [number, number];
      readonly comparison_cloud: (a: number) => any;
      readonly comparison_new: () => number;
      readonly comparison_result: (a: number) => any;
      readonly comparison_setScenarios: (a: number, b: number, c: number, d: number, e: number) => [number, number];
      readonly openlesson_cases: (a: number, b: number) => [number, number, number];
      readonly openlesson_judge: (a: number, b: number, c: any, d: any) => [number, number, number];
      readonly openlesson_new: (a: number, b: number) => [number, number, number];
      readonly openlesson_read: (a: number) => any;
      readonly oracleOf: (a: number, b: number) => [number, number, number, number];
      readonly rankRace: (a: any, b: any, c: any, d: number) => [number, number, number];
      readonly ratiostudy_cases: (a: number) => any;
      readonly ratiostudy_new: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
      readonly ratiostudy_next: (a: number, b: number, c: number) => [number, number];
      readonly ratiostudy_refused: (a: number, b: number, c: number) => number;
      readonly ratiostudy_result: (a: number) => any;
      readonly ratiostudy_saw: (a: number, b: number, c: number, d: number, e: number) => [number, number];
      readonly readStudy: (a: number, b: number) => [number, number, number];
      readonly runRow: (a: number, b: number) => [number, number, number];
      readonly start: () => void;
      readonly studyCsv: (a: any) => [number, number, number, number];
      readonly sweepCases: (a: number, b: number, c: number, d: number, e: number) => [number, number, number];
      readonly sweepElsewhere: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => [number, number, number];
      readonly sweepSummary: (a: number, b: number, c: any) => [number, number, number];
      readonly withRatio: (a: number, b: number, c: number, d: number) => [number, number, number, number];
      readonly writeStudy: (a: any) => [number, number, number, number];
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
declare module '*/pkg/links.js' {
  /* tslint:disable */
  /* eslint-disable */

  type DescribedModel = import('./boundary.ts').DescribedModel;
  type Diagnostic = import('./boundary.ts').Diagnostic;
  type MadeLink = import('./boundary.ts').MadeLink;
  type LinkAsked = import('./boundary.ts').LinkAsked;
  type TraceMark = import('./boundary.ts').TraceMark;
  type TraceFigures = import('./boundary.ts').TraceFigures;
  type TraceInspection = import('./boundary.ts').TraceInspection;
  type TraceOutcome = import('./boundary.ts').TraceOutcome;
  type OpenedLink = import('./boundary.ts').OpenedLink;
  type ExpressionReading = import('./boundary.ts').ExpressionReading;
  type SplitAsked = import('./boundary.ts').SplitAsked;



  /**
   * A file of a recorded trace, read piece by piece.
   */
  export class TraceFile {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * Ends the file.
       */
      finish(): TraceOutcome;
      /**
       * What the trace is like, after its end; `null` if the file was refused.
       */
      inspectTrace(): TraceInspection | null;
      /**
       * Names columns of the file, before its first piece, as in `arrival:ms=t,prompt=in,output=out`; throws a list of
       * diagnostics.
       */
      nameColumns(columns: string): void;
      /**
       * A reader for a file of this name.
       */
      constructor(file_name: string);
      /**
       * The trace in the form that the page's module takes; `undefined` if the file was refused.
       */
      packed(): Uint8Array;
      /**
       * Takes the next piece of the file.
       */
      push(bytes: Uint8Array | number[]): void;
  }

  /**
   * The rows of a trace that was read, for figures of what would run.
   */
  export class TraceRows {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The figures of what a run with this seed replays under the settings of `workload.trace`, JSON text; `null` if no
       * row is left.
       */
      figures(settings: string, seed: number): TraceFigures | null;
      /**
       * The rows from bytes of `TraceFile.packed`; throws if they are damaged.
       */
      constructor(packed: Uint8Array | number[]);
  }

  /**
   * The shape of the model that a Hugging Face config.json describes; throws a list of diagnostics.
   */
  export function architectureFromHf(text: string): DescribedModel;

  /**
   * The digest of a report's main figures, which links carry; `null` for a text that is no report.
   */
  export function figuresDigest(report: string): string | null;

  /**
   * A report with the link of what ran.
   */
  export function linkedReport(report: string, link: string): string;

  /**
   * The link of a scenario, JSON text, and of a second one where `asked` names a second run; `null` if it would be too
   * long for a link. Throws a list of diagnostics.
   */
  export function makeLink(scenario: string, asked: LinkAsked, beside?: string | null): MadeLink | null;

  /**
   * The contents of a link, as far as they can be read and run.
   */
  export function openLink(text: string): OpenedLink;

  /**
   * The problems of an expression, and the completions of the word at the caret.
   */
  export function readExpression(text: string, caret: number): ExpressionReading;

  /**
   * The problem if a trace of `rows` rows and this digest is not the one that a link names; `null` if it is.
   */
  export function refusesTrace(mark: TraceMark, rows: number, digest: string): Diagnostic | null;

  /**
   * A report under the title and the note of a scenario, JSON text, from one of the same run that was made under others;
   * `null` if it is of another scenario.
   */
  export function renamedReport(report: string, scenario: string, title: string, note: string): { json: string, digest: string } | null;

  /**
   * A scorer of a weighted router, with settings as JSON text, as an expression; `null` if there is none for it.
   */
  export function scorerAsExpression(weighted: string, index: number): string | null;

  /**
   * The edit, JSON text, that a change of roles needs in a scenario, JSON text; throws a list of diagnostics.
   */
  export function splitChange(scenario: string, asked: SplitAsked): string;

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_tracefile_free: (a: number, b: number) => void;
      readonly __wbg_tracerows_free: (a: number, b: number) => void;
      readonly architectureFromHf: (a: number, b: number) => [number, number, number];
      readonly figuresDigest: (a: number, b: number) => any;
      readonly linkedReport: (a: number, b: number, c: number, d: number) => [number, number];
      readonly makeLink: (a: number, b: number, c: any, d: number, e: number) => [number, number, number];
      readonly openLink: (a: number, b: number) => any;
      readonly readExpression: (a: number, b: number, c: number) => any;
      readonly refusesTrace: (a: any, b: number, c: number, d: number) => [number, number, number];
      readonly renamedReport: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => any;
      readonly scorerAsExpression: (a: number, b: number, c: number) => any;
      readonly splitChange: (a: number, b: number, c: any) => [number, number, number, number];
      readonly start: () => void;
      readonly tracefile_finish: (a: number) => any;
      readonly tracefile_inspectTrace: (a: number) => any;
      readonly tracefile_nameColumns: (a: number, b: number, c: number) => [number, number];
      readonly tracefile_new: (a: number, b: number) => number;
      readonly tracefile_packed: (a: number) => [number, number];
      readonly tracefile_push: (a: number, b: number, c: number) => void;
      readonly tracerows_figures: (a: number, b: number, c: number, d: number) => [number, number, number];
      readonly tracerows_new: (a: number, b: number) => [number, number, number];
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
declare module '*/pkg/measured.js' {
  /* tslint:disable */
  /* eslint-disable */

  type Band = import('./boundary.ts').Band;
  type Benchmark = import('./boundary.ts').Benchmark;
  type Comparison = import('./boundary.ts').Comparison;
  type OneRun = import('./boundary.ts').OneRun;



  /**
   * The rows of one table, a trace or a page, from a run of their own: the bytes that the command line writes.
   */
  export class Rows {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The address that a page gives for the run.
       */
      link(address: string): void;
      /**
       * The rows of a table by its name, as `csv` or `jsonl`, the trace `perfetto` as `json`, or the `page` as `html`;
       * throws a list of diagnostics.
       */
      constructor(scenario: string, table: string, format: string);
      /**
       * Runs at most a number of events and returns the bytes written; `undefined` once all were returned.
       */
      next(events: number): Uint8Array | undefined;
      /**
       * What a trace holds, if it has no room for all of the run; at its end.
       */
      note(): string | undefined;
      /**
       * The playhead of the run, in microseconds.
       */
      nowUs(): number;
      /**
       * The part of the run that a trace holds, in microseconds; all of it by default.
       */
      span(from_us: number, to_us: number): void;
      /**
       * Begins the run; throws a list of diagnostics.
       */
      start(): void;
      /**
       * Takes the next piece of the trace that the scenario replays.
       */
      trace(bytes: Uint8Array | number[]): void;
  }

  /**
   * The scenario with the coefficients that a run of a file fixes, with the load that the user gives; throws a list of
   * diagnostics.
   */
  export function calibrateBenchmark(text: string, run: number, scenario: string, load: string, file: string): OneRun;

  /**
   * Compares a run of a file with the same traffic on a scenario's cluster; `load` is the load that the user gives, as
   * JSON text. Throws a list of diagnostics.
   */
  export function compareBenchmark(text: string, run: number, scenario: string, load: string): Comparison;

  /**
   * The runs in what a benchmark tool or a server wrote; throws a list of diagnostics.
   */
  export function readBenchmark(text: string): Benchmark[];

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  /**
   * The bands of TTFT and TPOT from the intervals of built-in coefficients; throws a list of diagnostics.
   */
  export function uncertaintyBands(scenario: string): Band[];

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_rows_free: (a: number, b: number) => void;
      readonly calibrateBenchmark: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number) => [number, number, number];
      readonly compareBenchmark: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number, number];
      readonly readBenchmark: (a: number, b: number) => [number, number, number];
      readonly rows_link: (a: number, b: number, c: number) => void;
      readonly rows_new: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
      readonly rows_next: (a: number, b: number) => [number, number];
      readonly rows_note: (a: number) => [number, number];
      readonly rows_nowUs: (a: number) => number;
      readonly rows_span: (a: number, b: number, c: number) => void;
      readonly rows_start: (a: number) => [number, number];
      readonly rows_trace: (a: number, b: number, c: number) => void;
      readonly start: () => void;
      readonly uncertaintyBands: (a: number, b: number) => [number, number, number];
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
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
declare module '*/pkg/exchange.js' {
  /* tslint:disable */
  /* eslint-disable */

  type Exported = import('./boundary.ts').Exported;
  type Imported = import('./boundary.ts').Imported;



  /**
   * The policies of a scenario, JSON text, as the configuration of a system by its name, beside a file of the user if
   * there is one; throws a list of diagnostics.
   */
  export function exportConfiguration(scenario: string, system: string, beside?: string | null): Exported;

  /**
   * Imports texts into a scenario, and into a new one. `texts` is the JSON text of a list of `{name, text}`, `settled`
   * that of a list of `{field, choice}`, `asked` that of a `TrafficAsked`; `scenario` is JSON text.
   */
  export function importTexts(texts: string, scenario: string, settled: string, asked: string): Imported;

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly exportConfiguration: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
      readonly importTexts: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => [number, number, number];
      readonly start: () => void;
      readonly __wbindgen_malloc: (a: number, b: number) => number;
      readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
      readonly __wbindgen_free: (a: number, b: number, c: number) => void;
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
declare module '*/pkg/quick.js' {
  /* tslint:disable */
  /* eslint-disable */

  type CaseTheory = import('./boundary.ts').CaseTheory;
  type TheoryOfRun = import('./boundary.ts').TheoryOfRun;



  type CloseUp = import('./boundary.ts').CloseUp;
  type ScalingQuery = import('./boundary.ts').ScalingQuery;
  type ScalingRows = import('./boundary.ts').ScalingRows;



  type Diagnostic = import('./boundary.ts').Diagnostic;
  type ColumnsQuery = import('./boundary.ts').ColumnsQuery;
  type Evidence = import('./boundary.ts').Evidence;
  type EventRows = import('./boundary.ts').EventRows;
  type EventsQuery = import('./boundary.ts').EventsQuery;
  type FrameQuery = import('./boundary.ts').FrameQuery;
  type Occasion = import('./boundary.ts').Occasion;
  type RequestDetail = import('./boundary.ts').RequestDetail;
  type RunFigures = import('./boundary.ts').RunFigures;
  type StepKind = import('./boundary.ts').StepKind;
  type Stop = import('./boundary.ts').Stop;
  type ColumnSet = { names: string[], columns: Float64Array<ArrayBuffer>[] };



  type ExplainQuery = import('./boundary.ts').ExplainQuery;
  type Explanation = import('./boundary.ts').Explanation;
  type WhatIf = import('./boundary.ts').WhatIf;
  type WhatIfQuery = import('./boundary.ts').WhatIfQuery;



  /**
   * The run of one scenario, and questions about it.
   */
  export class Questions {
      free(): void;
      [Symbol.dispose](): void;
      /**
       * The same as Markdown; throws a list of diagnostics.
       */
      explainMarkdown(asked: ExplainQuery): string;
      /**
       * Why slow requests are slow; throws a list of diagnostics.
       */
      explain(asked: ExplainQuery): Explanation;
      /**
       * Questions about a scenario (JSON text) and the trace that it replays, if any; throws a list of diagnostics.
       */
      constructor(text: string, trace_name: string, trace: Uint8Array | number[]);
      /**
       * Runs ahead what the question needs, so that its answer comes sooner; throws a list of diagnostics.
       */
      prepare(asked: WhatIfQuery): void;
      /**
       * One decision and its alternatives; throws a list of diagnostics.
       */
      whatIf(asked: WhatIfQuery): WhatIf;
  }

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
       * Number of checkpoints, and about how many bytes they take besides the run itself.
       */
      checkpoints(): [number, number];
      /**
       * The answer to a question at the playhead, as the bytes of its JSON, which pass between threads without a copy: the field of
       * `CloseUpAnswers` that has the name of the question.
       */
      closeUp(asked: CloseUp): Uint8Array;
      /**
       * The columns of a view, as a copy that can be transferred.
       */
      columns(asked: ColumnsQuery): ColumnSet;
      /**
       * The instant up to which the run was computed, in microseconds.
       */
      computedUs(): number;
      /**
       * Digest of a report that `report` gave.
       */
      digest(report: string): string;
      /**
       * Lines of the event log.
       */
      eventRows(asked: EventsQuery): EventRows;
      /**
       * Events run so far.
       */
      events(): number;
      /**
       * The evidence behind the numbers, at the playhead.
       */
      evidence(): Evidence;
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
       * The outcome of each request up to the playhead, in the form that the module of comparisons reads: a copy that
       * can be transferred.
       */
      outcomes(): Uint8Array;
      /**
       * The report: the bytes that the command line prints.
       */
      report(): string;
      /**
       * The decisions of autoscalers.
       */
      scalingRows(asked: ScalingQuery): ScalingRows;
      /**
       * The scenario with all edits made so far, as JSON text.
       */
      scenario(): string;
      /**
       * Goes to the nearest checkpoint before an instant, or stays if the playhead is nearer; `advance` runs the rest.
       */
      seek(until_us: number): void;
      /**
       * The request at a point of a chart or a distribution: of the requests with their first token (or else their end)
       * between two instants, the slowest that took at most `at_most_us`.
       */
      slowest(ttft: boolean, from_us: number, to_us: number, at_most_us: number): number | undefined;
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
   * A fresh seed as text, like all seeds on the page. It is below 2^32, short enough to be read aloud.
   */
  export function freshSeed(): string;

  /**
   * Installs the hook that prints a panic's message and place.
   */
  export function start(): void;

  /**
   * The prediction of a law for each case of a sweep, from their scenarios as JSON texts; `law` as above. Throws a list
   * of diagnostics.
   */
  export function theoryOfCases(scenarios: string[], law: string): CaseTheory[];

  /**
   * The laws for a run and the line of the chosen one, from a scenario as JSON text and the bytes of `Sim.outcomes`;
   * `law` is the name of one, or empty for the one that fits best. Throws a list of diagnostics.
   */
  export function theoryOfRun(scenario: string, outcomes: Uint8Array | number[], law: string): TheoryOfRun;

  export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

  export interface InitOutput {
      readonly memory: WebAssembly.Memory;
      readonly __wbg_questions_free: (a: number, b: number) => void;
      readonly __wbg_sim_free: (a: number, b: number) => void;
      readonly __wbg_trace_free: (a: number, b: number) => void;
      readonly freshSeed: () => [number, number, number, number];
      readonly questions_explain: (a: number, b: any) => [number, number, number];
      readonly questions_explainMarkdown: (a: number, b: any) => [number, number, number, number];
      readonly questions_new: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
      readonly questions_prepare: (a: number, b: any) => [number, number];
      readonly questions_whatIf: (a: number, b: any) => [number, number, number];
      readonly sim_adopt: (a: number, b: number, c: number) => [number, number];
      readonly sim_adoptWithTrace: (a: number, b: number, c: number, d: number) => [number, number];
      readonly sim_advance: (a: number, b: number, c: number) => [number, number];
      readonly sim_advanceBack: (a: number, b: number) => [number, number];
      readonly sim_advanceStep: (a: number, b: number) => [number, number];
      readonly sim_advanceTo: (a: number, b: number) => [number, number];
      readonly sim_apply: (a: number, b: number, c: number) => any;
      readonly sim_beginBack: (a: number, b: any) => [number, number];
      readonly sim_beginStep: (a: number, b: any) => [number, number];
      readonly sim_beginTo: (a: number, b: any) => [number, number];
      readonly sim_check: (a: number, b: number) => any;
      readonly sim_checkpoints: (a: number) => any;
      readonly sim_closeUp: (a: number, b: any) => [number, number, number, number];
      readonly sim_columns: (a: number, b: any) => [number, number, number];
      readonly sim_computedUs: (a: number) => number;
      readonly sim_digest: (a: number, b: number, c: number) => [number, number];
      readonly sim_eventRows: (a: number, b: any) => [number, number, number];
      readonly sim_events: (a: number) => number;
      readonly sim_evidence: (a: number) => any;
      readonly sim_figures: (a: number) => any;
      readonly sim_frame: (a: number, b: any) => [number, number, number, number];
      readonly sim_inspect: (a: number, b: number) => any;
      readonly sim_new: (a: number, b: number) => [number, number, number];
      readonly sim_nowUs: (a: number) => number;
      readonly sim_outcomes: (a: number) => [number, number];
      readonly sim_report: (a: number) => [number, number];
      readonly sim_scalingRows: (a: number, b: any) => [number, number, number];
      readonly sim_scenario: (a: number) => [number, number];
      readonly sim_seek: (a: number, b: number) => void;
      readonly sim_slowest: (a: number, b: number, c: number, d: number, e: number) => number;
      readonly sim_unwatched: (a: number, b: number) => [number, number, number];
      readonly sim_version: () => [number, number];
      readonly sim_withTrace: (a: number, b: number, c: number) => [number, number, number];
      readonly start: () => void;
      readonly theoryOfCases: (a: number, b: number, c: number, d: number) => [number, number, number];
      readonly theoryOfRun: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
      readonly trace_new: (a: number, b: number) => [number, number, number];
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
