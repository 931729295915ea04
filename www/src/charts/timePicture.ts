// The picture of a chart over time as data for its painter, and the positions of its instants and values.
import type { Flag } from '../generated/boundary.ts';

/** Left and right margin of every time chart, so that all share their edges. */
export const EDGE = { left: 40, right: 44 } as const;
const PAD = { top: 5, bottom: 4 } as const;
/** Height above the first plot for warm-up and edits. It has no data, so that nothing covers them. */
export const LANE = 13;

export type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
export type Point = readonly [x: number, y: number];

/** The plot itself in a chart of this size, in CSS pixels. */
export function plotBox(width: number, height: number, first: boolean): Box {
  const top = PAD.top + (first ? LANE : 0);
  return {
    x: EDGE.left,
    y: top,
    w: Math.max(1, width - EDGE.left - EDGE.right),
    h: Math.max(1, height - top - PAD.bottom),
  };
}

/** The axes of a chart: time from its start, which is zero unless it is zoomed, to its end, values linear or logarithmic. */
export type Axes = {
  readonly startS?: number | undefined;
  readonly endS: number;
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
};

/** The positions of instants and values in a box; `x` puts instants beyond it at its edges, `along` beyond them. */
export function placesIn(
  box: Box,
  { startS = 0, endS, low, high, log }: Axes,
): {
  readonly x: (timeS: number) => number;
  readonly along: (timeS: number) => number;
  readonly y: (value: number) => number;
} {
  const part = (t: number): number => (t - startS) / Math.max(1e-6, endS - startS);
  const share = log
    ? (v: number): number => Math.log(v / low) / Math.log(high / low)
    : (v: number): number => (v - low) / (high - low);
  return {
    x: (t) => box.x + box.w * Math.min(1, Math.max(0, part(t))),
    along: (t) => box.x + box.w * part(t),
    y: (v) => box.y + box.h * (1 - share(v)),
  };
}

/** One line: its column and its style. */
export type DrawnLine = {
  readonly values: Float64Array;
  /** Label at its end. */
  readonly name: string;
  readonly ink: string;
  readonly width: number;
  readonly dash: readonly number[];
  /** The line in focus, which keeps its own label as long as there is room for two. */
  readonly chosen: boolean;
  /** For a high percentile: of how many values each is. Those of a handful are drawn thin and dashed. */
  readonly counts?: Float64Array | undefined;
};

/** A line of the run without the last edit: thin and dashed, from the edit on. */
export type Ghost = {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly name: string;
  /** The name of the same line in the run on screen. */
  readonly of: string;
};

/** A part of a line laid over a chart. */
export type Piece = { readonly from: Point; readonly to: Point; readonly violated: boolean };
/** The line of a law over a chart, in pixels: faint, with strokes across it while an assumption is violated. */
export type OverLine = {
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly strokes: readonly Point[];
  /** The start of its name on its base line; undefined if it would overlap a line. */
  readonly at: Point | undefined;
};

/** A replica while it is in one state. */
export type LaneSpan = {
  readonly fromS: number;
  readonly toS: number;
  readonly lane: number;
  readonly replica: number;
  readonly state: string;
};
/** Replicas over time in lanes, in place of lines that count them. */
export type Lanes = {
  readonly spans: readonly LaneSpan[];
  readonly count: number;
  /** Whether the axis counts lanes, from the bottom; else each lane is of one replica and has its name, from the top. */
  readonly stacked: boolean;
  /** The replica in focus. */
  readonly focus: number | undefined;
};

/** The value of the selected request, and the instant when it was known. */
export type Mark = { readonly atS: number; readonly value: number };

export type TimePicture = Axes & {
  readonly of: 'time';
  /** First chart of the column: it carries the labels of warm-up and edits. */
  readonly first: boolean;
  /** Of the first view: names stand at the ends of their lines, and the time to come has no hatch, which the timeline below has. */
  readonly plain?: boolean | undefined;
  readonly stepped: boolean;
  readonly times: Float64Array;
  readonly lines: readonly DrawnLine[];
  /** Filled between two lines, by their places in the list. */
  readonly bands: readonly {
    readonly upper: number;
    readonly lower: number;
    readonly ink: string;
    readonly alpha: number;
  }[];
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly nowS: number;
  readonly warmUpS: number;
  /** Stretches of anomalies, from and to. */
  readonly shaded: readonly (readonly [fromS: number, toS: number])[];
  readonly flags: readonly Flag[];
  /** 0 for none. */
  readonly slo: number;
  readonly over: OverLine | undefined;
  readonly ghosts?: readonly Ghost[];
  readonly lanes?: Lanes | undefined;
  /** The selected request: the instant of its value, and the value. */
  readonly mark?: Mark | undefined;
  /** The text for an empty plot. */
  readonly empty: string | undefined;
};

/** Whether a value can be plotted: missing values are NaN, and a log axis has no position for zero. */
export const isPlotted = (value: number | undefined, log: boolean): value is number =>
  value !== undefined && Number.isFinite(value) && (!log || value > 0);
