// The words for the figures before and after an edit.
import { count, DASH, durationUs, plain, signed, text } from '../base/units.ts';
import { isFew } from '../base/view.ts';
import type { Around, Ecdf, Percentiles, SpanFigures } from '../generated/boundary.ts';

/** One latency before and after, and its differences. */
export type Pair = {
  readonly before: Percentiles;
  readonly after: Percentiles;
  readonly curves: { readonly before: Ecdf; readonly after: Ecdf };
  /** 50th, 90th and 99th percentile: after less before, in microseconds. */
  readonly differences: readonly (number | null)[];
};

export function pairOf(around: Around, of: 'ttft' | 'e2e'): Pair {
  const { before, after } = around;
  return {
    before: before[of],
    after: after[of],
    curves: { before: before[`${of}_ecdf`], after: after[`${of}_ecdf`] },
    differences: around[`${of}_us`],
  };
}

/** A difference in microseconds with its sign; a dash if a side has no requests. */
export function differenceSaid(us: number | null | undefined): string {
  return us === null || us === undefined ? DASH : text(signed(durationUs(us)));
}

/** Whether the p99 of either side is one of few values. */
export const isFewOf = ({ before, after }: Pair): boolean => isFew(before.count) || isFew(after.count);

const seconds = (us: number): string => plain(Math.round(us / 10_000) / 100);

/** A span and its requests. */
export function spanSaid({ from_us, to_us, arrived }: SpanFigures): string {
  return `${seconds(from_us)}–${seconds(to_us)} s, n = ${count(arrived)}`;
}

/** Both spans with their requests, in one line. */
export function spansSaid(around: Around): string {
  return `${spanSaid(around.before)} → ${spanSaid(around.after)}`;
}

/** One latency before and after in a sentence. */
export function pairSaid(title: string, around: Around, pair: Pair): string {
  const [p50, , p99] = pair.differences;
  const tail = isFewOf(pair) ? `; of ${count(pair.before.count)} and ${count(pair.after.count)} values` : '';
  return `Distribution of ${title} before and after the edit, ${spansSaid(around)}: p50 ${differenceSaid(p50)}, p99 ${differenceSaid(p99)}${tail}.`;
}
