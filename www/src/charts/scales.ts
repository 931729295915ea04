// Ranges, ticks and label positions: pure functions, so that axes can be tested without drawing.

/** Steps of a log axis: 1 and 3 in each decade. */
const LOG_STEPS = [1, 3];

/** Possible ends of a log axis, finer than its ticks, so that little room is lost. */
const LOG_ENDS = [1, 1.5, 2, 3, 5, 7, 10];

const decadeOf = (x: number): number => 10 ** Math.floor(Math.log10(x) + 1e-9);

/** Largest round number at or below `x`. */
export function logFloor(x: number): number {
  const decade = decadeOf(x);
  return Number(((LOG_ENDS.findLast((s) => s * decade <= x * (1 + 1e-9)) ?? 1) * decade).toPrecision(3));
}

/** Smallest round number at or above `x`. */
export function logCeil(x: number): number {
  const decade = decadeOf(x);
  return Number(((LOG_ENDS.find((s) => s * decade >= x * (1 - 1e-9)) ?? 10) * decade).toPrecision(3));
}

/**
 * Ticks of a log axis from `low` to `high`: 1 and 3; only decades if that is more than `most`; more if only one would
 * be left.
 */
export function logTicks(low: number, high: number, most = 6): number[] {
  const make = (steps: readonly number[]): number[] => {
    const out: number[] = [];
    for (let k = Math.floor(Math.log10(low) - 1e-9); 10 ** k <= high * 1.0001; k++) {
      for (const s of steps) {
        const v = s * 10 ** k;
        if (v >= low * 0.9999 && v <= high * 1.0001) out.push(Number(v.toPrecision(3)));
      }
    }
    return out;
  };
  const fine = make(LOG_STEPS);
  if (fine.length < 2) return make([1, 2, 3, 4, 5, 6, 8]);
  if (fine.length <= most) return fine;
  const decades = make([1]);
  const skip = Math.ceil(decades.length / most);
  return decades.filter((_, i) => i % skip === 0);
}

/** Upper end of a linear axis from 0 such that half of it is round too: a whole number if the values are counts. */
export function linearTop(most: number, counts = false): number {
  if (!(most > 0)) return counts ? 2 : 1;
  const decade = decadeOf(most);
  for (const s of [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10, 12]) {
    const top = Number((s * decade).toPrecision(3));
    if (top >= most * (1 - 1e-9) && !(counts && top % 2 !== 0)) return top;
  }
  return 20 * decade;
}

const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200,
  14_400, 21_600, 43_200, 86_400,
];

/** Instants for a time axis, at least `gap` pixels apart. */
export function timeTicks(endS: number, width: number, gap: number, startS = 0): number[] {
  if (!(endS > startS) || !(width > 0)) return [startS];
  const least = (gap * (endS - startS)) / width;
  const step = TIME_STEPS.find((s) => s >= least) ?? 86_400 * Math.ceil(least / 86_400);
  const out: number[] = [];
  for (let i = Math.ceil(startS / step - 1e-6); i * step <= endS * 1.0001; i++) out.push(Number((i * step).toFixed(3)));
  return out;
}

/**
 * A range that never shrinks during a run, so that axes do not jump. It resets when the last instant of the data goes
 * back.
 */
export class HeldRange {
  low = Number.NaN;
  high = Number.NaN;
  /** The window that it is of. */
  zoom = '';
  private untilS = Number.NEGATIVE_INFINITY;

  /** Resets the range, for another run. */
  reset(): void {
    this.low = Number.NaN;
    this.high = Number.NaN;
    this.untilS = Number.NEGATIVE_INFINITY;
  }

  /** Takes the extent of the data and its last instant; returns whether the range changed. */
  extend(low: number, high: number, untilS: number): boolean {
    const before = this.low;
    const after = this.high;
    if (untilS < this.untilS) this.reset();
    this.untilS = untilS;
    if (Number.isFinite(low) && !(this.low <= low)) this.low = low;
    if (Number.isFinite(high) && !(this.high >= high)) this.high = high;
    return before !== this.low || after !== this.high;
  }
}

/** Moves labels apart to `gap` pixels, keeping their order and staying between `top` and `bottom`. */
export function spreadLabels(places: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = places.map((_, i) => i).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const out = [...places];
  let last = top - gap;
  for (const i of order) {
    last = Math.max(out[i] ?? 0, last + gap);
    out[i] = last;
  }
  let next = bottom + gap;
  for (const i of order.reverse()) {
    next = Math.min(out[i] ?? 0, next - gap);
    out[i] = next;
  }
  return out;
}

/** One name at the ends of lines: its lines, and the middle of their positions. */
export type EndLabel = { readonly text: string; readonly place: number; readonly lines: readonly number[] };

/**
 * Names for the ends of all lines in at most `room` labels. Where not all have one: the highest line, those that are
 * `alone` and, as `r0, r2`, `r1–r4` or `others`, the rest.
 */
export function endLabels(
  names: readonly string[],
  places: readonly number[],
  alone: readonly boolean[],
  room: number,
): EndLabel[] {
  const at = (i: number): number => places[i] ?? 0;
  const order = names.map((_, i) => i).sort((a, b) => at(a) - at(b));
  const middle = (group: readonly number[]): number => group.reduce((sum, i) => sum + at(i), 0) / group.length;
  const most = Math.max(1, room);
  let groups = order.map((i) => [i]);
  if (groups.length > most) {
    const own = new Set([...new Set([...order.filter((i) => alone[i]), ...order])].slice(0, most - 1));
    const rest = order.filter((i) => !own.has(i));
    groups = [...order.filter((i) => own.has(i)).map((i) => [i]), rest].sort((a, b) => middle(a) - middle(b));
  }
  return groups.map((group) => {
    const lines = group.toSorted((a, b) => a - b);
    return { text: sharedName(lines, names), place: middle(group), lines };
  });
}

function sharedName(lines: readonly number[], names: readonly string[]): string {
  const all = lines.map((i) => names[i] ?? '');
  const [first = '', ...rest] = all;
  const last = rest.at(-1);
  if (last === undefined) return first;
  const isReplicas = all.every((name) => /^r\d+$/.test(name));
  const consecutive = lines.every((line, k) => k === 0 || line === (lines[k - 1] ?? 0) + 1);
  if (isReplicas && rest.length > 1 && consecutive) return `${first}–${last}`;
  if (rest.length > 1) return 'others';
  const areWhole = isReplicas || all.every((name) => /^−?\d+$/.test(name));
  return areWhole ? `${first}, ${last}` : `${first}/${last.replace(first.slice(0, 1), '')}`;
}

/** Smallest value whose share is at least `percent`; NaN if the curve does not reach it. Columns ascend. */
export function valueAt(values: Float64Array, percents: Float64Array, percent: number): number {
  for (let i = 0; i < values.length; i++) if ((percents[i] ?? 0) >= percent) return values[i] ?? Number.NaN;
  return Number.NaN;
}

/** Index of the last instant at or before `t`, −1 if there is none. */
export function indexAt(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((times[mid] ?? 0) <= t) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** Index of the instant closest to `t`; undefined if there is none. */
export function nearest(times: ArrayLike<number>, t: number): number | undefined {
  if (times.length === 0) return undefined;
  const before = Math.max(0, indexAt(times, t));
  const after = Math.min(times.length - 1, before + 1);
  return t - (times[before] ?? 0) <= (times[after] ?? 0) - t ? before : after;
}

/** The last value that is a number, looking back at most `reach` places from `from`. */
export function lastFinite(column: ArrayLike<number>, from = column.length - 1, reach = column.length): number {
  for (let i = from; i >= 0 && i > from - reach; i--) {
    const v = column[i];
    if (v !== undefined && Number.isFinite(v)) return v;
  }
  return Number.NaN;
}
