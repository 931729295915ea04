// The cells of the map of pauses: where they are, and which one a key goes to.
import type { PauseCell, PauseMap } from '../../generated/boundary.ts';
import { type Block, SIDES } from './sessionLayout.ts';

/** How high a row is. */
const PITCH = 18;
const TOP = 8;
const FOOT = 22;

export type HeatPlan = {
  readonly height: number;
  readonly cells: readonly (Block & { readonly cell: PauseCell })[];
  /** Where rows begin and end. */
  readonly edges: readonly { readonly us: number; readonly y: number }[];
};

/** The cells, the longest pauses above. */
export function heatCells(map: PauseMap, width: number): HeatPlan {
  const rows = map.edges_us.length - 1;
  const bottom = TOP + rows * PITCH;
  const column = (width - SIDES.left - SIDES.right) / map.columns;
  // A gap of a pixel parts cells that are wide enough for one.
  const gap = column > 4 ? 1 : 0;
  const cells = map.cells.map((cell) => {
    const left = Math.round(SIDES.left + cell.column * column);
    const right = Math.round(SIDES.left + (cell.column + 1) * column);
    const w = Math.max(1, right - left - gap);
    return { cell, x: left, y: bottom - (cell.row + 1) * PITCH, w, h: PITCH - 1 };
  });
  const edges = map.edges_us.map((us, row) => ({ us, y: bottom - row * PITCH }));
  return { height: bottom + FOOT, cells, edges };
}

/** The nearest cell in the direction of an arrow, or the first or the last one; undefined for other keys. */
export function nextCell(cells: readonly PauseCell[], from: PauseCell | undefined, key: string): PauseCell | undefined {
  const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
  if (key === 'End') return cells.at(-1);
  if (key === 'Home' || (by && !from)) return cells[0];
  const [dx = 0, dy = 0] = by ?? [];
  if (!by || !from) return undefined;
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (const cell of cells) {
    const ahead = (cell.column - from.column) * dx + (cell.row - from.row) * dy;
    const aside = Math.abs(dx === 0 ? cell.column - from.column : cell.row - from.row);
    // Cells in line come before all that are beside it.
    const distance = ahead + aside * 1000;
    if (ahead > 0 && distance < least) [best, least] = [cell, distance];
  }
  return best;
}
