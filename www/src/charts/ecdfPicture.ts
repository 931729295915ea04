// The picture of a distribution as data for its painter, and the values on its axis.

import { logCeil, logFloor } from './scales.ts';

export type EcdfPicture = {
  readonly of: 'ecdf';
  readonly values: Float64Array;
  readonly percents: Float64Array;
  readonly sloMs: number;
  readonly stroke: string;
  readonly low: number;
  readonly high: number;
  /** The text for an empty plot; '' while its data are on their way. */
  readonly empty: string;
  /** Percentiles to mark: percent and milliseconds. */
  readonly marks: readonly (readonly [percent: number, ms: number])[];
  /** So few values that one request determines the p99. */
  readonly few: boolean;
  /** The distribution before an edit, drawn dashed below that after it. */
  readonly before?: { readonly values: Float64Array; readonly percents: Float64Array };
  /** The latency of the selected request. */
  readonly markMs?: number | undefined;
  /** Measured percentiles, drawn as hollow dots in ink, each joined to the curve. */
  readonly measured?: readonly (readonly [percent: number, ms: number])[];
};

/** Margins around the plot. */
export const EDGE = { left: 34, right: 14, top: 8, bottom: 20 } as const;

/** Log range that contains the bulk of the data and the objective. */
export function ecdfRange(low: number, high: number): { readonly low: number; readonly high: number } {
  if (!(low > 0) || !(high > 0)) return { low: 10, high: 10_000 };
  const from = logFloor(low);
  return { low: from, high: Math.max(logCeil(high), from * 10) };
}

/** The value at an x position; the right edge includes all values beyond it. */
export function msAt(x: number, width: number, low: number, high: number): number {
  const share = (x - EDGE.left) / (width - EDGE.left - EDGE.right);
  return share >= 1 ? Number.MAX_SAFE_INTEGER : low * Math.exp(Math.log(high / low) * Math.max(0, share));
}
