// The layout of the stage in the first view: the source, the router and one row a replica, with room for a tool at its end.
import type { ToolPlaces } from '../base/view.ts';
import type { Bare, Box, Hit } from './layout.ts';

/** What the rows of the first view have of their own. */
export type CalmRows = {
  /** The trunk below the router, where that stands above the rows. */
  readonly trunk?: number;
  /** Where the pipe begins, and the middle of the router. */
  readonly source: number;
  readonly router: { readonly x: number; readonly radius: number };
  /** The names of replicas, from the left edge of their row. */
  readonly name: number;
  /** The state beside the name, not below it. */
  readonly inline: boolean;
  /** Where the oldest waiting request stands; those behind it go to the left. */
  readonly door: number;
  readonly chip: { readonly size: number; readonly pitch: number; readonly columns: number };
  /** The first place of the batch, their distance, width and number, and the height of a full bar. */
  readonly batch: {
    readonly x: number;
    readonly pitch: number;
    readonly bar: number;
    readonly places: number;
    readonly height: number;
  };
  /** Where the hatch of a replica that is down begins and ends. */
  readonly down: { readonly x: number; readonly right: number };
};

/** A phone has its router above the rows, and a trunk at their left. */
const PHONE = {
  below: 600,
  top: 50,
  trunk: 28,
  router: 24,
  row: 52,
  edge: 16,
  name: 12,
  door: 162,
  height: 62,
  least: 44,
  gap: 6,
} as const;
const NONE = { x: 0, w: 0 } as const;
const TOP = 36;
const EDGE = 31;
/** Room at the end of a row for its tool. */
const TOOL = 108;
/** Most replicas that have a row, most that have a high one, and the heights of both: they grow with a high page. */
const ROWS = { most: 8, high: 4 } as const;
const HEIGHT = { least: 28, high: 108, low: 56 } as const;
/** From this height on, a row has its state below its name. */
const BELOW = 44;
/** Most places of a batch that are drawn. */
const PLACES = 64;

/** The measures of a wide page and of narrower ones. */
const WIDE = { from: 1100, row: 400, router: 276, name: 20, door: 392, columns: 10, bar: 14, gap: 5 } as const;
const NARROWER = { from: 820, row: 296, router: 190, name: 14, door: 206, columns: 6, bar: 10, gap: 4 } as const;
const NARROW = { row: 200, router: 116, name: 12, door: 168, columns: 4, bar: 7, gap: 3 } as const;

/** Whether a stage of this many replicas is drawn in rows of the first view. */
export const hasCalmRows = (replicas: number): boolean => replicas > 0 && replicas <= ROWS.most;

type Pane = { readonly width: number; readonly height: number };

export function calmLayout(pane: Pane, replicas: number, batch: number): Bare & { calm: CalmRows } {
  return pane.width < PHONE.below ? phoneRows(pane, replicas, batch) : wideRows(pane, replicas, batch);
}

function phoneRows({ width, height }: Pane, replicas: number, batch: number): Bare & { calm: CalmRows } {
  const room = Math.floor((height - PHONE.top - 4 + PHONE.gap) / replicas) - PHONE.gap;
  const h = Math.max(PHONE.least, Math.min(PHONE.height, room));
  const w = width - PHONE.row - PHONE.edge;
  const boxes = Array.from({ length: replicas }, (_, i) => ({
    x: PHONE.row,
    y: PHONE.top + i * (h + PHONE.gap),
    w,
    h,
  }));
  const x = PHONE.row + PHONE.door + 20;
  const span = PHONE.row + w - 10 - x;
  const places = Math.max(1, Math.min(PLACES, batch));
  const pitch = Math.max(3, Math.min(6.5, span / places));
  const bottom = PHONE.top + replicas * (h + PHONE.gap) - PHONE.gap;
  return {
    ...rowsOf({ width, height: Math.max(height, bottom + 4) }, boxes, PHONE.router + 4),
    axisY: PHONE.router,
    calm: {
      trunk: PHONE.trunk,
      source: PHONE.trunk,
      router: { x: PHONE.trunk, radius: 12 },
      name: PHONE.row + PHONE.name,
      inline: false,
      door: PHONE.row + PHONE.door,
      chip: { size: 11, pitch: 14, columns: 6 },
      batch: {
        x,
        pitch,
        bar: Math.max(2, pitch * 0.7),
        places: Math.min(places, Math.max(1, Math.floor((span + 1) / pitch))),
        height: Math.round(h * 0.61),
      },
      down: { x: PHONE.row + 170, right: PHONE.row + w },
    },
  };
}

/** What rows have in common. */
function rowsOf({ width, height }: Pane, boxes: readonly Box[], headY: number): Omit<Bare, 'axisY'> {
  const [first] = boxes;
  const x = first?.x ?? 0;
  return {
    detail: 'rows',
    narrow: false,
    stacked: false,
    compact: false,
    width,
    height,
    head: { x, right: x + (first?.w ?? 0), y: headY },
    boxes,
    columns: { id: NONE, wait: NONE, batch: NONE, kv: NONE, now: NONE },
    branches: boxes.map((b, i) => ({ y: b.y + b.h / 2, first: i, count: 1 })),
    marks: 0,
  };
}

function wideRows({ width, height }: Pane, replicas: number, batch: number): Bare & { calm: CalmRows } {
  const measures = [WIDE, NARROWER].find(({ from }) => width >= from) ?? NARROW;
  const high = replicas <= ROWS.high;
  const gap = high ? 8 : 5;
  const room = Math.floor((height - TOP - 12 + gap) / replicas) - gap;
  const h = Math.max(HEIGHT.least, Math.min(high ? HEIGHT.high : HEIGHT.low, room));
  const w = width - EDGE - measures.row;
  const boxes = Array.from({ length: replicas }, (_, i) => ({ x: measures.row, y: TOP + i * (h + gap), w, h }));
  const x = measures.row + measures.door + 20;
  const span = measures.row + w - TOOL - x;
  const places = Math.max(1, Math.min(PLACES, batch));
  const pitch = Math.max(3, Math.min(measures.bar + measures.gap, span / places));
  const size = h >= 60 ? 18 : 13;
  const bottom = TOP + replicas * (h + gap) - gap;
  return {
    ...rowsOf({ width, height: Math.max(height, bottom + 4) }, boxes, TOP - 10),
    axisY: (TOP + bottom) / 2,
    calm: {
      source: EDGE + 5,
      router: { x: measures.router, radius: 20 },
      name: measures.row + measures.name,
      inline: h < BELOW,
      door: measures.row + measures.door,
      chip: { size, pitch: size + (h >= 60 ? 4 : 3), columns: measures.columns },
      batch: {
        x,
        pitch,
        bar: Math.max(2, pitch * (measures.bar / (measures.bar + measures.gap))),
        places: Math.min(places, Math.max(1, Math.floor((span + 1) / pitch))),
        height: Math.round(h * (h >= 60 ? 0.62 : 0.7)),
      },
      down: { x: measures.row + Math.min(320, measures.door - 20), right: measures.row + w - TOOL },
    },
  };
}

/** The lower edge of the bars in a row. */
export const baseOf = (box: Box, calm: CalmRows): number => box.y + box.h - (box.h - calm.batch.height) / 2 + 4;

/** The first chip's row and the number of rows for a queue. */
export function chipRows(
  box: Box,
  { chip }: CalmRows,
  waiting: number,
): { readonly top: number; readonly rows: 1 | 2 } {
  const rows = waiting > 1 ? 2 : 1;
  return { rows, top: box.y + box.h / 2 - (rows * chip.pitch - (chip.pitch - chip.size)) / 2 };
}

/** What is under a point of a row. */
export function calmHit(calm: CalmRows, box: Box, replica: number, x: number, y: number, bars: number): Hit {
  const { chip, batch, door } = calm;
  const column = Math.floor((door + chip.pitch - chip.size - x) / chip.pitch);
  const inQueue = x <= door && column >= 0 && column < chip.columns;
  const lower = y > box.y + box.h / 2 ? 1 : 0;
  const bar = Math.floor((x - batch.x) / batch.pitch);
  const inBatch = x >= batch.x && bar < Math.min(bars, batch.places);
  return { replica, chip: inQueue ? column * 2 + lower : -1, bar: inBatch ? bar : -1 };
}

/** Where the tools of the first view stand: below the source, below the router, and at the end of each row. */
export function toolPlaces(layout: Bare & { calm: CalmRows }, replicas: readonly number[]): ToolPlaces {
  const { axisY, boxes, calm } = layout;
  const { x, bar, pitch, height, places } = calm.batch;
  const batches = boxes.map((b, i) => ({
    ...{ replica: replicas[i] ?? i, bar, pitch, height, places, x },
    y: baseOf(b, calm) - height,
  }));
  if (calm.trunk !== undefined) return { rows: [], batches };
  const stacked = calm.router.x < 250;
  return {
    source: {
      burst: { x: EDGE, y: axisY + (stacked ? 72 : 32) },
      router: { x: stacked ? EDGE : calm.router.x - 112, y: axisY + 32 },
    },
    rows: boxes.map((b, i) => ({ x: b.x + b.w - 98, y: b.y + b.h / 2 - 16, replica: replicas[i] ?? i })),
    batches,
  };
}
