// A distribution as the share of requests at or below each value: log x, percent y, the percentiles marked on the curve.
import { durationMs, plain, text } from '../base/units.ts';
import type { Palette } from '../draw/inks.ts';
import { DASHES } from '../draw/looks.ts';
import { font, label, lineOf, plate } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { type EcdfPicture, EDGE } from './ecdfPicture.ts';
import { logTicks } from './scales.ts';

export type EcdfScene = Omit<EcdfPicture, 'of'> & {
  readonly pen: Pen;
  readonly p: Palette;
  readonly width: number;
  readonly height: number;
};

export function drawEcdf(s: EcdfScene): void {
  const { pen, p, width, height, low, high } = s;
  const right = width - EDGE.right;
  const bottom = height - EDGE.bottom;
  const span = Math.log(high / low);
  const x = (v: number): number => EDGE.left + ((right - EDGE.left) * Math.log(Math.max(v, low) / low)) / span;
  const y = (percent: number): number => bottom - ((bottom - EDGE.top) * percent) / 100;
  pen.font = font(p, 11);
  pen.fillStyle = p.line;
  for (const q of [0, 50, 90, 100]) {
    pen.fillStyle = p.line;
    pen.fillRect(EDGE.left, Math.round(y(q)), right - EDGE.left, 1);
    if (q !== 100) label(pen, String(q), EDGE.left - 5, y(q) + 4, p.ink3, 'right');
  }
  drawTicks(s, x, right, height);
  if (s.values.length === 0) {
    pen.fillStyle = p.voidHatch;
    pen.fillRect(EDGE.left, EDGE.top, right - EDGE.left, bottom - EDGE.top);
    if (s.empty !== '') plate(pen, p, s.empty, (EDGE.left + right) / 2, (EDGE.top + bottom) / 2 + 4);
    return;
  }
  const slo = drawObjective(s, x, right, bottom);
  if (s.before && s.before.values.length > 0) {
    pen.setLineDash(DASHES.before);
    drawCurve({ ...s, ...s.before, stroke: p.ink3 }, x, y, right, 1.5);
    pen.setLineDash(DASHES.solid);
  }
  drawCurve(s, x, y, right);
  drawMarks(s, x, y, slo);
  drawMeasured(s, x, y, right);
  drawSelected(s, x, y, right);
}

/** The selected request: a hollow dot on the curve in the ink of the user's hand. */
function drawSelected(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, right: number): void {
  const { pen, p, markMs } = s;
  if (markMs === undefined || markMs < s.low) return;
  const i = s.values.findIndex((v) => v >= markMs);
  pen.lineWidth = 2;
  pen.strokeStyle = p.accent;
  pen.fillStyle = p.surface;
  pen.beginPath();
  pen.arc(Math.min(right, x(markMs)), y(s.percents[i < 0 ? s.percents.length - 1 : i] ?? 100), 4, 0, Math.PI * 2);
  pen.fill();
  pen.stroke();
}

/** Measured percentiles, each with a horizontal line to the curve. */
function drawMeasured(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, right: number): void {
  const { pen, p } = s;
  pen.strokeStyle = p.ink;
  for (const [q, ms] of s.measured ?? []) {
    const at = Math.min(right, x(ms));
    const i = s.percents.findIndex((percent) => percent >= q);
    const curve = Math.min(right, x(s.values[i] ?? ms));
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(curve, y(q));
    pen.lineTo(at, y(q));
    pen.stroke();
    pen.lineWidth = 1.5;
    pen.fillStyle = p.surface;
    pen.beginPath();
    pen.arc(at, y(q), 3.5, 0, Math.PI * 2);
    pen.fill();
    pen.stroke();
  }
}

/** The x of the objective's line, if there is one. */
function objectiveAt(s: EcdfScene, x: (v: number) => number): number | undefined {
  return s.sloMs >= s.low && s.sloMs <= s.high ? Math.round(x(s.sloMs)) + 0.5 : undefined;
}

/** The line of the objective with its name at its foot; returns the box of the name. */
function drawObjective(s: EcdfScene, x: (v: number) => number, right: number, bottom: number): readonly Taken[] {
  const { pen, p } = s;
  const at = objectiveAt(s, x);
  if (at === undefined) return [];
  lineOf(pen, p, 'objective', { from: [at, EDGE.top - 4], to: [at, bottom] });
  const before = at + 28 > right;
  label(pen, 'SLO', before ? at - 4 : at + 4, bottom - 5, p.missText, before ? 'right' : 'left');
  return [{ x: before ? at - 28 : at + 3, y: bottom - 5, w: 25 }];
}

function drawTicks(s: EcdfScene, x: (v: number) => number, right: number, height: number): void {
  const { pen, p, low, high } = s;
  const seconds = high >= 1000;
  const ticks = logTicks(low, high, 5);
  ticks.forEach((v, i) => {
    const last = i === ticks.length - 1;
    const shown = seconds ? plain(v / 1000) : plain(v);
    const at = x(v);
    label(
      pen,
      last ? `${shown} ${seconds ? 's' : 'ms'}` : shown,
      Math.min(at, right),
      height - 6,
      p.ink3,
      at > right - 12 ? 'right' : 'center',
    );
  });
}

/** With fewer values than this the curve is drawn in steps, so that every percentile lies on it. */
const STEPPED_BELOW = 100;

/** The corners of a curve, from the first value at 0 %: value and percent. */
export function cornersOf(values: Float64Array, percents: Float64Array): readonly (readonly [number, number])[] {
  const out: (readonly [number, number])[] = [];
  const isStepped = values.length < STEPPED_BELOW;
  values.forEach((value, i) => {
    if (i === 0 || isStepped) out.push([value, percents[i - 1] ?? 0]);
    out.push([value, percents[i] ?? 0]);
  });
  return out;
}

function drawCurve(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, right: number, width = 2): void {
  const { pen, values, percents } = s;
  pen.strokeStyle = s.stroke;
  pen.lineWidth = width;
  pen.lineJoin = 'round';
  pen.beginPath();
  pen.moveTo(EDGE.left, y(0));
  for (const [at, percent] of cornersOf(values, percents)) pen.lineTo(Math.min(right, x(at)), y(percent));
  pen.lineTo(right, y(percents[percents.length - 1] ?? 100));
  pen.stroke();
}

/** Distances of text that has no room beside its mark. */
const FAR = [28, 48, 72, 100] as const;

/** Text on one base line. */
type Taken = { readonly x: number; readonly y: number; readonly w: number };
const LINE = 12;

/** Returns whether a curve passes between two heights somewhere between two x positions. */
type Crosses = (left: number, right: number, top: number, bottom: number) => boolean;

/**
 * The position for the text of a mark: below it at its right, beside it at its left, and so on around it, wherever it
 * overlaps no other text, the curve or the line of the objective. Undefined if there is none; the table has the number.
 */
export function placeMark(
  mark: { readonly x: number; readonly y: number; readonly w: number; readonly last: boolean },
  within: { readonly left: number; readonly right: number; readonly bottom: number; readonly line?: number },
  taken: readonly Taken[],
  crosses: Crosses,
): Taken | undefined {
  const { x, y, w, last } = mark;
  const spots = [
    [x + 7, y + 13],
    [x - 7 - w, y + 4],
    [x - 7 - w, y + 13],
    [x - 7 - w, y - 5],
    [x + 7, y + 4],
    [x + 7, y + 22],
    [x - 7 - w, y + 22],
    [x + 16, y + 31],
    [x - 16 - w, y - 14],
    [x + 7, y + 40],
    [x - 16 - w, y + 31],
  ] as const;
  // The last mark is on the upper edge, so its text goes to the left or below.
  const order = last ? [1, 2, 6, 0, 5, 10, 7, 9] : [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  // Further away, with a line to the mark.
  const far = FAR.flatMap((d) => [
    [x - d - w, y + 13] as const,
    [x - d - w, y + 31] as const,
    [x - d - w, y + 49] as const,
  ]);
  // Also at its own height left of the objective's line, if that is left of the mark.
  const before = within.line !== undefined && within.line < x ? [[within.line - 5 - w, y + 4] as const] : [];
  const free = [...order.flatMap((i) => spots.slice(i, i + 1)), ...before, ...far].flatMap(([at, base]) => {
    if (at < within.left || at + w > within.right || base - 9 < 0 || base + 3 > within.bottom) return [];
    const alone = taken.every((t) => at >= t.x + t.w + 4 || at + w + 4 <= t.x || Math.abs(base - t.y) >= LINE);
    return alone ? [{ x: at, y: base, w }] : [];
  });
  return free.find((spot) => !crosses(spot.x - 2, spot.x + w + 2, spot.y - 10, spot.y + 2));
}

/** The curve as drawn, from point to point, and the line of the objective. */
function crossesOf(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, right: number): Crosses {
  const all = [s, ...(s.before ? [s.before] : [])].map(({ values, percents }) =>
    cornersOf(values, percents).map(([v, percent]) => [Math.min(right, x(v)), y(percent)] as const),
  );
  const slo = objectiveAt(s, x) ?? Number.NaN;
  return (from, to, top, bottom) =>
    (slo >= from && slo <= to) ||
    all.some((corners) =>
      corners.some(([x1, y1], i) => {
        const [x0, y0] = corners[i - 1] ?? [x1, y(0)];
        if (x1 < from || x0 > to) return false;
        // The part of this stretch between the two x positions.
        const at = (place: number): number => (x1 > x0 ? y0 + ((y1 - y0) * (place - x0)) / (x1 - x0) : y1);
        const [low, high] = x1 > x0 ? [at(Math.max(from, x0)), at(Math.min(to, x1))] : [y0, y1];
        return Math.max(low, high) >= top && Math.min(low, high) <= bottom;
      }),
    );
}

function drawMarks(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, before: readonly Taken[]): void {
  const { pen, p } = s;
  const right = s.width - EDGE.right;
  const line = objectiveAt(s, x);
  const edges = { left: EDGE.left + 1, right: right + 10, bottom: s.height - EDGE.bottom };
  const within = line === undefined ? edges : { ...edges, line };
  const taken = [...before];
  const crosses = crossesOf(s, x, y, right);
  pen.font = font(p, 11);
  pen.strokeStyle = s.stroke;
  pen.lineWidth = 1.5;
  // The last one first: if not all have room, the tail matters more than the middle.
  for (const [q, v] of s.marks.toReversed()) {
    const at = Math.min(right, x(v));
    pen.beginPath();
    pen.arc(at, y(q), 3, 0, Math.PI * 2);
    pen.fillStyle = p.surface;
    pen.fill();
    pen.stroke();
    const words = `p${q} ${text(durationMs(v))}`;
    const spot = placeMark({ x: at, y: y(q), w: pen.measureText(words).width, last: q === 99 }, within, taken, crosses);
    if (!spot) continue;
    taken.push(spot);
    if (at - spot.x - spot.w > (FAR[0] ?? 0) - 1)
      drawLeader(pen, p, [spot.x + spot.w + 2, spot.y - 4], [at - 4, y(q) + 1]);
    pen.strokeStyle = s.stroke;
    pen.lineWidth = 1.5;
    pen.fillStyle = p.surface;
    pen.fillRect(spot.x - 2, spot.y - 9, spot.w + 4, 11);
    label(pen, words, spot.x, spot.y, q === 99 && s.few ? p.ink3 : p.ink2);
  }
}

/** A fine line from a text to its mark. */
function drawLeader(pen: Pen, p: Palette, from: readonly [number, number], to: readonly [number, number]): void {
  pen.strokeStyle = p.ink3;
  pen.lineWidth = 0.75;
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}
