// The layout of the stage, computed from sizes and counts alone, so that it can be tested and hit-tested without a
// canvas.

import { type QueueBoxes, queueAbove, queueBeside, queueOver, VESSEL } from './bands.ts';
import { type CalmRows, calmHit } from './calmLayout.ts';
import { cardHit, type SplitLayout } from './splitLayout.ts';
import { type Strip, stripHit } from './strip.ts';

export type Detail = 'rows' | 'cards' | 'heat' | 'aggregate';
export type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
export type Span = { readonly x: number; readonly w: number };

/** The columns of a full row. */
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
  /** Rows too low for text above the marks: numbers go before the marks. */
  readonly compact: boolean;
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
  /** Height of chips, bars and cells in a row. */
  readonly marks: number;
  /** Where the pipes end and the boxes begin, if the pipes are at the left. */
  readonly flow: number;
  /** The gateway's queue; undefined without flow control. */
  readonly queue: QueueBoxes | undefined;
  /** Prefill and decode apart: two columns of cards instead of rows. */
  readonly split?: SplitLayout;
  /** The first view: what its rows have of their own. */
  readonly calm?: CalmRows;
  /** The strip above a close-up: what its boxes have of their own. */
  readonly strip?: Strip;
};

/** Below this width, the pipes would take the room of the replicas. */
export const NARROW = 760;
/** A stage with a gateway's queue has to be wider by this. */
const QUEUE_ROOM = 30;
const STACKED = 480;
export const HEAD = 30;
const FLOW = 262;
/** Left of the heat cells: the number of the first replica of each row. */
export const GUTTER = 34;
const EDGE = 12;
/** Between two columns of a row. */
export const COLUMN_GAP = 12;
const PHONE = { card: 93, most: 160, gap: 7, top: 62, edge: 8, pad: 10, foot: 30 } as const;
/**
 * The least heights of a compact row and of one with text above the marks; below `compact` a row is illegible. No row is
 * higher than `most`: one or two replicas stand in the middle.
 */
const ROW = { compact: 30, words: 50, airy: 56, roomy: 60, most: 150 } as const;
/** Room for the number before the marks of a compact row. */
export const LEAD = { wait: 26, batch: 32, kv: 36 } as const;
const NO_LEAD = { wait: 0, batch: 0, kv: 0 } as const;
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

const isNarrow = ({ width, bands }: Pane): boolean => width < NARROW + (bands > 0 ? QUEUE_ROOM : 0);

/**
 * The most detail that fits the box, unless the boxes are stacked and the page scrolls. `pools` is their number: with
 * several, each replica has the name of its pool, which needs a wider column. `bands` are those of the gateway's queue.
 */
export function stageLayout(width: number, height: number, replicas: number, pools = 1, bands = 0): StageLayout {
  const pane = { width, height, bands };
  const bare = bareLayout(pane, replicas, pools);
  const flow = flowOf(bands);
  if (bands === 0) return { ...bare, flow, queue: undefined };
  if (!bare.narrow) return { ...bare, flow, queue: queueBeside(bare.height, bands) };
  const over = { x: PHONE.edge, y: PHONE.top, w: width - 2 * PHONE.edge };
  return { ...bare, flow, queue: queueOver(over, bands, bare.stacked) };
}

const flowOf = (bands: number): number => FLOW + (bands > 0 ? VESSEL.shift : 0);

function bareLayout(pane: Pane, replicas: number, pools: number): Bare {
  const wanted = detailFor(replicas);
  if (pane.width < STACKED) return stackedLayout(pane, replicas, wanted);
  const area = areaOf(pane);
  const pitch = Math.floor(area.h / Math.max(1, replicas));
  if (wanted === 'rows' && pitch >= ROW.compact) return fullRows(pane, area, replicas, pools, pitch);
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
    compact: false,
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

function fullRows(pane: Pane, area: Box, n: number, pools: number, room: number): Bare {
  const pitch = Math.min(room, ROW.most);
  const top = area.y + Math.floor((area.h - Math.max(1, n) * pitch) / 2);
  const first = pitch < room ? top : area.y;
  const narrow = isNarrow(pane);
  const gap = pitch >= ROW.airy ? 6 : 4;
  const h = pitch - gap;
  const compact = h < ROW.words;
  const boxes: Box[] = [];
  for (let i = 0; i < n; i++) boxes.push({ x: area.x, y: first + i * pitch, w: area.w, h });
  const pad = h >= ROW.roomy ? 7 : 5;
  return {
    detail: 'rows',
    narrow,
    stacked: false,
    compact,
    width: pane.width,
    height: narrow ? Math.max(pane.height, area.y + area.h + PHONE.foot) : pane.height,
    head: { x: area.x, right: area.x + area.w, y: area.y - 11 },
    boxes,
    columns: columnsOf({ x: area.x + 10, w: area.w - 20 }, compact, pools > 1),
    branches: boxes.map((b, i) => ({ y: b.y + b.h / 2, first: i, count: 1 })),
    axisY: first + (Math.max(1, n) * pitch - gap) / 2,
    marks: compact ? h - 10 : h - 2 * pad - 16,
  };
}

/** The columns of a row. Widths are for 528 px; the difference goes to the batch and, in whole cells, to the blocks. */
function columnsOf(inner: Span, compact: boolean, pools: boolean): Columns {
  const lead = compact ? LEAD : NO_LEAD;
  const idW = compact ? (pools ? 124 : 76) : pools ? 96 : 44;
  const spare = inner.w - (idW + 84 + 160 + 129 + 67 + 4 * COLUMN_GAP);
  // The batch column shrinks first: the heads of the blocks need their width.
  const share = Math.max(0, spare) * 0.4 + Math.min(0, spare + 60) * 0.5;
  const cells = Math.floor((129 + share + 1) / 5);
  const kv = cells * 5 - 1;
  const widths = [idW, 84, 160 + spare + 129 - kv, kv, 67];
  const leads = [0, lead.wait, lead.batch, lead.kv, 0];
  let x = inner.x;
  const [id = NONE, wait = NONE, batch = NONE, blocks = NONE, now = NONE] = widths.map((w, i) => {
    const before = leads[i] ?? 0;
    const span = { x: x + before, w: w - before };
    x += w + COLUMN_GAP;
    return span;
  });
  return { id, wait, batch, kv: blocks, now };
}

/** Boxes for a phone: one below the other, or in a grid of boxes as large as a finger. */
function stackedLayout({ width, height, bands }: Pane, n: number, detail: Detail): Bare {
  const w = width - 2 * PHONE.edge;
  const top = PHONE.top + queueAbove(bands, true);
  const y = top + (detail === 'rows' ? 0 : HEAD - PHONE.edge);
  const base = { detail, narrow: true, stacked: true, compact: false, width, axisY: 0 };
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

/** Top edge of the marks in a row. */
export function marksTop(box: Box, layout: Pick<StageLayout, 'marks' | 'stacked' | 'compact'>): number {
  if (layout.stacked) return box.y + 47;
  return layout.compact
    ? box.y + Math.round((box.h - layout.marks) / 2)
    : box.y + Math.round((box.h - layout.marks - 16) / 2) + 16;
}

/** What is under the point. */
export type Hit = { readonly replica: number; readonly chip: number; readonly bar: number };

/** The box under the point and, in a full row, the number of the chip or bar there; −1 if there is none. */
export function hitTest(layout: StageLayout, x: number, y: number, bars: (replica: number) => number): Hit | undefined {
  if (layout.detail === 'aggregate') return undefined;
  const replica = layout.boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y - 1 && y < b.y + b.h + 3);
  const box = layout.boxes[replica];
  if (!box) return undefined;
  const card = layout.split?.cards[replica];
  if (card) return cardHit(card, replica, x, y, bars(replica));
  if (layout.strip) return stripHit(layout.strip, box, replica, x, y, bars(replica));
  if (layout.calm) return calmHit(layout.calm, box, replica, x, y, bars(replica));
  if (layout.detail !== 'rows') return { replica, chip: -1, bar: -1 };
  const top = marksTop(box, layout);
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
