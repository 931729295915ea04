// The detail of frames: as much as can be drawn at the number of replicas, and more for the one in focus.
import { WINDOW_S } from '../../base/view.ts';
import type { FrameQuery } from '../../generated/boundary.ts';

export function detailFor(replicas: number, focus: number | undefined): FrameQuery {
  const base = { window_s: WINDOW_S, moves: 64, ...(focus === undefined ? {} : { focus }) };
  if (replicas <= 8) return { ...base, queue: 24, batch: 96, cells: 182 };
  if (replicas <= 64) return { ...base, queue: 0, batch: 24, cells: 0 };
  return { ...base, queue: 0, batch: 0, cells: 0 };
}

/** The detail of the recorded opening, which has four replicas. */
export const OPENING_DETAIL: FrameQuery = detailFor(4, undefined);
