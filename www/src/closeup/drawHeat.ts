// A heat map: requests by arrival and latency, or gaps between tokens by instant and length, with what the user did on it.

import { plain } from '../base/units.ts';
import { placePennants } from '../charts/flags.ts';
import { logTicks, timeTicks } from '../charts/scales.ts';
import { heatPaint } from '../draw/heat.ts';
import type { Palette } from '../draw/inks.ts';
import { font, label, lineOf, plate } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { type HeatPart, heatPlaces, latencyRange, type Places } from './heatPicture.ts';

type Scene = HeatPart & {
  readonly pen: Pen;
  readonly p: Palette;
  readonly width: number;
  readonly height: number;
  readonly at: Places;
};

/** Half of the side of a handle. */
const HANDLE = 3;

export function drawHeat(pen: Pen, p: Palette, width: number, height: number, picture: HeatPart): void {
  const s: Scene = { ...picture, pen, p, width, height, at: heatPlaces(picture, width, height) };
  pen.font = font(p, 11);
  drawGround(s);
  drawCells(s);
  drawAxes(s);
  drawObjective(s);
  drawWarmUp(s);
  drawFlags(s);
  drawPlayhead(s);
  drawBoxes(s);
  drawMark(s);
}

/** What is not simulated yet is hatched; an empty map says why. */
function drawGround({ pen, p, at, nowS, map, empty }: Scene): void {
  const from = at.x(nowS);
  pen.fillStyle = p.voidHatch;
  pen.fillRect(from, at.top, at.right - from, at.bottom - at.top);
  if (map && map.total > 0) return;
  plate(pen, p, empty, (at.left + at.right) / 2, (at.top + at.bottom) / 2 + 4);
}

function drawCells({ pen, p, at, map }: Scene): void {
  if (!map) return;
  const rows = map.edges_us.length - 1;
  const edges = map.edges_us.map((us) => Math.round(at.y(us)));
  for (let column = 0; column < map.columns; column++) {
    const fromS = (map.from_us + column * map.width_us) / 1e6;
    const left = Math.round(at.x(fromS));
    const right = Math.round(at.x(fromS + map.width_us / 1e6));
    if (right <= left) continue;
    for (let row = 0; row < rows; row++) {
      const count = map.counts[column * rows + row] ?? 0;
      if (count === 0) continue;
      const [bottom = 0, top = 0] = [edges[row], edges[row + 1]];
      pen.fillStyle = heatPaint(p.dark, count / map.most);
      // A gap of a pixel parts cells that are wide enough for one.
      const gap = right - left > 4 ? 1 : 0;
      pen.fillRect(left, top, right - left - gap, Math.max(1, bottom - top - gap));
    }
  }
}

function drawAxes(s: Scene): void {
  const { pen, p, at, map, startS, endS } = s;
  const [low, high] = latencyRange(map);
  const inSeconds = high >= 1e6;
  const unit = inSeconds ? 1e6 : 1e3;
  const most = Math.max(2, Math.floor((at.bottom - at.top) / 26));
  for (const v of logTicks(low / unit, high / unit, most)) {
    const y = Math.round(at.y(v * unit));
    label(pen, plain(v), at.left - 5, Math.min(at.bottom, Math.max(at.top + 8, y + 4)), p.ink3, 'right');
  }
  pen.fillStyle = p.line;
  pen.fillRect(at.left, at.bottom, at.right - at.left, 1);
  const ticks = timeTicks(endS - startS, at.right - at.left, 56).map((t) => t + startS);
  const pill = pillOf(s);
  ticks.forEach((t, i) => {
    const last = i === ticks.length - 1;
    const shown = `${plain(Number(t.toFixed(3)))}${last ? ' s' : ''}`;
    const half = pen.measureText(shown).width / 2 + 3;
    const isFree = !pill || at.x(t) + half < pill.x || at.x(t) - half > pill.x + pill.w;
    if (isFree) label(pen, shown, at.x(t), at.bottom + 14, p.ink3, 'center');
  });
  if (!pill) return;
  pen.fillStyle = p.accent;
  pen.beginPath();
  pen.roundRect(pill.x, at.bottom + 3, pill.w, 14, 3);
  pen.fill();
  label(pen, pill.text, pill.x + 4, at.bottom + 14, p.onAccent);
}

/** The instant of the playhead on the axis, if it is on screen. */
function pillOf({ pen, at, nowS, startS, endS, width }: Scene) {
  if (nowS < startS || nowS > endS) return undefined;
  const text = plain(Number(nowS.toFixed(2)));
  const w = pen.measureText(text).width + 8;
  return { text, w, x: Math.min(width - w - 1, Math.max(0, at.x(nowS) - w / 2)) };
}

function drawObjective({ pen, p, at, map }: Scene): void {
  const slo = map?.slo_us ?? 0;
  const [low, high] = latencyRange(map);
  if (slo < low || slo > high) return;
  const y = Math.round(at.y(slo)) + 0.5;
  lineOf(pen, p, 'objective', { from: [at.left, y], to: [at.right, y] });
  label(pen, 'SLO', at.right + 5, y + 4, p.missText);
}

function drawWarmUp({ pen, p, at, warmUpS, startS, nowS }: Scene): void {
  if (warmUpS <= startS) return;
  const to = at.x(warmUpS);
  pen.fillStyle = p.shade;
  pen.fillRect(at.left, at.top, to - at.left, at.bottom - at.top);
  if (pen.measureText('warm-up').width + 8 > to - at.left || nowS < startS) return;
  plate(pen, p, 'warm-up', at.left + 4 + (pen.measureText('warm-up').width + 8) / 2, at.top + 12);
}

/** Pennants above the plot, and a dotted line down from each edit in force. */
function drawFlags({ pen, p, at, flags, startS, endS, nowS }: Scene): void {
  const shown = flags.filter((f) => f.at_us >= startS * 1e6 && f.at_us <= endS * 1e6);
  const edges = { left: at.left, right: at.right + 40, playhead: at.x(nowS), knob: 0 };
  const places = shown.map((f) => at.x(f.at_us / 1e6));
  for (const pennant of placePennants(shown, places, edges, (t) => pen.measureText(t).width)) {
    const { x, side, width, pad } = pennant;
    const dir = side === 'right' ? 1 : -1;
    const applied = pennant.flags.some((f) => f.applied);
    pen.beginPath();
    pen.moveTo(x, 2);
    pen.lineTo(x + dir * width, 2);
    pen.lineTo(x + dir * (width - 4), 8.5);
    pen.lineTo(x + dir * width, 15);
    pen.lineTo(x, 15);
    pen.closePath();
    pen.fillStyle = applied ? p.accent : p.surface;
    pen.strokeStyle = p.accent;
    pen.lineWidth = 1;
    pen.fill();
    pen.stroke();
    label(pen, pennant.text, x + dir * pad, 12, applied ? p.onAccent : p.ink2, side === 'right' ? 'left' : 'right');
    lineOf(pen, p, 'pennant', { from: [Math.round(x) + 0.5, 15], to: [Math.round(x) + 0.5, at.bottom] });
  }
}

function drawPlayhead({ pen, p, at, nowS, startS, endS }: Scene): void {
  if (nowS < startS || nowS > endS) return;
  pen.fillStyle = p.accent;
  pen.fillRect(Math.round(at.x(nowS)) - 1, at.top, 2, at.bottom - at.top);
}

function drawBoxes({ pen, p, at, boxes, active, selected }: Scene): void {
  boxes.forEach((box, i) => {
    const [x0, x1] = [at.x(box.from_us / 1e6), at.x(box.to_us / 1e6)];
    const [y0, y1] = [at.y(box.most_us), at.y(box.least_us)];
    pen.globalAlpha = 0.16;
    pen.fillStyle = p.accent;
    pen.fillRect(x0, y0, x1 - x0, y1 - y0);
    pen.globalAlpha = 1;
    pen.strokeStyle = p.accent;
    pen.lineWidth = 1.5;
    pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    if (i !== active) return;
    pen.fillStyle = p.surface;
    for (const [x, y] of [
      [x0, y0],
      [x1, y0],
      [x0, y1],
      [x1, y1],
    ] as const) {
      pen.fillRect(x - HANDLE, y - HANDLE, 2 * HANDLE, 2 * HANDLE);
      pen.strokeRect(x - HANDLE, y - HANDLE, 2 * HANDLE, 2 * HANDLE);
    }
    if (selected === '') return;
    const w = pen.measureText(selected).width + 10;
    // Beside the box where there is room, else within it.
    const x = x0 - w - 6 >= at.left ? x0 - w - 6 : x1 + w + 6 <= at.right ? x1 + 6 : Math.max(at.left, x0);
    pen.fillStyle = p.accent;
    pen.beginPath();
    pen.roundRect(x, y0 + 2, w, 16, 3);
    pen.fill();
    label(pen, selected, x + 5, y0 + 14, p.onAccent);
  });
}

/** The selected request: a ring. */
function drawMark({ pen, p, at, mark, startS, endS }: Scene): void {
  if (!mark || mark.atS < startS || mark.atS > endS) return;
  pen.strokeStyle = p.accent;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(at.x(mark.atS), at.y(mark.us), 4.5, 0, Math.PI * 2);
  pen.stroke();
}
