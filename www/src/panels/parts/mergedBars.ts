// The bars of a waterfall, few enough to draw: a request can be preempted thousands of times.
import type { Segment } from '../../generated/boundary.ts';

/** Most bars of one waterfall. */
export const MOST_BARS = 240;
/** Bars closer than this many pixels are drawn as one. */
const LEAST_GAP = 1;

/**
 * The bars of each row, in order of time, with those merged that no pixel parts on the axis `x`. Where more than
 * `MOST_BARS` are left in all rows, those with the smallest gaps are merged too.
 */
export function mergedBars<Row extends { readonly bars: readonly Segment[] }>(
  rows: readonly Row[],
  x: (us: number) => number,
): readonly Row[] {
  for (let gap = LEAST_GAP; ; gap *= 2) {
    const merged = rows.map((row) => ({ ...row, bars: mergedWithin(row.bars, x, gap) }));
    const bars = merged.reduce((sum, row) => sum + row.bars.length, 0);
    if (bars <= Math.max(MOST_BARS, rows.length)) return merged;
  }
}

function mergedWithin(bars: readonly Segment[], x: (us: number) => number, gap: number): readonly Segment[] {
  const merged: Segment[] = [];
  for (const bar of bars) {
    const last = merged.at(-1);
    if (last && x(bar.from_us) - x(last.to_us) < gap)
      merged[merged.length - 1] = {
        ...last,
        to_us: Math.max(last.to_us, bar.to_us),
        tokens: last.tokens + bar.tokens,
        open: bar.open,
      };
    else merged.push(bar);
  }
  return merged;
}
