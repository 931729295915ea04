// The layout of the rows of a small fleet: per replica its name and state, its queue, its batch, and where there is room its blocks,
// how long a step takes, and a tool. The first view and the whole page have the same rows, of different height.
import type { Box, Hit, Span } from './layout.ts';

export type Rows = {
  /** The names of replicas. */
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
  /** The cells of blocks. */
  readonly kv?: Span & { readonly h: number };
  /** Where the duration of a step ends. */
  readonly step?: number;
  /** Where the hatch of a replica that is down begins and ends. */
  readonly down: { readonly x: number; readonly right: number };
  /** Where the tool of a row begins, and how high it is. */
  readonly tool?: { readonly x: number; readonly high: number };
};

/** Most replicas that have a row. */
const MOST_ROWS = 8;
/** From this height on, a row has its state below its name. */
const BELOW = 44;
/** Most places of a batch that are drawn. */
const PLACES = 64;
/** Rows of this height have large chips. */
const LARGE = 60;

/** Whether this number of replicas is drawn in rows. */
export const areRows = (replicas: number): boolean => replicas > 0 && replicas <= MOST_ROWS;

/** What rows have within their width, from their left edge on. */
export type Measures = {
  readonly name: number;
  readonly door: number;
  readonly columns: number;
  readonly bar: number;
  readonly gap: number;
  /** Room at the end for a tool. */
  readonly tool: number;
  /** Room for the duration of a step, and for the cells of blocks. */
  readonly step: number;
  readonly kv: number;
};

/** Room for the tool of a low row. */
export const TOOL = 76;
/** The tool of a low row that ends here. */
export const toolIn = (right: number, h: number) => ({ x: right - 66, high: Math.min(28, h) });

/** Between the cells of blocks and their neighbours. */
const KV_GAP = 20;

/** The marks within rows that have this box in common; `batch` is the most requests that one runs. */
export function rowsIn({ x: left, w, h }: Omit<Box, 'y'>, measures: Measures, batch: number): Rows {
  const x = left + measures.door + 20;
  const kvRoom = measures.kv > 0 ? measures.kv + KV_GAP : 0;
  const end = left + w - measures.tool - measures.step;
  const span = Math.max(6, end - kvRoom - x);
  const places = Math.max(1, Math.min(PLACES, batch));
  const pitch = Math.max(3, Math.min(measures.bar + measures.gap, span / places));
  const size = h >= LARGE ? 18 : 13;
  const right = left + w - measures.tool;
  return {
    name: left + measures.name,
    inline: h < BELOW,
    door: left + measures.door,
    chip: { size, pitch: size + (h >= LARGE ? 4 : 3), columns: measures.columns },
    batch: {
      x,
      pitch,
      bar: Math.max(2, pitch * (measures.bar / (measures.bar + measures.gap))),
      places: Math.min(places, Math.max(1, Math.floor((span + 1) / pitch))),
      height: Math.round(h * (h >= LARGE ? 0.62 : 0.7)),
    },
    ...(measures.kv > 0 ? { kv: { x: end - measures.kv, w: measures.kv, h: h - 14 } } : {}),
    ...(measures.step > 0 ? { step: right } : {}),
    down: { x: left + Math.min(320, Math.max(measures.door, measures.name + 150)), right },
  };
}

/** Boxes one below the other. */
export const rowBoxes = ({ x, y, w, h }: Box, gap: number, replicas: number): Box[] =>
  Array.from({ length: replicas }, (_, i) => ({ x, y: y + i * (h + gap), w, h }));

/** The lower edge of the bars in a row. */
export const baseOf = (box: Box, { batch }: Rows): number =>
  box.y + box.h - (box.h - batch.height) / 2 + (box.h < LARGE ? 2 : 4);

/** The upper edge of the cells of blocks. */
export const cellsTop = (box: Box, kv: { readonly h: number }): number => box.y + Math.round((box.h - kv.h) / 2);

/** The first chip's row and the number of rows for a queue. */
export function chipRows(box: Box, { chip }: Rows, waiting: number): { readonly top: number; readonly rows: 1 | 2 } {
  const rows = waiting > 1 ? 2 : 1;
  return { rows, top: box.y + box.h / 2 - (rows * chip.pitch - (chip.pitch - chip.size)) / 2 };
}

/** What is under a point of a row. */
export function rowHit(rows: Rows, box: Box, replica: number, x: number, y: number, bars: number): Hit {
  const { chip, batch, door } = rows;
  const column = Math.floor((door + chip.pitch - chip.size - x) / chip.pitch);
  const inQueue = x <= door && column >= 0 && column < chip.columns;
  const lower = y > box.y + box.h / 2 ? 1 : 0;
  const bar = Math.floor((x - batch.x) / batch.pitch);
  const inBatch = x >= batch.x && bar < Math.min(bars, batch.places);
  return { replica, chip: inQueue ? column * 2 + lower : -1, bar: inBatch ? bar : -1 };
}
