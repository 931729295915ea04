// Places on the chart of a guess: scales, ticks, the line under the hand, and where the engine's curve leaves the chart. Pure
// functions, tested without a page.
import { logTicks } from '../../../charts/scales.ts';
import type { Axis, CurvePoint, CurveVerdict, GuessVerdict } from '../../../generated/boundary.ts';
import type { Points } from '../../../state/lessons/lessonGuess.ts';

/** The edges of the plot, in pixels. */
export type Box = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

export type Scale = {
  /** The pixel of a value. */
  readonly at: (value: number) => number;
  /** The value of a pixel. */
  readonly of: (pixel: number) => number;
  readonly ticks: readonly number[];
};

/** The hand is sampled each 4 px. */
export const SAMPLE = 4;
/** A line that ends this near to the first or last value reaches it. */
const REACH = 16;
/** The keys move a value by this share of the axis. */
const KEY_STEP = 1 / 40;

/** Round values of a linear axis, about `most` of them. */
export function linearTicks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? rough;
  const out: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
    out.push(Number((i * step).toPrecision(12)));
  return out;
}

/** The scale of an axis between two pixels. */
export function scaleOf(axis: Pick<Axis, 'from' | 'to' | 'log'>, start: number, end: number, most = 5): Scale {
  const isLog = axis.log && axis.from > 0;
  const into = (v: number): number => (isLog ? Math.log10(v) : v);
  const [low, high] = [into(axis.from), into(axis.to)];
  const span = high - low || 1;
  return {
    at: (value) => start + ((into(value) - low) / span) * (end - start),
    of: (pixel) => {
      const v = low + ((pixel - start) / (end - start || 1)) * span;
      const value = isLog ? 10 ** v : v;
      return Math.min(axis.to, Math.max(axis.from, value));
    },
    ticks: isLog ? logTicks(axis.from, axis.to, most + 1) : linearTicks(axis.from, axis.to, most),
  };
}

export type Plot = { readonly x: Scale; readonly y: Scale; readonly box: Box };

export function plotOf(axes: { readonly x: Axis; readonly y: Axis }, box: Box): Plot {
  const across = Math.max(2, Math.floor((box.right - box.left) / 60));
  const up = Math.max(2, Math.floor((box.bottom - box.top) / 45));
  return { x: scaleOf(axes.x, box.left, box.right, across), y: scaleOf(axes.y, box.bottom, box.top, up), box };
}

type Pixel = readonly [x: number, y: number];

/** The samples of a movement of the hand, each 4 px from the left edge; at least the one nearest to its end. */
export function samples(plot: Plot, from: Pixel, to: Pixel): Points {
  const { box } = plot;
  const inside = ([x, y]: Pixel): Pixel => [
    Math.min(box.right, Math.max(box.left, x)),
    Math.min(box.bottom, Math.max(box.top, y)),
  ];
  const [a, b] = [inside(from), inside(to)];
  const column = (x: number): number => Math.round((x - box.left) / SAMPLE);
  const last = column(box.right);
  const [left, right] = a[0] <= b[0] ? [a, b] : [b, a];
  const out: [number, number][] = [];
  for (let c = column(left[0]); c <= Math.min(last, column(right[0])); c++) {
    const px = Math.min(box.right, box.left + c * SAMPLE);
    const share = right[0] > left[0] ? Math.min(1, Math.max(0, (px - left[0]) / (right[0] - left[0]))) : 1;
    const y = a[0] === b[0] ? b[1] : left[1] + share * (right[1] - left[1]);
    out.push([plot.x.of(px), plot.y.of(y)]);
  }
  return out;
}

/** A line with new samples in the place of the old ones between their ends. */
export function merged(line: Points, added: Points): Points {
  const [first, last] = [added[0]?.[0], added.at(-1)?.[0]];
  if (first === undefined || last === undefined) return line;
  return [...line.filter(([x]) => x < first), ...added, ...line.filter(([x]) => x > last)];
}

/** A line that ends just before the first or after the last value reaches it. */
export function reaching(line: Points, values: readonly number[], x: Scale): Points {
  const [first, last] = [line[0], line.at(-1)];
  const [low, high] = [values[0], values.at(-1)];
  if (!first || !last || low === undefined || high === undefined) return line;
  const before: Points = first[0] > low && x.at(first[0]) - x.at(low) <= REACH ? [[low, first[1]]] : [];
  const after: Points = last[0] < high && x.at(high) - x.at(last[0]) <= REACH ? [[high, last[1]]] : [];
  return [...before, ...line, ...after];
}

/** The height of a line at `x`, straight between its points; undefined beyond its ends. */
export function heightAt(line: Points, x: number): number | undefined {
  const after = line.findIndex((p) => p[0] >= x);
  const b = line[after];
  if (!b) return undefined;
  const a = line[after - 1];
  if (b[0] === x || !a) return b[0] === x ? b[1] : undefined;
  return a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
}

/** A line through its heights at the values, with another height at one of them. */
export function withHeight(line: Points, values: readonly number[], index: number, height: number): Points {
  return values.flatMap((x, i) => {
    const y = i === index ? height : heightAt(line, x);
    return y === undefined ? [] : [[x, y] as const];
  });
}

/** The values that a line does not cover. */
export function missing(line: Points, values: readonly number[]): readonly number[] {
  return values.filter((x) => heightAt(line, x) === undefined);
}

/** A value moved by keys: `steps` of a 40th of the axis. */
export function stepped(scale: Scale, box: Box, value: number, steps: number): number {
  return scale.of(scale.at(value) - steps * (box.bottom - box.top) * KEY_STEP);
}

/** The path of a line. */
export function pathOf(line: Points, { x, y }: Plot): string {
  return line.map(([a, b], i) => `${i === 0 ? 'M' : 'L'}${x.at(a).toFixed(1)} ${y.at(b).toFixed(1)}`).join('');
}

/** The engine's curve on the chart: its path, the points on it, and where it leaves the chart at the top. */
export type Truth = {
  readonly path: string;
  readonly points: readonly {
    readonly x: number;
    readonly y: number;
    readonly low: number | undefined;
    readonly high: number | undefined;
  }[];
  /** The pixel where it leaves, and the first value beyond. */
  readonly leaves: { readonly px: number; readonly x: number; readonly y: number } | undefined;
};

type Known = { readonly x: number; readonly y: number; readonly lo: number | null; readonly hi: number | null };

export function truthOf(points: readonly CurvePoint[], plot: Plot, axis: Axis): Truth {
  const known = points.flatMap(({ x, y }): Known[] => (y.mean === null ? [] : [{ x, y: y.mean, lo: y.lo, hi: y.hi }]));
  const beyond = known.findIndex((p) => p.y > axis.to);
  const inside = beyond < 0 ? known : known.slice(0, beyond);
  const clamped = (v: number): number => plot.y.at(Math.min(axis.to, Math.max(axis.from, v)));
  const line: Points = inside.map((p) => [p.x, Math.max(axis.from, p.y)]);
  const [last, out] = [inside.at(-1), known[beyond]];
  let leaves: Truth['leaves'];
  let path = pathOf(line, plot);
  if (out) {
    // Straight between the points on the screen, as the line is drawn.
    const px = last ? leavesAt(plot, last, out) : plot.x.at(out.x);
    leaves = { px, x: out.x, y: out.y };
    if (last) path += `L${px.toFixed(1)} ${plot.box.top.toFixed(1)}`;
  }
  return {
    path,
    points: inside.map((p) => ({
      x: plot.x.at(p.x),
      y: clamped(p.y),
      low: p.lo === null ? undefined : clamped(p.lo),
      high: p.hi === null ? undefined : clamped(p.hi),
    })),
    leaves,
  };
}

function leavesAt({ x, y, box }: Plot, last: Known, out: Known): number {
  const [from, to] = [y.at(last.y), y.at(out.y)];
  const share = to === from ? 1 : (box.top - from) / (to - from);
  return x.at(last.x) + share * (x.at(out.x) - x.at(last.x));
}

/** The row of a guess where the engine differs most: the one whose factor the verdict names. */
export function farthest(guess: GuessVerdict | null | undefined): GuessVerdict['rows'][number] | undefined {
  if (!guess || guess.factor === null) return undefined;
  return guess.rows.find((row) => row.factor === guess.factor);
}

/** Guess and engine on the chart where both differ most, and on which side the dimension line stands. */
export type Apart = {
  readonly x: number;
  readonly guess: number;
  readonly engine: number;
  readonly side: number;
  /** Whether the engine's value is beyond the top. */
  readonly beyond: boolean;
};

export function apartOf(guess: GuessVerdict | null | undefined, plot: Plot, axis: Axis): Apart | undefined {
  const row = farthest(guess);
  if (!row || row.guess === null || row.engine === null) return undefined;
  const { x, y, box } = plot;
  const inside = (v: number): number => Math.min(box.bottom, Math.max(box.top, y.at(Math.max(axis.from, v))));
  const px = x.at(row.x);
  const side = px > (box.left + box.right) / 2 ? -8 : 8;
  return { x: px, guess: inside(row.guess), engine: inside(row.engine), side, beyond: row.engine > axis.to };
}

/** The knee on the drawn curve. */
export function kneeOf(
  curve: CurveVerdict | null,
  plot: Plot,
  axis: Axis,
): { readonly px: number; readonly py: number; readonly knee: number } | undefined {
  const { knee = null, points = [] } = curve ?? {};
  if (knee === null) return undefined;
  const after = points.findIndex((p) => p.x >= knee);
  const [a, b] = [points[Math.max(0, after - 1)], points[after]];
  if (!a || !b || a.y.mean === null || b.y.mean === null) return undefined;
  const share = b.x === a.x ? 0 : (knee - a.x) / (b.x - a.x);
  const at = (v: number): number => plot.y.at(Math.min(axis.to, Math.max(axis.from, v)));
  const [low, high] = [at(a.y.mean), at(b.y.mean)];
  return { px: plot.x.at(knee), py: low + share * (high - low), knee };
}

/** The axis of a claim: its values, its bounds and some room, at round ends. */
export function claimAxis(
  values: readonly (number | null)[],
  bounds: readonly (number | null)[],
): { readonly from: number; readonly to: number } {
  const known = [...values, ...bounds].filter((v): v is number => v !== null && Number.isFinite(v));
  if (known.length === 0) return { from: 0, to: 1 };
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = (high - low || Math.abs(high) || 1) * 0.15;
  const ends = linearTicks(low - room, high + room, 8);
  const step = (ends[1] ?? 1) - (ends[0] ?? 0) || 1;
  const from = Math.floor((low - room) / step + 1e-9) * step;
  const to = Math.ceil((high + room) / step - 1e-9) * step;
  return {
    from: Number((low >= 0 ? Math.max(0, from) : from).toPrecision(12)),
    to: Number(to.toPrecision(12)),
  };
}
