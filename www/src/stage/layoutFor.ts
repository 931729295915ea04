// The layout for a frame: two columns where pools have roles and all replicas find their place, else rows or a grid; a strip
// where the stage has no more height.
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { calmLayout, hasCalmRows } from './calmLayout.ts';
import { type StageLayout, stageLayout, stageNeeds } from './layout.ts';
import { splitLayout, splitNeeds } from './splitLayout.ts';
import { STRIP_HEIGHT, stripLayout } from './strip.ts';

type Clusters = Pick<Frame, 'pools' | 'gateway' | 'split'>;

const bandsOf = (frame: Clusters | undefined): number => frame?.gateway?.bands.length ?? 0;

const rolesOf = (replicas: readonly ReplicaFrame[]): (string | undefined)[] => replicas.map((r) => r.split?.role);

export function layoutFor(
  width: number,
  height: number,
  frame: Clusters | undefined,
  replicas: readonly ReplicaFrame[],
  calm = false,
): StageLayout {
  const bands = bandsOf(frame);
  const batch = Math.max(1, ...(frame?.pools ?? []).map((pool) => pool.max_num_seqs));
  if (height <= STRIP_HEIGHT)
    return { ...stripLayout(width, height, replicas.length, batch), flow: 0, queue: undefined };
  if (calm && !frame?.split && bands === 0 && hasCalmRows(replicas.length)) {
    return { ...calmLayout({ width, height }, replicas.length, batch), flow: 0, queue: undefined };
  }
  const apart = frame?.split ? splitLayout(width, height, rolesOf(replicas), bands) : undefined;
  return apart ?? stageLayout(width, height, replicas.length, frame?.pools.length, bands);
}

/** The height that the stage needs so that only the page scrolls; 0 if it fits its box. */
export function needsFor(width: number, frame: Clusters | undefined, replicas: readonly ReplicaFrame[]): number {
  const bands = bandsOf(frame);
  const apart = frame?.split ? splitNeeds(rolesOf(replicas), width, bands) : 0;
  return apart > 0 ? apart : stageNeeds(width, replicas.length, bands);
}
