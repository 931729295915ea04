// A chart over time from its columns and a frame: the range of its axis, and its picture.
import { spans } from '../base/anomalies.ts';
import type { ViewColumns } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import type { Frame, View } from '../generated/boundary.ts';
import { type HeldRange, linearTop, logCeil, logFloor, logTicks } from './scales.ts';
import type { Line, TimeSpec } from './specs.ts';
import {
  type Box,
  type Ghost,
  isPlotted,
  type Lanes,
  type Mark,
  type OverLine,
  placesIn,
  plotBox,
  type TimePicture,
} from './timePicture.ts';

/** The overlay on the lines of a chart, in its pixels. */
export type Over = (chart: {
  readonly view: View;
  readonly range: readonly [low: number, high: number];
  readonly x: (timeS: number) => number;
  readonly y: (value: number) => number;
  readonly box: Box;
  readonly times: Float64Array;
  /** The values of its lines. */
  readonly values: readonly Float64Array[];
  readonly slo: number;
}) => OverLine | undefined;

/** The range of an axis, and whether there is anything to plot. */
export type Shown = { readonly low: number; readonly high: number; readonly filled: boolean };

export type TimeContent = {
  readonly spec: TimeSpec;
  readonly data: ViewColumns | undefined;
  readonly lines: readonly Line[];
  readonly shown: Shown;
  readonly frame: Frame | undefined;
  readonly startS?: number | undefined;
  readonly endS: number;
  readonly palette: Palette;
  /** The replica in focus. */
  readonly focus: number | undefined;
  readonly warmUpS: number;
  readonly first: boolean;
  readonly over: Over | undefined;
  readonly ghosts?: readonly Ghost[];
  readonly lanes?: Lanes | undefined;
  /** The value of the selected request. */
  readonly mark?: Mark | undefined;
};

const NONE = new Float64Array();

/** The range needed for the columns and the objective, not narrower than the held one. */
export function shownOf(
  spec: TimeSpec,
  data: ViewColumns | undefined,
  lines: readonly Line[],
  slo: number,
  held: HeldRange,
  /** The window of the time axis: another one has a range of its own. */
  zoom = '',
  lanes?: Lanes,
  ghosts: readonly Ghost[] = [],
): Shown {
  if (!data || held.zoom !== zoom) held.reset();
  held.zoom = zoom;
  if (lanes && !lanes.stacked) return { filled: true, low: 0, high: lanes.count };
  const { low, high } = extentOf(spec, [
    ...lines.map(({ column }) => data?.columns[column] ?? NONE),
    ...ghosts.map((g) => g.values),
  ]);
  const filled = low <= high;
  // The range ends a little above the objective, so that its line is not the edge of the plot.
  const top = slo > 0 ? Math.max(high, slo * 1.3) : Math.max(high, lanes?.count ?? 0);
  const bottom = slo > 0 ? Math.min(low, slo) : low;
  held.extend(filled ? bottom : Number.NaN, filled ? top : Number.NaN, data?.columns[0]?.at(-1) ?? 0);
  return { filled, ...rangeOf(spec, held) };
}

export function pictureOf(c: TimeContent, width: number, height: number): TimePicture {
  const { spec, frame, palette, focus } = c;
  const { low, high, filled } = c.shown;
  const axes = { startS: c.startS, endS: c.endS, low, high, log: spec.log };
  const box = plotBox(width, height, c.first);
  const nowUs = frame?.now_us ?? 0;
  const times = c.data?.columns[0] ?? NONE;
  const valuesOf = (line: Line): Float64Array => c.data?.columns[line.column] ?? NONE;
  const slo = frame ? spec.slo(frame) : 0;
  const isWarm = c.first && c.warmUpS * 1e6 > nowUs;
  return {
    of: 'time',
    ...axes,
    first: c.first,
    plain: spec.plain,
    stepped: spec.stepped,
    times,
    lines: c.lines.map((line) => ({
      values: valuesOf(line),
      name: line.end ?? line.name,
      ink: line.stroke(palette, focus),
      width: line.width(focus),
      dash: line.dash(focus),
      chosen: focus !== undefined && line.replica === focus,
      counts: line.tail ? c.data?.columns[c.data.names.indexOf('count')] : undefined,
    })),
    bands: spec.bands.map(([upper, lower], i) => ({
      upper,
      lower,
      ink: spec.band(palette, i),
      alpha: spec.bandAlpha ?? 1,
    })),
    lanes: c.lanes,
    ghosts: c.ghosts ?? [],
    ticks: (c.lanes?.stacked === false ? [] : ticksOf(spec, box, low, high)).map((value) => ({
      value,
      text: spec.tick(value, high),
    })),
    nowS: nowUs / 1e6,
    warmUpS: c.warmUpS,
    shaded: spec.plain ? [] : spans(frame?.anomalies ?? [], nowUs),
    flags: frame?.flags ?? [],
    slo,
    mark: c.mark,
    over: c.over?.({
      view: spec.view,
      range: [low, high],
      ...placesIn(box, axes),
      box,
      times,
      values: c.lines.map(valuesOf),
      slo,
    }),
    empty: filled || !frame || !c.data ? undefined : isWarm ? `after ${c.warmUpS} s of warm-up` : spec.empty,
  };
}

/** The least and greatest plotted value; if there is none, the least is above the greatest. */
function extentOf(spec: TimeSpec, columns: readonly Float64Array[]): { readonly low: number; readonly high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const column of columns) {
    for (const v of column) {
      if (!isPlotted(v, spec.log)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return { low, high };
}

/** As many ticks as the plot has room for. */
function ticksOf(spec: TimeSpec, box: Box, low: number, high: number): number[] {
  if (spec.log) return logTicks(low, high, Math.max(2, Math.floor(box.h / 14)));
  return box.h >= 30 ? [0, high / 2, high] : [0, high];
}

function rangeOf(spec: TimeSpec, held: HeldRange): { low: number; high: number } {
  if (!spec.log)
    return {
      low: 0,
      high: spec.fixed
        ? spec.top
        : linearTop(Math.max(spec.top, Number.isFinite(held.high) ? held.high : 0), spec.stepped),
    };
  if (!Number.isFinite(held.low) || !Number.isFinite(held.high)) return { low: 10, high: 10_000 };
  const low = logFloor(held.low);
  return { low, high: Math.max(logCeil(held.high), low * 10) };
}
