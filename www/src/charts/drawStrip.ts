// The heat map of a latency below its chart: the more requests, the further from the ground; cells without any are empty.
import { heatPaint } from '../draw/heat.ts';
import type { Palette } from '../draw/inks.ts';
import { font, label, lineOf, plate } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { filled, type StripPicture } from './stripPicture.ts';
import { type Box, EDGE, placesIn, plotBox } from './timePicture.ts';

export type StripScene = Omit<StripPicture, 'of'> & {
  readonly pen: Pen;
  readonly p: Palette;
  readonly width: number;
  readonly height: number;
};

export function drawStrip(s: StripScene): void {
  const { pen, p, cells } = s;
  const box = plotBox(s.width, s.height, s.first);
  const { x, y } = placesIn(box, s);
  pen.font = font(p, 11);
  if (s.warmUpS > (s.startS ?? 0)) {
    pen.fillStyle = p.shade;
    pen.fillRect(box.x, box.y, x(s.warmUpS) - box.x, box.h);
  }
  const doneS = Math.max(s.nowS, cells ? (cells.from_us + cells.columns * cells.width_us) / 1e6 : 0);
  pen.fillStyle = p.voidHatch;
  pen.fillRect(x(doneS), box.y, box.x + box.w - x(doneS), box.h);
  for (const { value, text } of s.ticks) {
    pen.fillStyle = p.line;
    pen.fillRect(box.x, Math.round(y(value)), box.w, 1);
    label(pen, text, box.x - 5, y(value) + 3.5, p.ink3, 'right');
  }
  if (cells) drawCells(s, cells, { x, y });
  drawPoles(s, box, x);
  drawObjective(s, box.x + box.w, x(s.startS ?? 0), y);
  const { mark } = s;
  if (mark && mark.atS >= (s.startS ?? 0) && mark.atS <= s.endS && mark.value >= s.low && mark.value <= s.high) {
    pen.strokeStyle = p.accent;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x(mark.atS), y(mark.value), 4, 0, Math.PI * 2);
    pen.stroke();
  }
  if (s.empty !== undefined) plate(pen, p, s.empty, box.x + box.w / 2, box.y + box.h / 2 + 4);
}

function drawCells(
  { pen, p, nowS, low, high }: StripScene,
  cells: NonNullable<StripPicture['cells']>,
  { x, y }: Pick<ReturnType<typeof placesIn>, 'x' | 'y'>,
): void {
  const within = (ms: number): number => Math.min(high, Math.max(low, ms));
  for (const [c, r, n] of filled(cells)) {
    const fromS = (cells.from_us + c * cells.width_us) / 1e6;
    const [left, right] = [x(fromS), x(fromS + cells.width_us / 1e6)];
    const [top, bottom] = [y(within((cells.edges_us[r + 1] ?? 0) / 1000)), y(within((cells.edges_us[r] ?? 0) / 1000))];
    if (right <= left || bottom <= top) continue;
    pen.globalAlpha = fromS >= nowS ? 0.38 : 1;
    pen.fillStyle = heatPaint(p.dark, n / Math.max(1, cells.most));
    // A hairline between cells that are wide enough for one.
    const [gapX, gapY] = [right - left > 3 ? 0.5 : 0, bottom - top > 3 ? 0.5 : 0];
    pen.fillRect(left, top, Math.max(0.5, right - left - gapX), Math.max(0.5, bottom - top - gapY));
  }
  pen.globalAlpha = 1;
}

/** A pole at each edit, as on the other charts. */
function drawPoles({ pen, p, flags, startS = 0, endS }: StripScene, box: Box, x: (timeS: number) => number): void {
  for (const { at_us, applied } of flags) {
    if (at_us / 1e6 < startS || at_us / 1e6 > endS) continue;
    const at = Math.round(x(at_us / 1e6)) + 0.5;
    pen.globalAlpha = applied ? 0.9 : 0.4;
    lineOf(pen, p, 'edit', { from: [at, box.y], to: [at, box.y + box.h] });
  }
  pen.globalAlpha = 1;
}

function drawObjective(
  { pen, p, slo, low, high }: StripScene,
  right: number,
  left: number,
  y: (v: number) => number,
): void {
  if (!(slo > 0) || slo < low || slo > high) return;
  lineOf(pen, p, 'objective', { from: [left, y(slo)], to: [right, y(slo)] });
  label(pen, 'SLO', right + Math.min(4, EDGE.right), y(slo) + 4, p.missText);
}
