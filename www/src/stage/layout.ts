// The layout of the stage, computed from sizes and counts alone, so that it can be tested and hit-tested without a
// canvas.

import { type QueueBoxes, queueAbove, queueBeside, queueOver, VESSEL } from './bands.ts';
import type { Calm } from './calmLayout.ts';
import { type Measures, type Rows, rowBoxes, rowHit, rowsIn, TOOL, toolIn } from './rowLayout.ts';
import { cardHit, type SplitLayout } from './splitLayout.ts';
import { type Strip, stripHit } from './strip.ts';

export type Detail = 'rows' | 'cards' | 'heat' | 'aggregate';
export type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
export type Span = { readonly x: number; readonly w: number };

/** The columns of a card of the phone. */
export type Columns = {
  readonly id: Span;
  readonly wait: Span;
  readonly batch: Span;
  readonly kv: Span;
  readonly now: Span;
};

export type StageLayout = {
  readonly detail: Detail;
  /** Too narrow for pipes at the left: three boxes above the replicas replace them. */
  readonly narrow: boolean;
  /** Rows as cards one below the other, with a title each; the page scrolls. */
  readonly stacked: boolean;
  readonly width: number;
  /** Height needed; more than the box if the stage scrolls. */
  readonly height: number;
  /** The position of the heads: left and right edge, and the base line. */
  readonly head: { readonly x: number; readonly right: number; readonly y: number };
  /** One box for each replica, in order; a single one for the aggregate. */
  readonly boxes: readonly Box[];
  readonly columns: Columns;
  /** Rows of boxes, the ends of the router's branches: the middle of each, its first box and its number of boxes. */
  readonly branches: readonly { readonly y: number; readonly first: number; readonly count: number }[];
  /** Middle line of arrivals, admission and router. */
  readonly axisY: number;
  /** Height of chips, bars and cells in a card of the phone. */
  readonly marks: number;
  /** Where the pipes end and the boxes begin, if the pipes are at the left. */
  readonly flow: number;
  /** The gateway's queue; undefined without flow control. */
  readonly queue: QueueBoxes | undefined;
  /** Prefill and decode apart: two columns of cards instead of rows. */
  readonly split?: SplitLayout;
  /** The marks of rows. */
  readonly rows?: Rows;
  /** One source: what stands before the rows. */
  readonly calm?: Calm;
  /** The strip above a close-up: what its boxes have of their own. */
  readonly strip?: Strip;
};

/** Below this width, the pipes would take the room of the replicas. */
export const NARROW = 760;
/** A stage with a gateway's queue has to be wider by this. */
const QUEUE_ROOM = 30;
export const STACKED = 480;
export const HEAD = 30;
const FLOW = 262;
/** Left of the heat cells: the number of the first replica of each row. */
export const GUTTER = 34;
const EDGE = 12;
const PHONE = { card: 93, most: 160, gap: 7, top: 62, edge: 8, pad: 10, foot: 30 } as const;
/** Heights of a row behind the flow of several clients. */
const ROW = { least: 30, gap: 4, most: 54 } as const;
/** What such a row has, and what one has where there is less room. */
const ROW_MEASURES: Measures & { readonly from: number } = {
  ...{ from: 500, name: 12, door: 172, columns: 5, bar: 10, gap: 3, tool: 12, step: 56, kv: 0 },
};
const NARROW_MEASURES: Measures = { ...ROW_MEASURES, door: 112, columns: 2, bar: 6, gap: 2 };
const NONE: Span = { x: 0, w: 0 };
const EMPTY: Columns = { id: NONE, wait: NONE, batch: NONE, kv: NONE, now: NONE };

/** Least box, gap, shape (width over height) and greatest height in a grid. */
type Tile = {
  readonly w: number;
  readonly h: number;
  readonly gap: number;
  readonly shape: number;
  readonly most: number;
};
const TILES = {
  cards: { w: 56, h: 24, gap: 4, shape: 2.1, most: 96 },
  heat: { w: 16, h: 14, gap: 2, shape: 1.6, most: 40 },
} as const satisfies Record<string, Tile>;
/** On a phone boxes are as large as a finger, and the page scrolls. */
const FINGER_TILES = {
  cards: { w: 86, h: 44, gap: 4, shape: 2.1, most: 44 },
  heat: { w: 24, h: 24, gap: 2, shape: 1.2, most: 24 },
} as const satisfies Record<string, Tile>;

/** The most detail of each replica: full rows to 8, cards to 64, heat cells to 256, then one aggregate. */
export function detailFor(replicas: number): Detail {
  if (replicas <= 8) return 'rows';
  if (replicas <= 64) return 'cards';
  return replicas <= 256 ? 'heat' : 'aggregate';
}

/** The layout without what follows from it: the pipes and the gateway's queue. */
export type Bare = Omit<StageLayout, 'flow' | 'queue' | 'split' | 'calm' | 'strip'>;

/** The pane, and the number of bands of the gateway's queue; 0 without flow control. */
type Pane = { readonly width: number; readonly height: number; readonly bands: number };
/** Also what its rows are made for. */
type RowPane = Pane & { readonly batch: number; readonly tools: boolean };

const isNarrow = ({ width, bands }: Pane): boolean => width < NARROW + (bands > 0 ? QUEUE_ROOM : 0);

/**
 * The most detail that fits the box, unless the boxes are stacked and the page scrolls. `batch` is the most requests that a replica
 * runs; `bands` are those of the gateway's queue; `tools`: whether each row has one.
 */
export function stageLayout(
  width: number,
  height: number,
  replicas: number,
  { batch = 48, bands = 0, tools = false }: { batch?: number; bands?: number; tools?: boolean } = {},
): StageLayout {
  const pane = { width, height, bands, batch, tools };
  const bare = bareLayout(pane, replicas);
  const flow = flowOf(bands);
  if (bands === 0) return { ...bare, flow, queue: undefined };
  if (!bare.narrow) return { ...bare, flow, queue: queueBeside(bare.height, bands) };
  const over = { x: PHONE.edge, y: PHONE.top, w: width - 2 * PHONE.edge };
  return { ...bare, flow, queue: queueOver(over, bands, bare.stacked) };
}

const flowOf = (bands: number): number => FLOW + (bands > 0 ? VESSEL.shift : 0);

function bareLayout(pane: RowPane, replicas: number): Bare {
  const wanted = detailFor(replicas);
  if (pane.width < STACKED) return stackedLayout(pane, replicas, wanted);
  const area = areaOf(pane);
  const pitch = Math.floor(area.h / Math.max(1, replicas));
  if (wanted === 'rows' && pitch >= ROW.least) return fullRows(pane, area, replicas, pitch);
  if (wanted === 'aggregate') return gridLayout(pane, area, wanted, wholeOf(area, replicas));
  if (wanted !== 'heat') {
    const cards = gridOf(area, replicas, TILES.cards);
    if (cards.bottom <= area.y + area.h) return gridLayout(pane, area, 'cards', cards);
  }
  const cells = { ...area, x: area.x + GUTTER, w: area.w - GUTTER };
  return gridLayout(pane, area, 'heat', gridOf(cells, replicas, TILES.heat));
}

/** The height that a stage of stacked boxes needs so that only the page scrolls; 0 if the stage fits its box. */
export function stageNeeds(width: number, replicas: number, bands = 0): number {
  return width < STACKED ? stackedLayout({ width, height: 0, bands }, replicas, detailFor(replicas)).height : 0;
}

/** The area beside the pipes, or below the boxes that replace them; below a gateway's queue it is never too low. */
function areaOf(pane: Pane): Box {
  const { width, height, bands } = pane;
  const narrow = isNarrow(pane);
  const x = narrow ? PHONE.edge : flowOf(bands);
  const y = narrow ? PHONE.top + queueAbove(bands, false) + HEAD - PHONE.edge : HEAD;
  const foot = narrow ? PHONE.foot : 8;
  const h = height - y - foot;
  const w = width - x - (narrow ? PHONE.edge : EDGE);
  return { x, y, w, h: narrow && bands > 0 ? Math.max(LEAST_BELOW_QUEUE, h) : h };
}
/** The least height of the replicas below a gateway's queue. */
const LEAST_BELOW_QUEUE = 130;

const wholeOf = (area: Box, replicas: number): Grid => ({
  boxes: [area],
  rows: [{ y: area.y + area.h / 2, first: 0, count: replicas }],
  bottom: area.y + area.h,
});

function gridLayout(pane: Pane, area: Box, detail: Detail, grid: Grid): Bare {
  const narrow = isNarrow(pane);
  const { width, height } = pane;
  return {
    detail,
    narrow,
    stacked: false,
    width,
    height: Math.max(height, grid.bottom + (narrow ? PHONE.foot : 8)),
    head: { x: area.x, right: area.x + area.w, y: area.y - 11 },
    boxes: grid.boxes,
    columns: EMPTY,
    branches: grid.rows,
    axisY: area.y + area.h / 2,
    marks: 0,
  };
}

function fullRows(pane: RowPane, area: Box, replicas: number, room: number): Bare {
  const n = Math.max(1, replicas);
  const pitch = Math.min(room, ROW.most);
  const y = area.y + Math.floor((area.h - n * pitch) / 2);
  const narrow = isNarrow(pane);
  const h = pitch - ROW.gap;
  const boxes = rowBoxes({ ...area, y, h }, ROW.gap, replicas);
  const measures = area.w >= ROW_MEASURES.from ? ROW_MEASURES : NARROW_MEASURES;
  return {
    detail: 'rows',
    narrow,
    stacked: false,
    width: pane.width,
    height: narrow ? Math.max(pane.height, area.y + area.h + PHONE.foot) : pane.height,
    head: { x: area.x, right: area.x + area.w, y: y - 11 },
    boxes,
    columns: EMPTY,
    branches: boxes.map((b, i) => ({ y: b.y + b.h / 2, first: i, count: 1 })),
    axisY: y + (n * pitch - ROW.gap) / 2,
    marks: 0,
    rows: {
      ...rowsIn({ x: area.x, w: area.w, h }, { ...measures, tool: pane.tools ? TOOL : measures.tool }, pane.batch),
      ...(pane.tools ? { tool: toolIn(area.x + area.w, h) } : {}),
    },
  };
}

/** Boxes for a phone: one below the other, or in a grid of boxes as large as a finger. */
function stackedLayout({ width, height, bands }: Pane, n: number, detail: Detail): Bare {
  const w = width - 2 * PHONE.edge;
  const top = PHONE.top + queueAbove(bands, true);
  const y = top + (detail === 'rows' ? 0 : HEAD - PHONE.edge);
  const base = { detail, narrow: true, stacked: true, width, axisY: 0 };
  const head = { x: PHONE.edge, right: width - PHONE.edge, y: y - 11 };
  if (detail === 'rows') return { ...base, head, ...phoneRows(width, height, top, n) };
  const gutter = detail === 'heat' ? GUTTER : 0;
  const area = { x: PHONE.edge + gutter, y, w: w - gutter, h: Math.max(330, height - y - PHONE.foot) };
  const grid = detail === 'aggregate' ? wholeOf(area, n) : gridOf(area, n, FINGER_TILES[detail]);
  return {
    ...base,
    head,
    height: Math.max(height, grid.bottom + PHONE.foot),
    boxes: grid.boxes,
    columns: EMPTY,
    branches: grid.rows,
    marks: 0,
  };
}

function phoneRows(
  width: number,
  height: number,
  top: number,
  n: number,
): Pick<StageLayout, 'boxes' | 'columns' | 'height' | 'branches' | 'marks'> {
  const boxes: Box[] = [];
  const w = width - 2 * PHONE.edge;
  // A few cards share the height of the stage.
  const room = Math.floor((height - top - PHONE.foot) / Math.max(1, n)) - PHONE.gap;
  const card = Math.max(PHONE.card, Math.min(PHONE.most, room));
  for (let i = 0; i < n; i++) boxes.push({ x: PHONE.edge, y: top + i * (card + PHONE.gap), w, h: card });
  const x0 = PHONE.edge + PHONE.pad;
  const kv = 104;
  const batch = w - 2 * PHONE.pad - 84 - kv - 20;
  return {
    height: Math.max(height, top + n * (card + PHONE.gap) + PHONE.foot),
    boxes,
    columns: {
      id: { x: x0, w: 84 },
      wait: { x: x0, w: 84 },
      batch: { x: x0 + 94, w: batch },
      kv: { x: x0 + 104 + batch, w: kv },
      now: { x: x0 + 94, w: w - 2 * PHONE.pad - 94 },
    },
    branches: [],
    marks: 36 + card - PHONE.card,
  };
}

type Grid = { boxes: Box[]; rows: { y: number; first: number; count: number }[]; bottom: number };

/** Equal boxes in reading order, as close to the tile's shape as possible, with few empty places in the last row. */
function gridOf(area: Box, n: number, tile: Tile): Grid {
  const { gap } = tile;
  const widest = Math.max(1, Math.min(n, Math.floor((area.w + gap) / (tile.w + gap))));
  const ideal = Math.max(1, Math.min(widest, Math.round(Math.sqrt((n * area.w) / (area.h * tile.shape)))));
  const rowsOf = (c: number): number => Math.ceil(n / c);
  const fits = (c: number): boolean => rowsOf(c) * (tile.h + gap) <= area.h + gap;
  const empty = (c: number): number => rowsOf(c) * c - n;
  let cols = ideal;
  while (cols < widest && !fits(cols)) cols += 1;
  for (const c of [cols - 1, cols - 2, cols + 1])
    if (c >= 1 && c <= widest && fits(c) && empty(c) < empty(cols)) cols = c;
  const count = rowsOf(cols);
  const w = (area.w + gap) / cols - gap;
  const h = Math.min(tile.most, Math.max(tile.h, Math.floor((area.h + gap) / count) - gap));
  const boxes: Box[] = [];
  const rows: Grid['rows'] = [];
  for (let row = 0; row < count; row++) {
    const y = area.y + row * (h + gap);
    const first = row * cols;
    const here = Math.min(cols, n - first);
    rows.push({ y: y + h / 2, first, count: here });
    for (let c = 0; c < here; c++) {
      const x = Math.round(area.x + c * (w + gap));
      boxes.push({ x, y, w: Math.round(area.x + c * (w + gap) + w) - x, h });
    }
  }
  return { boxes, rows, bottom: area.y + count * (h + gap) - gap };
}

/** The capacity of a wait column: six chips per row, 13 px each with 1.2 px between. */
export function chipSlots(column: Span, marks: number): { readonly columns: number; readonly rows: number } {
  return {
    columns: Math.max(1, Math.floor((column.w + 1.2) / 14.2)),
    rows: Math.max(1, Math.floor((marks + 1.2) / 14.2)),
  };
}

/** Distance between the bars of a batch: 48 bars fill the column, more are closer, from 2 px to 10 px apart. */
export function barPitch(
  column: Span,
  bars: number,
): { readonly pitch: number; readonly bar: number; readonly shown: number } {
  const pitch = Math.max(2, Math.min(10, column.w / Math.max(48, bars)));
  return {
    pitch,
    bar: Math.max(1, pitch >= 3 ? pitch - 1 : pitch * 0.7),
    shown: Math.min(bars, Math.floor((column.w + 1) / pitch)),
  };
}

/** Top edge of the marks in a card of the phone. */
export const marksTop = (box: Box): number => box.y + 47;

/** What is under the point. */
export type Hit = { readonly replica: number; readonly chip: number; readonly bar: number };

/** The box under the point and, in a row, the number of the chip or bar there; −1 if there is none. */
export function hitTest(layout: StageLayout, x: number, y: number, bars: (replica: number) => number): Hit | undefined {
  if (layout.detail === 'aggregate') return undefined;
  const replica = layout.boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y - 1 && y < b.y + b.h + 3);
  const box = layout.boxes[replica];
  if (!box) return undefined;
  const card = layout.split?.cards[replica];
  if (card) return cardHit(card, replica, x, y, bars(replica));
  if (layout.strip) return stripHit(layout.strip, box, replica, x, y, bars(replica));
  if (layout.rows) return rowHit(layout.rows, box, replica, x, y, bars(replica));
  if (layout.detail !== 'rows') return { replica, chip: -1, bar: -1 };
  const top = marksTop(box);
  return {
    replica,
    chip: chipAt(layout.columns.wait, layout.marks, x, y - top),
    bar: y >= top - 4 && y < box.y + box.h ? barAt(layout.columns.batch, bars(replica), x) : -1,
  };
}

function chipAt(column: Span, marks: number, x: number, dy: number): number {
  const slots = chipSlots(column, marks);
  const c = Math.floor((x - column.x) / 14.2);
  const r = Math.floor(dy / 14.2);
  return c < 0 || c >= slots.columns || r < 0 || r >= slots.rows ? -1 : r * slots.columns + c;
}

function barAt(column: Span, bars: number, x: number): number {
  const { pitch, shown } = barPitch(column, bars);
  const i = Math.floor((x - column.x) / pitch);
  return i < 0 || i >= shown ? -1 : i;
}

/** The cells of a KV map: squares large enough to fill the map with all samples, 3 px to 15 px, else fewer samples. */
export type CellGrid = { readonly pitch: number; readonly columns: number; readonly shown: number };

export function cellGrid(column: Span, marks: number, cells: number): CellGrid {
  for (const pitch of [16, 14, 12, 10, 9, 8, 7, 6, 5, 4]) {
    const columns = Math.max(1, Math.floor((column.w + 1) / pitch));
    const rows = Math.max(1, Math.floor((marks + 1) / pitch));
    if (columns * rows >= cells || pitch === 4) return { pitch, columns, shown: Math.min(cells, columns * rows) };
  }
  return { pitch: 4, columns: 1, shown: 0 };
}
