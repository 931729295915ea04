// The layout of the stage where a close-up has its height: the replicas in a row, each with its waiting and running
// requests; in several rows of small boxes where they are many.
import type { Bare, Box, Hit } from './layout.ts';

/** A stage no higher than this is drawn as a strip. */
export const STRIP_HEIGHT = 60;

/** Where a box has its marks, from its left edge; a box without them shows shares. */
export type StripMarks = {
  readonly name: number;
  readonly chips: { readonly x: number; readonly pitch: number; readonly columns: number };
  readonly bars: { readonly x: number; readonly pitch: number; readonly places: number };
};

export type Strip = { readonly marks: StripMarks | undefined };

const EDGE = { x: 12, y: 6 } as const;
const MOST_ROWS = 4;
/** A box with single requests is no narrower than `marks`, one with a name no narrower than `name`. */
const LEAST = { marks: 72, name: 30 } as const;
export const STRIP_CHIP = 11;
const CHIPS = { x: 40, pitch: 13, rows: 2, most: 10, share: 0.4 } as const;
const BARS = { gap: 10, edge: 8, pitch: 8, least: 3, most: 64 } as const;
const NONE = { x: 0, w: 0 } as const;

export function stripLayout(
  width: number,
  height: number,
  replicas: number,
  batch: number,
): Bare & { readonly strip: Strip } {
  const inner = { w: Math.max(1, width - 2 * EDGE.x), h: Math.max(8, height - 2 * EDGE.y) };
  const n = Math.max(1, replicas);
  let rows = 1;
  while (rows < MOST_ROWS && inner.w / Math.ceil(n / rows) < LEAST.name) rows += 1;
  const columns = Math.ceil(n / rows);
  const pitch = inner.w / columns;
  const gap = pitch >= LEAST.name ? 4 : pitch >= 4 ? 1 : 0;
  const high = inner.h / rows;
  const boxes = Array.from({ length: replicas }, (_, i): Box => {
    const left = Math.round(EDGE.x + (i % columns) * pitch);
    const top = Math.round(EDGE.y + Math.floor(i / columns) * high);
    const right = Math.round(EDGE.x + ((i % columns) + 1) * pitch) - gap;
    return { x: left, y: top, w: Math.max(1, right - left), h: Math.max(1, Math.floor(high) - (rows > 1 ? 1 : 0)) };
  });
  const w = boxes[0]?.w ?? 0;
  return {
    detail: 'cards',
    ...{ narrow: false, stacked: false, width, height },
    head: { x: EDGE.x, right: width - EDGE.x, y: 0 },
    boxes,
    columns: { id: NONE, wait: NONE, batch: NONE, kv: NONE, now: NONE },
    branches: [],
    axisY: height / 2,
    marks: 0,
    strip: { marks: rows === 1 && w >= LEAST.marks ? marksIn(w, batch) : undefined },
  };
}

function marksIn(w: number, batch: number): StripMarks {
  const columns = Math.max(1, Math.min(CHIPS.most, Math.floor(((w - CHIPS.x) * CHIPS.share) / CHIPS.pitch)));
  const x = CHIPS.x + columns * CHIPS.pitch + BARS.gap;
  const room = Math.max(BARS.least, w - BARS.edge - x);
  const wanted = Math.max(1, Math.min(BARS.most, batch));
  const pitch = Math.max(BARS.least, Math.min(BARS.pitch, room / wanted));
  const places = Math.max(1, Math.min(wanted, Math.floor(room / pitch)));
  return { name: 10, chips: { x: CHIPS.x, pitch: CHIPS.pitch, columns }, bars: { x, pitch, places } };
}

/** The oldest waiting request stands at the right, beside the batch; those behind it go to the left. */
export function stripChip({ chips }: StripMarks, box: Box, i: number): { readonly x: number; readonly y: number } {
  const column = chips.columns - 1 - Math.floor(i / CHIPS.rows);
  const top = box.y + box.h / 2 - chips.pitch + 1;
  return { x: box.x + chips.x + column * chips.pitch, y: Math.round(top + (i % CHIPS.rows) * chips.pitch) };
}

/** Most waiting requests with a mark of their own. */
export const stripChips = ({ chips }: StripMarks): number => chips.columns * CHIPS.rows;

/** What is under a point of a box: a waiting request, one of the batch, or the replica alone. */
export function stripHit({ marks }: Strip, box: Box, replica: number, x: number, y: number, bars: number): Hit {
  if (!marks) return { replica, chip: -1, bar: -1 };
  const column = Math.floor((x - box.x - marks.chips.x) / marks.chips.pitch);
  const inQueue = column >= 0 && column < marks.chips.columns;
  const lower = y > box.y + box.h / 2 ? 1 : 0;
  const bar = Math.floor((x - box.x - marks.bars.x) / marks.bars.pitch);
  return {
    replica,
    chip: inQueue ? (marks.chips.columns - 1 - column) * CHIPS.rows + lower : -1,
    bar: bar >= 0 && bar < Math.min(bars, marks.bars.places) ? bar : -1,
  };
}
