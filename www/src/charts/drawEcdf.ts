// A distribution as the share of requests at or below each value: log x, percent y, the percentiles marked on the curve.
import { durationMs, plain, text } from '../base/units.ts';
import type { Pen } from '../draw/canvas.ts';
import { font, label } from '../draw/marks.ts';
import type { Palette } from '../draw/palette.ts';
import { logCeil, logFloor, logTicks, valueAt } from './scales.ts';

export type EcdfScene = {
  readonly pen: Pen;
  readonly p: Palette;
  readonly width: number;
  readonly height: number;
  readonly values: Float64Array;
  readonly percents: Float64Array;
  readonly sloMs: number;
  readonly stroke: string;
  readonly low: number;
  readonly high: number;
  readonly empty: string;
};

const EDGE = { left: 34, right: 14, top: 8, bottom: 20 } as const;
const MARKS = [50, 90, 99] as const;

/** Log range that holds the bulk of the data and the objective. */
export function ecdfRange(low: number, high: number): { readonly low: number; readonly high: number } {
  if (!(low > 0) || !(high > 0)) return { low: 10, high: 10_000 };
  const from = logFloor(low);
  return { low: from, high: Math.max(logCeil(high), from * 10) };
}

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
    label(pen, s.empty, (EDGE.left + right) / 2, (EDGE.top + bottom) / 2 + 4, p.ink3, 'center');
    return;
  }
  if (s.sloMs >= low && s.sloMs <= high) {
    const at = Math.round(x(s.sloMs)) + 0.5;
    pen.strokeStyle = p.miss;
    pen.lineWidth = 1;
    pen.setLineDash([5, 3]);
    pen.beginPath();
    pen.moveTo(at, EDGE.top - 4);
    pen.lineTo(at, bottom);
    pen.stroke();
    pen.setLineDash([]);
    const before = at + 28 > right;
    label(pen, 'SLO', before ? at - 4 : at + 4, bottom - 5, p.missText, before ? 'right' : 'left');
  }
  drawCurve(s, x, y, right);
  drawMarks(s, x, y, right);
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

function drawCurve(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, right: number): void {
  const { pen, values, percents } = s;
  pen.strokeStyle = s.stroke;
  pen.lineWidth = 2;
  pen.lineJoin = 'round';
  pen.beginPath();
  pen.moveTo(EDGE.left, y(0));
  for (let i = 0; i < values.length; i++) {
    const at = Math.min(right, x(values[i] ?? 0));
    if (i === 0) pen.lineTo(at, y(0));
    pen.lineTo(at, y(percents[i] ?? 0));
  }
  pen.lineTo(right, y(percents[percents.length - 1] ?? 100));
  pen.stroke();
}

function drawMarks(s: EcdfScene, x: (v: number) => number, y: (q: number) => number, right: number): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  for (const q of MARKS) {
    const v = valueAt(s.values, s.percents, q);
    if (!Number.isFinite(v)) continue;
    const at = Math.min(right, x(v));
    pen.beginPath();
    pen.arc(at, y(q), 3, 0, Math.PI * 2);
    pen.fillStyle = p.surface;
    pen.fill();
    pen.strokeStyle = s.stroke;
    pen.lineWidth = 1.5;
    pen.stroke();
    const words = `p${q} ${text(durationMs(v))}`;
    const wide = pen.measureText(words).width;
    // p99 lies on the upper edge: its label goes to the left, where the curve is not.
    const before = q === 99 || at + 8 + wide > right + 10;
    const x0 = before ? at - 7 - wide : at + 7;
    const y0 = y(q) + (q === 99 ? 3 : before ? 4 : 13);
    pen.fillStyle = p.surface;
    pen.fillRect(x0 - 2, y0 - 9, wide + 4, 11);
    label(pen, words, x0, y0, p.ink2);
  }
}
