// The brush of the heat map: boxes of whole cells, made and changed by pointer and keys. Pure functions.
import type { Density, LatencyBox } from '../../generated/boundary.ts';

/** The cells of a heat map. */
export type Grid = Pick<Density, 'of' | 'from_us' | 'width_us' | 'columns' | 'edges_us'>;
export type Cell = { readonly column: number; readonly row: number };
/** Two opposite cells, the first one the lower and earlier. */
export type Range = { readonly from: Cell; readonly to: Cell };

const within = (v: number, low: number, high: number): number => Math.min(high, Math.max(low, v));
const rowsOf = (grid: Grid): number => Math.max(0, grid.edges_us.length - 1);

/** Whether there is a cell to brush. */
export const hasCells = (grid: Grid | undefined): grid is Grid =>
  grid !== undefined && grid.columns > 0 && rowsOf(grid) > 0;

/** The cell at an instant and a latency; beyond the map the nearest one. */
export function cellAt(grid: Grid, atUs: number, us: number): Cell {
  const above = grid.edges_us.findIndex((edge) => edge > us);
  return {
    column: within(Math.floor((atUs - grid.from_us) / grid.width_us), 0, grid.columns - 1),
    row: within(above < 0 ? rowsOf(grid) - 1 : above - 1, 0, rowsOf(grid) - 1),
  };
}

/** The range between two cells. */
export const between = (a: Cell, b: Cell): Range => ({
  from: { column: Math.min(a.column, b.column), row: Math.min(a.row, b.row) },
  to: { column: Math.max(a.column, b.column), row: Math.max(a.row, b.row) },
});

/** The box of a range: whole microseconds, so that each request is in one cell alone. */
export function boxOf(grid: Grid, { from, to }: Range): LatencyBox {
  return {
    of: grid.of,
    from_us: grid.from_us + from.column * grid.width_us,
    to_us: grid.from_us + (to.column + 1) * grid.width_us - 1,
    least_us: Math.ceil(grid.edges_us[from.row] ?? 0),
    most_us: Math.ceil(grid.edges_us[to.row + 1] ?? 0) - 1,
  };
}

/** The cells of a box that may have been made on a map of other cells. */
export const rangeOf = (grid: Grid, box: LatencyBox): Range =>
  between(cellAt(grid, box.from_us, box.least_us), cellAt(grid, box.to_us, box.most_us));

/** The range moved by a number of cells, as far as the map goes. */
export function movedBy(grid: Grid, range: Range, columns: number, rows: number): Range {
  const { from, to } = range;
  const dc = within(columns, -from.column, grid.columns - 1 - to.column);
  const dr = within(rows, -from.row, rowsOf(grid) - 1 - to.row);
  return {
    from: { column: from.column + dc, row: from.row + dr },
    to: { column: to.column + dc, row: to.row + dr },
  };
}

/** The range with its upper and later edges moved by a number of cells: at least one cell stays. */
export function sizedBy(grid: Grid, { from, to }: Range, columns: number, rows: number): Range {
  return {
    from,
    to: {
      column: within(to.column + columns, from.column, grid.columns - 1),
      row: within(to.row + rows, from.row, rowsOf(grid) - 1),
    },
  };
}

/** Where the brush begins by key: the latencies over the objective, else the upper third, of the latest tenth of the map up to now. */
export function firstRange(grid: Grid & Pick<Density, 'slo_us' | 'now_us'>): Range {
  const last = cellAt(grid, grid.now_us, 1);
  const top = rowsOf(grid) - 1;
  const slo = grid.slo_us > 0 ? cellAt(grid, grid.now_us, grid.slo_us).row + 1 : top + 1;
  const row = slo <= top ? slo : Math.floor((2 * top) / 3);
  const column = Math.max(0, last.column - Math.floor(grid.columns / 10));
  return { from: { column, row }, to: { column: last.column, row: top } };
}

/** What a pointer is over: a corner of the active box, with the opposite cell; a box; or nothing. */
export type Hit =
  | { readonly on: 'corner'; readonly anchor: Cell }
  | { readonly on: 'box'; readonly index: number }
  | { readonly on: 'nothing' };

/** `near` says whether a corner is close enough to the pointer to be taken. */
export function hitOf(
  grid: Grid,
  boxes: readonly LatencyBox[],
  active: number,
  at: { readonly us: number; readonly atUs: number },
  near: (atUs: number, us: number) => boolean,
): Hit {
  const box = boxes[active];
  if (box) {
    const { from, to } = rangeOf(grid, box);
    const corners: readonly (readonly [number, number, Cell])[] = [
      [box.from_us, box.least_us, to],
      [box.from_us, box.most_us, { column: to.column, row: from.row }],
      [box.to_us, box.least_us, { column: from.column, row: to.row }],
      [box.to_us, box.most_us, from],
    ];
    const taken = corners.find(([atUs, us]) => near(atUs, us));
    if (taken) return { on: 'corner', anchor: taken[2] };
  }
  const index = boxes.findLastIndex(
    (b) => b.from_us <= at.atUs && at.atUs <= b.to_us && b.least_us <= at.us && at.us <= b.most_us,
  );
  return index < 0 ? { on: 'nothing' } : { on: 'box', index };
}

/** The keys of the brush: what they make of the boxes and of which of them they act on. */
export function keyed(
  grid: Grid & Pick<Density, 'slo_us' | 'now_us'>,
  boxes: readonly LatencyBox[],
  active: number,
  key: { readonly key: string; readonly shiftKey: boolean },
): { readonly boxes: readonly LatencyBox[]; readonly active: number } | undefined {
  if (key.key === 'b' || key.key === 'B') {
    const added = boxOf(grid, firstRange(grid));
    return { boxes: [...boxes, added], active: boxes.length };
  }
  if (boxes.length === 0) return undefined;
  if (key.key === 'Escape') return { boxes: [], active: 0 };
  const box = boxes[active];
  if (!box) return undefined;
  if (key.key === 'Delete' || key.key === 'Backspace') {
    return { boxes: boxes.toSpliced(active, 1), active: Math.max(0, active - 1) };
  }
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key.key];
  if (!by) return undefined;
  const [columns = 0, rows = 0] = by;
  const change = key.shiftKey ? sizedBy : movedBy;
  const next = boxOf(grid, change(grid, rangeOf(grid, box), columns, rows));
  return { boxes: boxes.toSpliced(active, 1, next), active };
}
