// The cells of a grid of blocks: rows of one length, and the size of a cell.

export const COLUMNS = 48;
export const CELL = 6;

/** The cells from one to another, row by row. */
export function area(from: number, to: number): string {
  let d = '';
  for (let at = from; at < to; ) {
    const row = Math.floor(at / COLUMNS);
    const end = Math.min(to, (row + 1) * COLUMNS);
    d += `M${(at % COLUMNS) * CELL} ${row * CELL}h${(end - at) * CELL}v${CELL}h${(at - end) * CELL}Z`;
    at = end;
  }
  return d;
}
