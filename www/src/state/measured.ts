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

/** Whether a JSON text is a scenario rather than something a tool wrote: a document with a key that scenarios have, or none at all. */
export function isScenario(text: string, keys: ReadonlySet<string>): boolean {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // What is no JSON is told by the reader of scenarios.
    return true;
  }
  if (Array.isArray(document)) return false;
  if (typeof document !== 'object' || document === null) return true;
  const own = Object.keys(document);
  return own.length === 0 || own.some((key) => keys.has(key));
}
