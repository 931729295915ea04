// The heat map of a latency below its chart, as data for its painter and as columns of its table.
import type { ViewColumns } from '../base/view.ts';
import type { Density, Flag } from '../generated/boundary.ts';
import { type HeldRange, logCeil, logFloor, logTicks } from './scales.ts';
import type { Axes, Mark } from './timePicture.ts';

/** The parts of a heat map used for drawing. */
export type Cells = Pick<Density, 'from_us' | 'width_us' | 'columns' | 'edges_us' | 'counts' | 'most'>;

export type StripPicture = Axes & {
  readonly of: 'strip';
  readonly first: boolean;
  readonly cells: Cells | undefined;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly nowS: number;
  readonly warmUpS: number;
  readonly flags: readonly Flag[];
  /** In milliseconds, 0 for none. */
  readonly slo: number;
  readonly mark: Mark | undefined;
  /** The text for an empty plot. */
  readonly empty: string | undefined;
};

/** The filled cells, in order: their column, row and count. */
export function filled({ columns, edges_us, counts }: Cells): readonly (readonly [c: number, r: number, n: number])[] {
  const rows = Math.max(0, edges_us.length - 1);
  const out: (readonly [number, number, number])[] = [];
  for (let c = 0; c < columns; c++)
    for (let r = 0; r < rows; r++) {
      const n = counts[c * rows + r] ?? 0;
      if (n > 0) out.push([c, r, n]);
    }
  return out;
}

/** The range of the axis in milliseconds: the filled rows and the objective, never narrower than before. */
export function stripRange(cells: Cells | undefined, slo: number, held: HeldRange): { low: number; high: number } {
  if (!cells) held.reset();
  const rows = cells ? filled(cells).map(([, r]) => r) : [];
  if (cells && rows.length > 0) {
    const edge = (i: number): number => (cells.edges_us[i] ?? Number.NaN) / 1000;
    const low = edge(rows.reduce((a, b) => Math.min(a, b)));
    const high = edge(rows.reduce((a, b) => Math.max(a, b)) + 1);
    held.extend(
      slo > 0 ? Math.min(low, slo) : low,
      Math.max(high, slo * 1.3),
      cells.from_us + cells.columns * cells.width_us,
    );
  }
  if (!Number.isFinite(held.low) || !(held.low > 0)) return { low: 10, high: 10_000 };
  const low = logFloor(held.low);
  return { low, high: Math.max(logCeil(held.high), low * 10) };
}

/** As many ticks as the plot has room for. */
export const stripTicks = (low: number, high: number, height: number): number[] =>
  logTicks(low, high, Math.max(2, Math.floor(height / 14)));

/** The filled cells as rows of a table. */
export function tableOf(cells: Cells): ViewColumns {
  const all = filled(cells);
  const ms = (i: number): number => (cells.edges_us[i] ?? Number.NaN) / 1000;
  return {
    names: ['t_s', 'from_ms', 'to_ms', 'requests'],
    columns: [
      Float64Array.from(all, ([c]) => (cells.from_us + c * cells.width_us) / 1e6),
      Float64Array.from(all, ([, r]) => ms(r)),
      Float64Array.from(all, ([, r]) => ms(r + 1)),
      Float64Array.from(all, ([, , n]) => n),
    ],
  };
}
