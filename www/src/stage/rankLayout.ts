// The columns and rows of a stage with prefill and decode apart where ranks of one server stand in its box: from sizes and counts alone.
import type { Box } from './layout.ts';

/** The box of a server: its title, and the places of its ranks' cells. */
export type ServerBox = {
  readonly id: number;
  readonly side: 'prefill' | 'decode';
  readonly box: Box;
  readonly titleY: number;
  /** The places of its ranks among all replicas, in order. */
  readonly ranks: readonly number[];
};

/** A replica that steps by itself, or a server with its ranks: their places among all replicas. */
export type Unit = { readonly server: number | undefined; readonly places: readonly number[] };

/** The places of one side as units, in the order of their first replicas. */
export function unitsOf(places: readonly number[], servers: readonly (number | undefined)[]): Unit[] {
  const units: { server: number | undefined; places: number[] }[] = [];
  for (const at of places) {
    const server = servers[at];
    const own = server === undefined ? undefined : units.find((unit) => unit.server === server);
    if (own) own.places.push(at);
    else units.push({ server, places: [at] });
  }
  return units;
}

/** Heights of a server's title, of a rank's row, and what is left below the last. */
const SERVER = { title: 20, least: 13, most: 24, foot: 4, pad: 6 } as const;
/** Heights of a replica that steps by itself. */
const PLAIN = { least: 24, most: 150 } as const;
const GAP = 6;
/** Least width of a rank's cell, and the gap between two. */
const CELL = { least: 96, gap: 12 } as const;

/** By unit: its box, and the boxes of its ranks' cells where it is a server. */
export type Placed = { readonly unit: Unit; readonly box: Box; readonly cells: readonly Box[] };

const rowsOf = (unit: Unit, columns: number): number => Math.ceil(unit.places.length / columns);

/** Units one below the other in a column, ranks in as few columns as there is height for; undefined without room. */
export function columnOfUnits(area: Box, units: readonly Unit[]): Placed[] | undefined {
  const most = Math.max(1, Math.floor((area.w - 2 * SERVER.pad + CELL.gap) / (CELL.least + CELL.gap)));
  for (let columns = 1; columns <= most; columns++) {
    const placed = stacked(area, units, columns);
    if (placed) return placed;
  }
  return undefined;
}

function stacked(area: Box, units: readonly Unit[], columns: number): Placed[] | undefined {
  const servers = units.filter(({ server }) => server !== undefined);
  const plain = units.length - servers.length;
  const rows = servers.reduce((sum, unit) => sum + rowsOf(unit, columns), 0);
  const fixed = servers.length * (SERVER.title + SERVER.foot) + (units.length - 1) * GAP;
  const free = area.h - fixed - plain * PLAIN.least;
  if (rows > 0 && free < rows * SERVER.least) return undefined;
  if (rows === 0 && free < 0) return undefined;
  const row = rows > 0 ? Math.min(SERVER.most, Math.floor(free / rows)) : 0;
  const left = area.h - fixed - rows * row;
  const each = plain > 0 ? Math.min(PLAIN.most, Math.floor(left / plain)) : 0;
  let y = area.y + Math.floor((area.h - fixed - rows * row - plain * each) / 2);
  return units.map((unit): Placed => {
    const h = unit.server === undefined ? each : SERVER.title + SERVER.foot + rowsOf(unit, columns) * row;
    const box = { x: area.x, y, w: area.w, h };
    y += h + GAP;
    return { unit, box, cells: unit.server === undefined ? [] : cellsIn(box, unit.places.length, columns, row) };
  });
}

/** Cells below the title of a server, column by column. */
function cellsIn(box: Box, n: number, columns: number, row: number): Box[] {
  const rows = Math.ceil(n / columns);
  const w = (box.w - 2 * SERVER.pad - (columns - 1) * CELL.gap) / columns;
  return Array.from({ length: n }, (_, i) => ({
    x: Math.round(box.x + SERVER.pad + Math.floor(i / rows) * (w + CELL.gap)),
    y: box.y + SERVER.title + (i % rows) * row,
    w: Math.floor(w),
    h: row - 1,
  }));
}

/** On a phone: the height of a rank's row, the least widths of units, and the gap between them. */
const PHONE = { row: 18, server: 112, plain: 62, gap: 6, cell: 104 } as const;

/** Units side by side, servers as wide as their ranks ask for; undefined without room. All are as high as the highest. */
export function rowOfUnits(area: Box, units: readonly Unit[]): Placed[] | undefined {
  const room = area.w - (units.length - 1) * PHONE.gap;
  const least = units.map(({ server }) => (server === undefined ? PHONE.plain : PHONE.server));
  const asked = least.reduce((sum, w) => sum + w, 0);
  if (asked > room) return undefined;
  const weights = units.map(({ places }) => places.length);
  const all = weights.reduce((sum, n) => sum + n, 0);
  const widths = least.map((w, i) => w + ((room - asked) * (weights[i] ?? 1)) / Math.max(1, all));
  const columns = widths.map((w) => Math.max(1, Math.floor((w - 2 * SERVER.pad + CELL.gap) / (PHONE.cell + CELL.gap))));
  const heights = units.map((unit, i) =>
    unit.server === undefined ? area.h : SERVER.title + SERVER.foot + rowsOf(unit, columns[i] ?? 1) * PHONE.row,
  );
  const h = Math.max(area.h, ...heights);
  let x = area.x;
  return units.map((unit, i): Placed => {
    const box = { x: Math.round(x), y: area.y, w: Math.floor(widths[i] ?? 0), h };
    x += (widths[i] ?? 0) + PHONE.gap;
    const cells = unit.server === undefined ? [] : cellsIn(box, unit.places.length, columns[i] ?? 1, PHONE.row);
    return { unit, box, cells };
  });
}

/** The places in a rank's cell: its batch above its blocks, and its part of the step. */
export function cellPlaces({ x, y, w, h }: Box): {
  readonly batch: Box;
  readonly kv: Box;
  readonly time: Box;
  readonly right: number;
  readonly titleY: number;
} {
  const words = w >= 200 ? 54 : 0;
  const name = 27;
  const time = Math.round((w - name - words) * 0.4);
  const timeX = x + w - words - time;
  const batchW = timeX - x - name - (w >= 150 ? 22 : 8);
  const strip = h >= 15 ? 3 : 2;
  return {
    batch: { x: x + name, y: y + 2, w: batchW, h: h - strip - 4 },
    kv: { x: x + name, y: y + h - strip - 1, w: batchW, h: strip },
    time: { x: timeX, y: y + Math.round(h / 2) - 3, w: time, h: 6 },
    right: x + w,
    titleY: Math.round(y + h / 2) + 4,
  };
}
