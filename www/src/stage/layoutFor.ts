// The layout for a frame: two columns where pools have roles and all replicas find their place, else rows or a grid; a strip
// where the stage has no more height.

import { serversOf } from '../base/servers.ts';
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { calmLayout, workLayout } from './calmLayout.ts';
import { STACKED, type StageLayout, stageLayout, stageNeeds } from './layout.ts';
import { areRows } from './rowLayout.ts';
import { splitLayout, splitNeeds } from './splitLayout.ts';
import { STRIP_HEIGHT, stripLayout } from './strip.ts';

type Clusters = Pick<Frame, 'pools' | 'gateway' | 'split' | 'clients' | 'servers'>;
/** Whether it is that of the first view, and whether each row has a tool. */
export type Shown = { readonly calm?: boolean | undefined; readonly tools?: boolean | undefined };

const bandsOf = (frame: Clusters | undefined): number => frame?.gateway?.bands.length ?? 0;

const rolesOf = (replicas: readonly ReplicaFrame[]): (string | undefined)[] => replicas.map((r) => r.split?.role);

/** Whether all requests come from one source: what a burst adds comes from there too. */
const hasOneSource = (frame: Clusters | undefined): boolean =>
  (frame?.clients ?? []).filter(({ name }) => !/^burst(-\d+)?$/.test(name)).length <= 1;

/** How high the stage of the whole page is: that of a few rows, or of many; undefined where it has no rows of one source. */
export function rowsAsked(frame: Clusters | undefined, replicas: number): 'few' | 'many' | undefined {
  if (!frame || frame.split || bandsOf(frame) > 0 || !hasOneSource(frame) || !areRows(Math.max(1, replicas)))
    return undefined;
  return replicas <= FEW ? 'few' : 'many';
}
const FEW = 4;

export function layoutFor(
  width: number,
  height: number,
  frame: Clusters | undefined,
  replicas: readonly ReplicaFrame[],
  { calm = false, tools = false }: Shown = {},
): StageLayout {
  const bands = bandsOf(frame);
  const n = replicas.length;
  const pane = { width, height };
  const batch = Math.max(1, ...(frame?.pools ?? []).map((pool) => pool.max_num_seqs));
  if (height <= STRIP_HEIGHT) return { ...stripLayout(width, height, n, batch), flow: 0, queue: undefined };
  if (!frame?.split && bands === 0 && areRows(Math.max(1, n))) {
    const work = !calm && width >= STACKED && hasOneSource(frame) ? workLayout(pane, n, batch, tools) : undefined;
    const one = calm && n > 0 ? calmLayout(pane, n, batch) : work;
    if (one) return { ...one, flow: 0, queue: undefined };
  }
  const apart = frame?.split
    ? splitLayout(width, height, rolesOf(replicas), bands, serversOf(frame, replicas))
    : undefined;
  return apart ?? stageLayout(width, height, n, { batch, bands, tools });
}

/** The height that the stage needs so that only the page scrolls; 0 if it fits its box. */
export function needsFor(width: number, frame: Clusters | undefined, replicas: readonly ReplicaFrame[]): number {
  const bands = bandsOf(frame);
  const apart = frame?.split ? splitNeeds(rolesOf(replicas), width, bands, serversOf(frame, replicas)) : 0;
  return apart > 0 ? apart : stageNeeds(width, replicas.length, bands);
}
