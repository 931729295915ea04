// The picture of a heat map as data for its painter, and the positions of its instants and latencies.
import type { Density, Flag, LatencyBox } from '../generated/boundary.ts';

/** The margins of the plot: names of edits above, instants below, latencies left, the objective right. */
export const MARGIN = { left: 40, right: 44, top: 20, bottom: 18 } as const;

export type HeatPart = {
  readonly part: 'heat';
  readonly map: Density | undefined;
  /** The part of the time axis on screen, in seconds. */
  readonly startS: number;
  readonly endS: number;
  readonly nowS: number;
  readonly warmUpS: number;
  readonly flags: readonly Flag[];
  readonly boxes: readonly LatencyBox[];
  /** The box that the keys move, which has handles. */
  readonly active: number;
  /** How many requests are selected, in words; empty without boxes. */
  readonly selected: string;
  /** The selected request: its arrival in seconds, and its latency in microseconds. */
  readonly mark: { readonly atS: number; readonly us: number } | undefined;
  /** Why there is nothing to see. */
  readonly empty: string;
};

export type Places = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (timeS: number) => number;
  readonly y: (us: number) => number;
  readonly timeAt: (x: number) => number;
  readonly usAt: (y: number) => number;
};

/** The lowest and the highest latency on the axis, in microseconds; a millisecond to ten seconds while nothing is known. */
export function latencyRange(map: Density | undefined): readonly [number, number] {
  const [low, high] = [map?.edges_us[0], map?.edges_us.at(-1)];
  return low !== undefined && high !== undefined && high > low ? [low, high] : [1000, 10_000_000];
}

export function heatPlaces(picture: Pick<HeatPart, 'map' | 'startS' | 'endS'>, width: number, height: number): Places {
  const left = MARGIN.left;
  const right = Math.max(left + 1, width - MARGIN.right);
  const top = MARGIN.top;
  const bottom = Math.max(top + 1, height - MARGIN.bottom);
  const { startS, endS } = picture;
  const spanS = Math.max(1e-6, endS - startS);
  const [low, high] = latencyRange(picture.map);
  const decades = Math.log(high / low);
  const within = (v: number, a: number, b: number): number => Math.min(b, Math.max(a, v));
  return {
    left,
    right,
    top,
    bottom,
    x: (timeS) => within(left + ((right - left) * (timeS - startS)) / spanS, left, right),
    y: (us) => within(bottom - ((bottom - top) * Math.log(Math.max(us, low) / low)) / decades, top, bottom),
    timeAt: (x) => startS + (spanS * (within(x, left, right) - left)) / (right - left),
    usAt: (y) => low * Math.exp((decades * (bottom - within(y, top, bottom))) / (bottom - top)),
  };
}
