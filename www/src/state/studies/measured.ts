// State of measured runs: the user's own benchmark, and the experiment replayed by the run on screen.

/** A benchmark's result, dropped or pasted. */
export type BenchmarkFile = { readonly name: string; readonly text: string };

/** A share of the requests in percent, and the latency that this share did not exceed, in milliseconds. */
export type PercentPoint = readonly [percent: number, ms: number];

/** The measured percentiles of the experiment that is on screen. */
export type MeasuredRun = {
  /** The name under which its scenario was opened. */
  readonly name: string;
  readonly ttft: readonly PercentPoint[];
  readonly e2e: readonly PercentPoint[];
};
