// A distribution as the share of requests at or below each latency, of the span on screen and, dashed, before an edit; and steps by the
// number of running requests, with the line of the latency model.

import { durationMs, plain, text } from '../base/units.ts';
import { isFew } from '../base/view.ts';
import { placeMark } from '../charts/drawEcdf.ts';
import { linearTop, logCeil, logFloor, logTicks } from '../charts/scales.ts';
import type { Palette } from '../draw/inks.ts';
import { DASHES } from '../draw/looks.ts';
import { font, label, lineOf, plate } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { type Ecdf, PERCENTILES } from '../generated/boundary.ts';
import type { SpreadPart, StepsPart } from './spreadPicture.ts';

const EDGE = { left: 30, right: 12, top: 10, bottom: 20 } as const;
/** Between two base lines. */
const LINE = 13;

type Plane = {
  readonly pen: Pen;
  readonly p: Palette;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (v: number) => number;
  readonly y: (v: number) => number;
};

const frame = (width: number, height: number) => ({
  left: EDGE.left,
  right: Math.max(EDGE.left + 1, width - EDGE.right),
  top: EDGE.top,
  bottom: Math.max(EDGE.top + 1, height - EDGE.bottom),
});

const logOn = (low: number, high: number, from: number, to: number) => {
  const span = Math.log(high / low);
  return (v: number): number => from + ((to - from) * Math.log(Math.min(high, Math.max(v, low)) / low)) / span;
};

function nothing(pen: Pen, p: Palette, box: ReturnType<typeof frame>, words: string): void {
  pen.fillStyle = p.voidHatch;
  pen.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  plate(pen, p, words, (box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4);
}

/** The ticks of a log axis of milliseconds below a plot. */
function ticksBelow(at: Plane, low: number, high: number): void {
  const ticks = logTicks(low, high, Math.max(2, Math.floor((at.right - at.left) / 44)));
  const seconds = high >= 1000;
  ticks.forEach((v, i) => {
    const shown = plain(seconds ? v / 1000 : v);
    const last = i === ticks.length - 1;
    const x = at.x(v);
    const side = x > at.right - 12 ? 'right' : 'center';
    label(
      at.pen,
      last ? `${shown} ${seconds ? 's' : 'ms'}` : shown,
      Math.min(x, at.right + 8),
      at.bottom + 14,
      at.p.ink3,
      side,
    );
  });
}

export function drawSpread(pen: Pen, p: Palette, width: number, height: number, s: SpreadPart): void {
  const box = frame(width, height);
  pen.font = font(p, 11);
  const { visible, before } = s;
  if (!visible || visible.count === 0) {
    nothing(pen, p, box, s.empty);
    return;
  }
  const all = [...visible.ms, ...(before?.ms ?? [])].filter((ms) => ms > 0);
  const low = logFloor(Math.max(0.01, Math.min(...all)));
  const high = Math.max(low * 2, logCeil(Math.max(low, ...all)));
  const at: Plane = {
    ...box,
    pen,
    p,
    x: logOn(low, high, box.left, box.right),
    y: (q) => box.bottom - ((box.bottom - box.top) * q) / 100,
  };
  if (s.brush) drawBracket(at, s.brush);
  for (const q of [0, 50, 90, 100]) {
    pen.fillStyle = p.line;
    pen.fillRect(at.left, Math.round(at.y(q)), at.right - at.left, 1);
    if (q !== 100) label(pen, String(q), at.left - 5, at.y(q) + 4, p.ink3, 'right');
  }
  ticksBelow(at, low, high);
  const taken = drawObjective(at, s.sloMs, low, high);
  if (before && before.count > 0) {
    pen.setLineDash(DASHES.before);
    curve(at, before, p.ink3, 1.25);
    pen.setLineDash(DASHES.solid);
  }
  curve(at, visible, p.prefill, 2);
  drawPercentiles(at, visible, taken);
}

/** The range of latencies of the brush: shaded, with a bracket above. */
function drawBracket({ pen, p, x, top, bottom }: Plane, [least, most]: readonly [number, number]): void {
  const [from, to] = [x(least), x(most)];
  pen.globalAlpha = 0.14;
  pen.fillStyle = p.accent;
  pen.fillRect(from, top, to - from, bottom - top);
  pen.globalAlpha = 1;
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(from, top - 1);
  pen.lineTo(from, top - 6);
  pen.lineTo(to, top - 6);
  pen.lineTo(to, top - 1);
  pen.stroke();
}

/** Text on one base line, which others keep clear of. */
type Taken = { readonly x: number; readonly y: number; readonly w: number };

/** The line of the objective with its name at its foot; returns the place of the name. */
function drawObjective({ pen, p, x, top, bottom, left }: Plane, ms: number, low: number, high: number): Taken[] {
  if (ms < low || ms > high) return [];
  const at = Math.round(x(ms)) + 0.5;
  lineOf(pen, p, 'objective', { from: [at, top], to: [at, bottom] });
  const before = at - 26 > left;
  label(pen, 'SLO', at + (before ? -4 : 4), bottom - 5, p.missText, before ? 'right' : 'left');
  return [{ x: before ? at - 28 : at + 3, y: bottom - 5, w: 25 }];
}

function curve({ pen, x, y, right }: Plane, { ms, percent }: Ecdf, ink: string, width: number): void {
  pen.strokeStyle = ink;
  pen.lineWidth = width;
  pen.lineJoin = 'round';
  pen.beginPath();
  ms.forEach((v, i) => {
    if (i === 0) pen.moveTo(x(v), y(0));
    pen.lineTo(x(v), y(percent[i] ?? 0));
  });
  pen.lineTo(right, y(percent.at(-1) ?? 100));
  pen.stroke();
}

/** A place at the right edge below a mark that has none beside it. */
function below(
  mark: Taken,
  taken: readonly Taken[],
  crosses: (from: number, to: number, top: number, bottom: number) => boolean,
  bottom: number,
): Taken | undefined {
  const { x, w } = mark;
  const free = (y: number): boolean => {
    const apart = taken.every((t) => x >= t.x + t.w + 4 || x + w + 4 <= t.x || Math.abs(y - t.y) >= LINE);
    return y + 3 < bottom && apart && !crosses(x - 2, x + w + 2, y - 10, y + 2);
  };
  const y = [16, 29, 42].map((dy) => mark.y + dy).find(free);
  return y === undefined ? undefined : { x, y, w };
}

/** Dots on the curve with their values beside them, where these have room: the table has them all. */
function drawPercentiles(at: Plane, { ms: values, percent, percentiles_ms, count }: Ecdf, before: Taken[]): void {
  const { pen, p, x, y } = at;
  const within = { left: at.left + 1, right: at.right + 10, bottom: at.bottom };
  const taken = [...before];
  const corners = values.map((v, i) => [x(v), y(percent[i] ?? 0)] as const);
  // The curve is as good as level between two of its points.
  const crosses = (from: number, to: number, top: number, bottom: number): boolean =>
    corners.some(([cx, cy]) => cx >= from && cx <= to && cy >= top && cy <= bottom);
  pen.strokeStyle = p.prefill;
  pen.lineWidth = 1.5;
  // The last one first: if not all have room, the tail matters more than the middle.
  for (const i of [2, 1, 0] as const) {
    const ms = percentiles_ms[i];
    if (ms === null) continue;
    const [cx, cy] = [x(ms), y([50, 90, 99][i] ?? 50)];
    pen.beginPath();
    pen.arc(cx, cy, 3.5, 0, Math.PI * 2);
    pen.fillStyle = p.surface;
    pen.fill();
    pen.stroke();
    const words = `${PERCENTILES[i]} ${text(durationMs(ms))}`;
    const w = pen.measureText(words).width;
    const near = placeMark({ x: cx, y: cy, w, last: i === 2 }, within, taken, crosses);
    const spot = near ?? below({ x: within.right - w, y: cy, w }, taken, crosses, at.bottom);
    if (!spot) continue;
    taken.push(spot);
    pen.fillStyle = p.surface;
    pen.fillRect(spot.x - 2, spot.y - 9, spot.w + 4, 12);
    label(pen, words, spot.x, spot.y, i === 2 && isFew(count) ? p.ink3 : p.ink2);
  }
}

export function drawSteps(pen: Pen, p: Palette, width: number, height: number, s: StepsPart): void {
  const box = frame(width, height);
  pen.font = font(p, 11);
  const { points } = s;
  if (!points || points.running.length === 0) {
    nothing(pen, p, box, s.empty);
    return;
  }
  const all = points.ms.filter((ms) => ms > 0);
  const low = logFloor(Math.max(0.01, Math.min(...all, Number.MAX_VALUE)));
  const high = Math.max(low * 2, logCeil(Math.max(low, ...all)));
  const most = linearTop(Math.max(1, ...points.running), true);
  const at: Plane = {
    ...box,
    pen,
    p,
    x: (n) => box.left + ((box.right - box.left) * n) / most,
    y: logOn(low, high, box.bottom, box.top),
  };
  for (const v of logTicks(low, high, Math.max(2, Math.floor((box.bottom - box.top) / 24)))) {
    pen.fillStyle = p.line;
    pen.fillRect(at.left, Math.round(at.y(v)), at.right - at.left, 1);
    label(pen, plain(v), at.left - 5, Math.max(at.top + 4, at.y(v) + 4), p.ink3, 'right');
  }
  for (const n of [0, most / 2, most]) {
    label(pen, plain(n), at.x(n), at.bottom + 14, p.ink3, n === most ? 'right' : 'center');
  }
  drawPoints(at, points);
  const [running, ms] = points.line;
  pen.strokeStyle = p.ink;
  pen.lineWidth = 1.25;
  pen.setLineDash(DASHES.second);
  pen.beginPath();
  running.forEach((n, i) => {
    const place = [at.x(Math.min(most, n)), at.y(ms[i] ?? low)] as const;
    if (i === 0) pen.moveTo(...place);
    else pen.lineTo(...place);
  });
  pen.stroke();
  pen.setLineDash(DASHES.solid);
}

/** Steps that only decode are dots; those with a part of a prompt are hollow squares. */
function drawPoints({ pen, p, x, y }: Plane, { running, ms, chunk }: NonNullable<StepsPart['points']>): void {
  pen.globalAlpha = running.length > 400 ? 0.6 : 1;
  pen.lineWidth = 1;
  running.forEach((n, i) => {
    const at = [x(n), y(ms[i] ?? 0)] as const;
    if (chunk[i]) {
      pen.strokeStyle = p.prefill;
      pen.strokeRect(at[0] - 2, at[1] - 2, 4, 4);
      return;
    }
    pen.fillStyle = p.decode;
    pen.beginPath();
    pen.arc(at[0], at[1], 1.8, 0, Math.PI * 2);
    pen.fill();
  });
  pen.globalAlpha = 1;
}
