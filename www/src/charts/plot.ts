// uPlot with our axes, shades and labels. Everything that only we draw happens in its hooks, in CSS pixels.
import uPlot from 'uplot';
import { spans } from '../base/anomalies.ts';
import type { Palette } from '../draw/inks.ts';
import { font, label, plate } from '../draw/marks.ts';
import type { Frame, View } from '../generated/boundary.ts';
import { pennants } from './flags.ts';
import { endLabels, spreadLabels } from './scales.ts';
import type { Line, TimeSpec } from './specs.ts';

/** Left and right margin of every time chart, so that all share their edges. */
export const EDGE = { left: 40, right: 44 } as const;
const PAD = { top: 5, bottom: 4 } as const;
/** Height above the first plot for what is said about time: warm-up and edits. Kept free of data, so that nothing covers it. */
const LANE = 13;
const SYNC = 'tokenyard-time';

/** Height of the plot itself in a chart of this height. */
export function plotHeight(height: number, first: boolean): number {
  return height - PAD.top - PAD.bottom - (first ? LANE : 0);
}

/** Draws more over the lines of a chart. */
export type Over = (chart: {
  readonly view: View;
  readonly pen: CanvasRenderingContext2D;
  readonly box: Box;
  readonly palette: Palette;
  readonly range: readonly [number, number];
  readonly x: (timeS: number) => number;
  readonly y: (value: number) => number;
}) => void;

/** What a chart draws from, read again at each redraw. */
export type PlotState = {
  readonly palette: () => Palette;
  readonly frame: () => Frame | undefined;
  readonly focus: () => number | undefined;
  readonly lines: readonly Line[];
  readonly spec: TimeSpec;
  readonly range: () => { readonly low: number; readonly high: number };
  readonly ticks: () => readonly number[];
  readonly warmUpS: () => number;
  /** Whether there is anything to plot. */
  readonly filled: () => boolean;
  /** First chart of the column: it carries the labels of shades and flags. */
  readonly first: boolean;
  readonly onCursor: (timeS: number | undefined, index: number | undefined) => void;
  readonly over: () => Over | undefined;
};

type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

export function makePlot(host: HTMLElement, width: number, height: number, s: PlotState): uPlot {
  const options: uPlot.Options = {
    width,
    height,
    padding: [PAD.top + (s.first ? LANE : 0), EDGE.right, PAD.bottom, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { size: 6, width: 1.5, fill: () => s.palette().surface, stroke: (_, i) => strokeOf(s, i) },
      sync: { key: SYNC, scales: ['x', null], setSeries: false },
    },
    scales: {
      x: { time: false, range: () => [0, Math.max(1e-6, (s.frame()?.axis_end_us ?? 1e6) / 1e6)] },
      y: { distr: s.spec.log ? 3 : 1, range: () => [s.range().low, s.range().high] },
    },
    axes: [
      { show: false },
      {
        size: EDGE.left,
        gap: 5,
        font: font(s.palette(), 11),
        stroke: () => s.palette().ink3,
        ticks: { show: false },
        grid: { stroke: () => s.palette().line, width: 1 },
        splits: () => [...s.ticks()],
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((v) => s.spec.tick(v, s.range().high)),
      },
    ],
    series: [
      {},
      ...s.lines.map((line, i) => ({
        label: line.name,
        scale: 'y',
        stroke: () => strokeOf(s, i + 1),
        width: line.width(s.focus()),
        dash: line.dash(s.focus()),
        points: { show: false },
        spanGaps: s.spec.log,
        ...(s.spec.stepped && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
      })),
    ],
    bands: s.spec.bands.map((pair, i) => ({ series: [pair[0], pair[1]], fill: () => s.spec.band(s.palette(), i) })),
    hooks: {
      drawClear: [(u) => inCss(u, (pen, box) => drawUnder(u, s, pen, box))],
      draw: [(u) => inCss(u, (pen, box) => drawOver(u, s, pen, box))],
      setCursor: [
        (u) => {
          const left = u.cursor.left ?? -1;
          s.onCursor(left < 0 ? undefined : u.posToVal(left, 'x'), left < 0 ? undefined : (u.cursor.idx ?? undefined));
        },
      ],
    },
  };
  return new uPlot(options, [[], ...s.lines.map(() => [])], host);
}

const strokeOf = (s: PlotState, series: number): string =>
  s.lines[series - 1]?.stroke(s.palette(), s.focus()) ?? s.palette().ink3;

function inCss(u: uPlot, paint: (pen: CanvasRenderingContext2D, box: Box) => void): void {
  const r = uPlot.pxRatio;
  u.ctx.save();
  u.ctx.scale(r, r);
  paint(u.ctx, { x: u.bbox.left / r, y: u.bbox.top / r, w: u.bbox.width / r, h: u.bbox.height / r });
  u.ctx.restore();
}

const placeX = (u: uPlot, box: Box, t: number): number => box.x + Math.min(box.w, Math.max(0, u.valToPos(t, 'x')));

/** Below grid and lines: the warm-up and what is not simulated. */
function drawUnder(u: uPlot, s: PlotState, pen: CanvasRenderingContext2D, box: Box): void {
  const p = s.palette();
  const frame = s.frame();
  if (!frame) return;
  if (s.warmUpS() > 0) {
    pen.fillStyle = p.shade;
    const end = placeX(u, box, s.warmUpS());
    pen.fillRect(box.x, box.y, end - box.x, box.h);
    pen.fillStyle = p.line;
    pen.fillRect(end, box.y, 1, box.h);
  }
  // Faint: charts only shade the time of an anomaly; its mark is on the timeline.
  pen.globalAlpha = 0.1;
  pen.fillStyle = p.warn;
  for (const [from, to] of spans(frame.anomalies, frame.now_us)) {
    const left = placeX(u, box, from);
    pen.fillRect(left, box.y, Math.max(1, placeX(u, box, to) - left), box.h);
  }
  pen.globalAlpha = 1;
  const times = u.data[0];
  const x = placeX(u, box, Math.max(frame.now_us / 1e6, times[times.length - 1] ?? 0));
  pen.fillStyle = p.voidHatch;
  pen.fillRect(x, box.y, box.x + box.w - x, box.h);
}

/** Above the lines: objective, what lies ahead of the playhead, edits, labels. */
function drawOver(u: uPlot, s: PlotState, pen: CanvasRenderingContext2D, box: Box): void {
  const p = s.palette();
  const frame = s.frame();
  pen.textBaseline = 'alphabetic';
  pen.lineJoin = 'miter';
  if (!frame) return;
  const slo = s.spec.slo(frame);
  const sloY = slo > 0 && slo >= s.range().low && slo <= s.range().high ? box.y + u.valToPos(slo, 'y') : undefined;
  if (sloY !== undefined) {
    pen.strokeStyle = p.miss;
    pen.lineWidth = 1;
    pen.setLineDash([5, 3]);
    line(pen, box.x, sloY, box.x + box.w, sloY);
    pen.setLineDash([]);
  }
  s.over()?.({
    view: s.spec.view,
    pen,
    box,
    palette: p,
    range: [s.range().low, s.range().high],
    x: (t) => placeX(u, box, t),
    y: (v) => box.y + u.valToPos(v, 'y'),
  });
  drawEnds(u, s, pen, box, sloY);
  drawAhead(u, s, pen, box, frame);
  drawEdits(u, s, pen, box, frame);
  pen.font = font(p, 11);
  if (s.filled()) return;
  const after =
    s.warmUpS() > 0 && s.warmUpS() * 1e6 > frame.now_us && s.first ? `after ${s.warmUpS()} s of warm-up` : s.spec.empty;
  plate(pen, p, after, box.x + box.w / 2, box.y + box.h / 2 + 4);
}

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

/** What was computed beyond the playhead has not happened yet: 38 %. */
function drawAhead(u: uPlot, s: PlotState, pen: CanvasRenderingContext2D, box: Box, frame: Frame): void {
  const times = u.data[0];
  const nowS = frame.now_us / 1e6;
  const untilS = times[times.length - 1] ?? 0;
  const x0 = placeX(u, box, nowS);
  const x1 = placeX(u, box, untilS);
  if (x1 - x0 < 1) return;
  pen.globalAlpha = 0.62;
  pen.fillStyle = s.palette().surface;
  pen.fillRect(x0, box.y - 2, x1 - x0, box.h + 4);
  pen.globalAlpha = 1;
}

function drawEdits(u: uPlot, s: PlotState, pen: CanvasRenderingContext2D, box: Box, frame: Frame): void {
  const p = s.palette();
  for (const flag of frame.flags) {
    const x = Math.round(placeX(u, box, flag.at_us / 1e6)) + 0.5;
    pen.globalAlpha = flag.applied ? 0.9 : 0.4;
    pen.strokeStyle = p.accent;
    pen.lineWidth = 1;
    pen.setLineDash([2, 2]);
    line(pen, x, box.y, x, box.y + box.h);
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
  if (!s.first) return;
  const applied = frame.flags.filter((f) => f.applied);
  const places = applied.map((f) => Math.round(placeX(u, box, f.at_us / 1e6)));
  const playhead = placeX(u, box, frame.now_us / 1e6);
  const y = box.y - LANE - 2;
  const edges = { left: box.x, right: box.x + box.w + EDGE.right - 4, playhead, knob: 0 };
  const drawn = pennants(pen, p, applied, places, y, edges);
  if (s.warmUpS() <= 0) return;
  pen.font = font(p, 11);
  const end = box.x + pen.measureText('warm-up').width + 6;
  if (drawn.every((d) => (d.side === 'right' ? d.x : d.x - d.width) > end))
    label(pen, 'warm-up', box.x, y + 10.5, p.ink3);
}

/** Names at the ends of the lines, kept apart. */
function drawEnds(u: uPlot, s: PlotState, pen: CanvasRenderingContext2D, box: Box, sloY: number | undefined): void {
  const p = s.palette();
  const focus = s.focus();
  const names: string[] = [];
  const places: number[] = [];
  const alone: boolean[] = [];
  s.lines.forEach((l, i) => {
    const column = u.data[i + 1];
    let v: number | null | undefined;
    for (let k = (column?.length ?? 0) - 1; k >= 0 && v == null; k--) v = column?.[k];
    if (v == null) return;
    names.push(l.name);
    places.push(box.y + u.valToPos(Math.min(s.range().high, Math.max(s.range().low, v)), 'y') + 4);
    alone.push(focus !== undefined && l.replica === focus);
  });
  const slo = sloY === undefined ? -1 : names.length;
  if (sloY !== undefined) {
    names.push('SLO');
    places.push(sloY + 4);
    alone.push(true);
  }
  const labels = endLabels(names, places, alone, Math.floor((box.h - LEAST) / GAP) + 1);
  const spots = spreadLabels(
    labels.map((l) => l.place),
    GAP,
    box.y + 4,
    // Descenders end above the edge of the canvas.
    box.y + box.h + 4 - LEAST,
  );
  labels.forEach(({ text, lines }, k) => {
    const chosen = lines.length === 1 && lines[0] !== slo && alone[lines[0] ?? 0] === true;
    pen.font = font(p, 11, chosen ? 600 : 400);
    const ink = lines.includes(slo) ? p.missText : chosen ? p.ink : p.ink3;
    label(pen, text, box.x + box.w + 5, spots[k] ?? 0, ink);
  });
}
/** Distance of the base lines of two names, and by how much the first and the last are closer than the plot is high. */
const GAP = 11;
const LEAST = 2.5;
