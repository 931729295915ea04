// What the page knows of measured runs: the user's own benchmark, and the experiment that the run on screen replays.

/** A benchmark's result as it was dropped or pasted. */
export type BenchmarkFile = { readonly name: string; readonly text: string };

/** A share of the requests in percent, and the latency that so many stayed within, in milliseconds. */
export type PercentPoint = readonly [percent: number, ms: number];

/** The measured percentiles of the experiment that is on screen. */
export type MeasuredRun = {
  /** The name under which its scenario was opened. */
  readonly name: string;
  readonly ttft: readonly PercentPoint[];
  readonly e2e: readonly PercentPoint[];
};
