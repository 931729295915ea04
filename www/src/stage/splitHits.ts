// What is under the pointer between and on the cards of a stage with prefill and decode apart.
import { count, percent, sig3, text } from '../base/units.ts';
import type { Frame, PairFrame, ReplicaFrame } from '../generated/boundary.ts';
import { decisionAt } from './decider.ts';
import type { StageLayout } from './layout.ts';
import { ribbonAt, ribbonsOf, wedgeAt } from './ribbons.ts';

/** How near a wedge has to be: a finger needs more. */
const REACH = { pointer: 9, finger: 18 } as const;

/** The request of the wedge or of the decision under a point; undefined if there is none. */
export function requestAt(
  layout: StageLayout,
  frame: Pick<Frame, 'split'>,
  replicas: readonly ReplicaFrame[],
  x: number,
  y: number,
): { readonly request: number; readonly replica: number } | undefined {
  const { split } = layout;
  if (!split || !frame.split) return undefined;
  const reach = split.vertical ? REACH.finger : REACH.pointer;
  const transfer = wedgeAt(ribbonsOf(frame.split, replicas, split), x, y, reach);
  if (transfer) return { request: transfer.request, replica: transfer.to };
  const decision = split.decider && decisionAt(frame.split, split.decider, x, y);
  return decision && { request: decision.request, replica: decision.home };
}

/** The replica whose role is changed by a click at a point. */
export function roleAt(
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  x: number,
  y: number,
): number | undefined {
  const at = layout.split?.cards.findIndex(
    ({ role }) => x >= role.x && x < role.x + role.w && y >= role.y && y < role.y + role.h,
  );
  return at === undefined ? undefined : replicas[at]?.id;
}

/** What flows between two replicas, in words. */
export function pairWords(pair: PairFrame, seconds: number): string {
  const flows = pair.flows === 1 ? '1 transfer' : `${count(pair.flows)} transfers`;
  const rate = text({ value: sig3(pair.bytes_per_s / 1e9), unit: 'GB/s' });
  const span = text({ value: count(Math.max(1, seconds)), unit: 's' });
  return `r${pair.from} to r${pair.to}: ${rate} in the last ${span}, ${flows} under way, port ${text(percent(pair.fullness))} full`;
}

/** The words about the ribbon under a point; undefined if there is none. */
export function ribbonSaid(
  layout: StageLayout,
  frame: Pick<Frame, 'split'>,
  replicas: readonly ReplicaFrame[],
  { offsetX, offsetY }: Pick<MouseEvent, 'offsetX' | 'offsetY'>,
): string | undefined {
  const { split } = layout;
  if (!split || !frame.split) return undefined;
  const ribbon = ribbonAt(ribbonsOf(frame.split, replicas, split), split.vertical, offsetX, offsetY);
  return ribbon && pairWords(ribbon.pair, frame.split.flow_s);
}
