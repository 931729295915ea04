// The percentiles that a chart over time has at an instant.
import type { ViewColumns } from '../base/view.ts';
import type { Percentiles } from '../generated/boundary.ts';

/** The latest row up to an instant; -1 if there is none. */
export const rowAt = (data: ViewColumns | undefined, atUs: number): number =>
  // Times are seconds with fractions: half a microsecond is rounding.
  data?.columns[0]?.findLastIndex((t) => t * 1e6 <= atUs + 0.5) ?? -1;

/** The percentiles of the latest row up to an instant: of the playhead's own, unless more is computed. */
export function latestAt(data: ViewColumns | undefined, atUs: number): Percentiles | undefined {
  const row = rowAt(data, atUs);
  if (!data || row < 0) return undefined;
  const of = (column: number): number => data.columns[column]?.[row] ?? Number.NaN;
  const us = (column: number): number => of(column) * 1000;
  return { count: of(4), p50_us: us(1), p90_us: us(2), p99_us: us(3) };
}
