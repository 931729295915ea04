// Where everything on the stage is: numbers from sizes and counts alone, so that it can be tested and hit-tested without a canvas.

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
  /** Stacked cards without the pipeline drawing. */
  readonly narrow: boolean;
  readonly width: number;
  /** Height needed; more than the box where the stage scrolls. */
  readonly height: number;
  /** One box for each replica, in order; a single one for the aggregate. */
  readonly boxes: readonly Box[];
  readonly columns: Columns;
  /** Where the branches of the router end: the middle of each row of boxes and how many boxes it has. */
  readonly branches: readonly { readonly y: number; readonly first: number; readonly count: number }[];
  /** Middle line of arrivals, admission and router. */
  readonly axisY: number;
  /** Height of chips, bars and cells in a row. */
  readonly marks: number;
};

export const NARROW = 720;
export const HEAD = 30;
export const FLOW = 262;
export const PIPE = { x: 8, y: 8, h: 44 } as const;
const EDGE = 12;
const GAP = 12;
const PHONE = { card: 93, gap: 7, top: 62, edge: 8, pad: 10 } as const;
const EMPTY: Columns = {
  id: { x: 0, w: 0 },
  wait: { x: 0, w: 0 },
  batch: { x: 0, w: 0 },
  kv: { x: 0, w: 0 },
  now: { x: 0, w: 0 },
};

/** How much of each replica is shown: full rows to 8, cards to 64, heat cells to 256, then one aggregate. */
export function detailFor(replicas: number): Detail {
  if (replicas <= 8) return 'rows';
  if (replicas <= 64) return 'cards';
  return replicas <= 256 ? 'heat' : 'aggregate';
}

/** `pools` is how many there are: several are named beside each replica, which takes a wider column. */
export function stageLayout(width: number, height: number, replicas: number, pools = 1): StageLayout {
  const narrow = width < NARROW;
  const detail = detailFor(replicas);
  if (detail === 'rows')
    return narrow ? phoneRows(width, height, replicas) : fullRows(width, height, replicas, pools > 1 ? 92 : 40);
  const area = narrow
    ? { x: PHONE.edge, y: PHONE.top, w: width - 2 * PHONE.edge, h: Math.max(160, height - PHONE.top - 30) }
    : { x: FLOW, y: HEAD, w: width - FLOW - EDGE, h: height - HEAD - 8 };
  const grid =
    detail === 'aggregate'
      ? { boxes: [area], rows: [{ y: area.y + area.h / 2, first: 0, count: replicas }], bottom: area.y + area.h }
      : gridOf(area, replicas, detail, narrow);
  return {
    detail,
    narrow,
    width,
    height: narrow ? grid.bottom + 30 : Math.max(height, grid.bottom + 8),
    boxes: grid.boxes,
    columns: EMPTY,
    branches: grid.rows,
    axisY: area.y + Math.min(area.h, height - HEAD - 8) / 2,
    marks: 0,
  };
}

function fullRows(width: number, height: number, n: number, idW: number): StageLayout {
  const pitch = Math.max(36, Math.min(72, Math.floor((height - HEAD - 8) / Math.max(1, n))));
  const gap = pitch >= 56 ? 6 : 4;
  const boxes: Box[] = [];
  for (let i = 0; i < n; i++) boxes.push({ x: FLOW, y: HEAD + i * pitch, w: width - FLOW - EDGE, h: pitch - gap });
  const inner = { x: FLOW + 10, w: width - FLOW - EDGE - 20 };
  // Widths at 528 px; what is more or less goes to the batch and, in whole cells, to the blocks.
  const spare = inner.w - (idW + 84 + 160 + 129 + 67 + 4 * GAP);
  // The batch column shrinks first: the heads of the blocks need their width.
  const share = Math.max(0, spare) * 0.4 + Math.min(0, spare + 60) * 0.5;
  const cells = Math.floor((129 + share + 1) / 5);
  const kv = cells * 5 - 1;
  const batch = 160 + spare + 129 - kv;
  const widths = [idW, 84, batch, kv, 67];
  let x = inner.x;
  const [id, wait, run, blocks, now] = widths.map((w) => {
    const span = { x, w };
    x += w + GAP;
    return span;
  });
  const none = { x: 0, w: 0 };
  const height1 = pitch - gap;
  return {
    detail: 'rows',
    narrow: false,
    width,
    height: Math.max(height, HEAD + n * pitch + 8),
    boxes,
    columns: { id: id ?? none, wait: wait ?? none, batch: run ?? none, kv: blocks ?? none, now: now ?? none },
    branches: boxes.map((b, i) => ({ y: b.y + b.h / 2, first: i, count: 1 })),
    axisY: HEAD + (Math.min(n * pitch, height - HEAD) - gap) / 2,
    marks: Math.max(14, Math.min(36, height1 - 15 - (height1 >= 60 ? 15 : 4))),
  };
}

function phoneRows(width: number, height: number, n: number): StageLayout {
  const boxes: Box[] = [];
  const w = width - 2 * PHONE.edge;
  for (let i = 0; i < n; i++)
    boxes.push({ x: PHONE.edge, y: PHONE.top + i * (PHONE.card + PHONE.gap), w, h: PHONE.card });
  const x0 = PHONE.edge + PHONE.pad;
  const kv = 104;
  const batch = w - 2 * PHONE.pad - 84 - kv - 20;
  return {
    detail: 'rows',
    narrow: true,
    width,
    height: Math.max(height, PHONE.top + n * (PHONE.card + PHONE.gap) + 30),
    boxes,
    columns: {
      id: { x: x0, w: 84 },
      wait: { x: x0, w: 84 },
      batch: { x: x0 + 94, w: batch },
      kv: { x: x0 + 104 + batch, w: kv },
      now: { x: x0 + 94, w: w - 2 * PHONE.pad - 94 },
    },
    branches: [],
    axisY: 0,
    marks: 36,
  };
}

type Grid = { boxes: Box[]; rows: { y: number; first: number; count: number }[]; bottom: number };

/** Equal boxes in reading order, as close to `shape` (width over height) as the area allows. */
function gridOf(area: Box, n: number, detail: Detail, narrow: boolean): Grid {
  const gap = detail === 'heat' ? 2 : 4;
  const shape = detail === 'heat' ? 1.6 : 2.1;
  const least = detail === 'heat' ? { w: 16, h: 14 } : { w: narrow ? 100 : 62, h: 32 };
  const ideal = Math.max(1, Math.min(n, Math.round(Math.sqrt((n * area.w) / (area.h * shape)))));
  const widest = Math.max(1, Math.min(ideal, Math.floor((area.w + gap) / (least.w + gap))));
  // One column fewer or more if that leaves fewer places empty in the last row.
  const empty = (c: number): number => Math.ceil(n / c) * c - n;
  const near = [widest, widest - 1, widest - 2].filter(
    (c) => c >= 1 && Math.ceil(n / c) * (least.h + gap) <= area.h + gap,
  );
  const cols = near.reduce((best, c) => (empty(c) < empty(best) ? c : best), widest);
  const count = Math.ceil(n / cols);
  const w = (area.w + gap) / cols - gap;
  const most = detail === 'heat' ? 40 : 86;
  const fit = Math.floor((area.h + gap) / count) - gap;
  const h = Math.min(most, narrow ? Math.max(fit, detail === 'heat' ? 22 : 64) : Math.max(fit, least.h));
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

/** Chips a wait column holds: six a row of 13 px with 1.2 px between. */
export function chipSlots(column: Span, marks: number): { readonly columns: number; readonly rows: number } {
  return {
    columns: Math.max(1, Math.floor((column.w + 1.2) / 14.2)),
    rows: Math.max(1, Math.floor((marks + 1.2) / 14.2)),
  };
}

/** Distance between the bars of a batch: 48 bars fill the column, more are closer, never closer than 2 px. */
export function barPitch(
  column: Span,
  bars: number,
): { readonly pitch: number; readonly bar: number; readonly shown: number } {
  const pitch = Math.max(2, Math.min(6, column.w / Math.max(48, bars)));
  return {
    pitch,
    bar: Math.max(1, pitch >= 3 ? pitch - 1 : pitch * 0.7),
    shown: Math.min(bars, Math.floor((column.w + 1) / pitch)),
  };
}

/** Middle of the marks' top edge in a row. */
export function marksTop(box: Box, marks: number, narrow: boolean): number {
  return narrow ? box.y + 47 : box.y + Math.round((box.h - marks - 15) / 2) + 15;
}

/** What is under the point. */
export type Hit = { readonly replica: number; readonly chip: number; readonly bar: number };

/** The box under the point and, in a full row, the number of the chip or bar there; −1 where there is none. */
export function hitTest(layout: StageLayout, x: number, y: number, bars: (replica: number) => number): Hit | undefined {
  if (layout.detail === 'aggregate') return undefined;
  const replica = layout.boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y - 1 && y < b.y + b.h + 3);
  const box = layout.boxes[replica];
  if (!box) return undefined;
  if (layout.detail !== 'rows') return { replica, chip: -1, bar: -1 };
  const top = marksTop(box, layout.marks, layout.narrow);
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

/** The cells of a KV map: squares as large as shows every sample, 3 px at least and 7 at most, else fewer samples. */
export type CellGrid = { readonly pitch: number; readonly columns: number; readonly shown: number };

export function cellGrid(column: Span, marks: number, cells: number): CellGrid {
  for (const pitch of [8, 7, 6, 5, 4]) {
    const columns = Math.max(1, Math.floor((column.w + 1) / pitch));
    const rows = Math.max(1, Math.floor((marks + 1) / pitch));
    if (columns * rows >= cells || pitch === 4) return { pitch, columns, shown: Math.min(cells, columns * rows) };
  }
  return { pitch: 4, columns: 1, shown: 0 };
}
