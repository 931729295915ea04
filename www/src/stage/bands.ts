// The layout of the gateway's queue on the stage: one vessel with a box for each band, the most urgent on top.
import type { Box, StageLayout } from './layout.ts';

/** The vessel and its bands, and the marks of each band. */
export type QueueBoxes = {
  readonly vessel: Box;
  readonly bands: readonly Box[];
  /** Whether a band is one wide line, as above the replicas on a phone. */
  readonly wide: boolean;
};

/** The vessel beside the pipes of clients, and how much farther right all is that comes after it. */
export const VESSEL = { x: 96, w: 118, top: 48, foot: 46, shift: 82 } as const;
/** Above the replicas: the head, and a band on a phone and in a low stage. */
const ABOVE = { head: 22, phone: 44, low: 26, gap: 8 } as const;
/** Distance of two marks, and the room for text beside them. */
const PITCH = 14.2;
const MARKS = { label: 16, words: 15, gauge: 10, name: 92, figures: 96, wait: 4 } as const;

/** Height of the queue above the replicas; 0 without flow control. */
export function queueAbove(bands: number, phone: boolean): number {
  return bands === 0 ? 0 : ABOVE.head + bands * (phone ? ABOVE.phone : ABOVE.low) + ABOVE.gap;
}

/** The queue above the replicas, from `y` on. */
export function queueOver(box: Pick<Box, 'x' | 'y' | 'w'>, bands: number, phone: boolean): QueueBoxes {
  const pitch = phone ? ABOVE.phone : ABOVE.low;
  return stacked({ ...box, y: box.y + ABOVE.head, h: bands * pitch }, bands, true);
}

/** The queue between the pipes of clients and the router. */
export function queueBeside(height: number, bands: number): QueueBoxes {
  const { x, w, top, foot } = VESSEL;
  return stacked({ x, y: top, w, h: height - top - foot }, bands, false);
}

function stacked(vessel: Box, bands: number, wide: boolean): QueueBoxes {
  const h = Math.floor(vessel.h / bands);
  const boxes = Array.from({ length: bands }, (_, i) => ({ x: vessel.x, y: vessel.y + i * h, w: vessel.w, h }));
  return { vessel: { ...vessel, h: h * bands }, bands: boxes, wide };
}

/** Where the hollow marks of a band are: none without room. */
export type BandMarks = {
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
  /** Base line of the longest wait; undefined if it has no room. */
  readonly wordsY: number | undefined;
  /** Whether the longest wait is beside the marks, without its word. */
  readonly beside: boolean;
};

export function bandMarks(box: Box, wide: boolean): BandMarks {
  if (wide) {
    const tall = box.h >= ABOVE.phone;
    const room = box.w - 16 - (tall ? 0 : MARKS.name + MARKS.figures);
    const columns = Math.max(0, Math.floor((room + 1.2) / PITCH));
    const x = box.x + 8 + (tall ? 0 : MARKS.name);
    return { x, y: box.y + (tall ? 18 : 4), columns, rows: 1, wordsY: box.y + 14, beside: true };
  }
  const room = box.h - MARKS.label - MARKS.gauge;
  const columns = Math.floor((box.w - 12 + 1.2) / PITCH);
  const rows = Math.max(0, Math.floor((room - MARKS.words + 1.2) / PITCH));
  const bottom = box.y + box.h - MARKS.gauge;
  const y = box.y + MARKS.label + 2;
  const marks = { x: box.x + 6, y, columns, rows };
  if (rows > 0) return { ...marks, wordsY: bottom - 3, beside: false };
  if (room < MARKS.words) return { ...marks, wordsY: undefined, beside: true };
  return { ...marks, columns: columns - MARKS.wait, rows: 1, wordsY: y + 10, beside: true };
}

/** The band and its mark under a point; undefined if there is none. */
export function bandHit(layout: StageLayout, x: number, y: number): { band: number; mark: number } | undefined {
  const queue = layout.queue;
  const band = queue?.bands.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h) ?? -1;
  const box = queue?.bands[band];
  if (!queue || !box) return undefined;
  const marks = bandMarks(box, queue.wide);
  const [column, row] = [Math.floor((x - marks.x) / PITCH), Math.floor((y - marks.y) / PITCH)];
  if (column < 0 || column >= marks.columns || row < 0 || row >= marks.rows) return undefined;
  return { band, mark: row * marks.columns + column };
}
