// Means whose order does not survive the error of the simulation: a band in place of one number, and why.
import { DASH, durationMs, text } from '../../base/units.ts';
import type { MetricComparison, RunComparison } from '../../generated/boundary.ts';
import { rangeText } from './metricText.ts';

/** A mean and what it may be: `12.1 ms` and `(10.9 to 13.3 ms)`. */
type Band = readonly [string, string];
/** A mean of both runs with its band, and the core's sentence. */
export type DoubtRow = { readonly name: string; readonly a: Band; readonly b: Band; readonly text: string };

const TIMES = [
  ['TTFT mean', 'ttft_ms'],
  ['TPOT mean', 'tpot_ms'],
  ['E2E mean', 'e2e_ms'],
] as const;

/** The rows of a comparison, in the order of its key figures. */
export function doubtsOf(comparison: Pick<RunComparison, 'metrics'>): readonly DoubtRow[] {
  return TIMES.flatMap(([name, key]) => {
    const { doubt, mean }: Pick<MetricComparison, 'doubt' | 'mean'> = comparison.metrics[key];
    return doubt ? [{ name, a: bandText(mean.a, doubt.a), b: bandText(mean.b, doubt.b), text: doubt.text }] : [];
  });
}

/** The notices that no row of doubts says. */
export function furtherNotices(comparison: Pick<RunComparison, 'metrics' | 'notices'>): readonly string[] {
  const said = doubtsOf(comparison).map((doubt) => doubt.text);
  return comparison.notices.filter((notice) => !said.includes(notice));
}

function bandText(mean: number | null, [low, high]: readonly [number, number]): Band {
  if (mean === null) return [DASH, ''];
  return [text(durationMs(mean)), `(${rangeText(text(durationMs(low)), text(durationMs(high)))})`];
}
