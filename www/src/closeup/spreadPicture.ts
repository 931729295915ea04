// The pictures beside a heat map as data for their painter: the distribution of the span on screen, and steps by batch size.
import type { Ecdf, StepPoints } from '../generated/boundary.ts';

export type SpreadPart = {
  readonly part: 'spread';
  readonly visible: Ecdf | undefined;
  readonly before: Ecdf | undefined;
  /** The objective in milliseconds, 0 without one. */
  readonly sloMs: number;
  /** The latencies of the brush in milliseconds. */
  readonly brush: readonly [number, number] | undefined;
  readonly empty: string;
};

export type StepsPart = {
  readonly part: 'steps';
  readonly points: StepPoints | undefined;
  readonly empty: string;
};
