// What of the stage can be taken in the hand: the edges that are pulled, and the requests, by place. Geometry alone.
import type { ReplicaFrame } from '../generated/boundary.ts';
import { isStarting } from './facts.ts';
import { type Box, hitTest, marksTop, type StageLayout } from './layout.ts';
import { cellsTop } from './rowLayout.ts';
import { clientPipes, SLIM } from './ways.ts';

/** Along which axis an edge is pulled: to the right or up is more. */
export type Axis = 'x' | 'y';
type Edge = { readonly axis: Axis; readonly box: Box };

/** The KV cache of a replica, the arrivals of a client or of all, and the boundary between prefill and decode replicas. */
export type EdgeGrip =
  | (Edge & { readonly on: 'kv'; readonly replica: number })
  | (Edge & { readonly on: 'rate'; readonly client: number | undefined })
  | (Edge & { readonly on: 'ratio' });
export type RequestGrip = { readonly on: 'request'; readonly request: number; readonly replica: number | undefined };
export type Grip = EdgeGrip | RequestGrip;

/** How far beside an edge a pointer takes it; with a finger it is 44 px across. */
export const REACH = { pointer: 5, finger: 21 } as const;

/** All edges of a stage. `clients` is their number; `replicas` are those drawn. */
export function edgesOf(layout: StageLayout, replicas: readonly ReplicaFrame[], clients: number): readonly EdgeGrip[] {
  const kv = layout.boxes.flatMap((_, i): readonly EdgeGrip[] => {
    const r = replicas[i];
    const box = r && !isStarting(r) ? kvEdge(layout, i) : undefined;
    return r && box ? [{ on: 'kv', replica: r.id, axis: 'x', box }] : [];
  });
  return [...kv, ...rateEdges(layout, clients), ...ratioEdge(layout)];
}

/** The right edge of a replica's blocks; where a row has none, its own. */
function kvEdge(layout: StageLayout, i: number): Box | undefined {
  const box = layout.boxes[i];
  const card = layout.split?.cards[i];
  // The cells of ranks are too small.
  if (card?.size === 'rank') return undefined;
  if (card) return { x: card.kv.x + card.kv.w - 1, y: card.kv.y, w: 2, h: card.kv.h };
  if (!box || layout.detail === 'heat' || layout.detail === 'aggregate') return undefined;
  const blocks = layout.rows?.kv;
  if (blocks) return { x: blocks.x + blocks.w - 1, y: cellsTop(box, blocks), w: 2, h: blocks.h };
  if (layout.rows) return { x: box.x + box.w - 1, y: box.y + 8, w: 2, h: box.h - 16 };
  if (layout.detail === 'cards') return { x: box.x + box.w - 2, y: box.y + 3, w: 2, h: box.h - 6 };
  const { kv } = layout.columns;
  return { x: kv.x + kv.w - 1, y: marksTop(box), w: 2, h: layout.marks };
}

/** Where the pipes of clients begin and end, and the number of all arrivals above them. */
const LANE = { x: 12, right: 96, high: 20 } as const;
const TOTAL = { y: 38, h: 20 } as const;
const CELL = { x: 8, y: 8, gap: 27, h: 44 } as const;

function rateEdges(layout: StageLayout, clients: number): readonly EdgeGrip[] {
  const { calm, split, axisY } = layout;
  const one = (box: Box, axis: Axis = 'y', client?: number): EdgeGrip => ({ on: 'rate', client, axis, box });
  if (clients === 0) return [];
  if (calm?.trunk !== undefined) {
    const last = layout.boxes.at(-1);
    const top = axisY + calm.router.radius + 4;
    return [one({ x: calm.trunk - 3, y: top, w: 6, h: Math.max(0, (last ? last.y + last.h / 2 : top) - top) }, 'x')];
  }
  if (calm) return [one({ x: calm.source, y: axisY - 5, w: calm.router.x - calm.router.radius - calm.source, h: 10 })];
  if (split?.router && !layout.queue)
    return [one({ x: LANE.x, y: split.router.y - 5, w: split.router.x - 20 - LANE.x, h: 10 })];
  // On a phone, prefill and decode apart have no room for their arrivals.
  if (split) return split.vertical ? [] : [one({ x: LANE.x, y: 46, w: LANE.right - LANE.x, h: TOTAL.h })];
  if (layout.narrow) return [one({ x: CELL.x, y: CELL.y, w: (layout.width - 16 - 2 * CELL.gap) / 3, h: CELL.h }, 'x')];
  const w = (layout.queue ? SLIM.x - 4 : LANE.right) - LANE.x;
  const lanes = clientPipes(layout, clients).flatMap(({ y }, i, all) =>
    i === all.length - 1 && all.length < clients
      ? []
      : [one({ x: LANE.x, y: y - LANE.high / 2, w, h: LANE.high }, 'y', i)],
  );
  return clients === 1 ? lanes : [one({ x: LANE.x, ...TOTAL, w: LANE.right - LANE.x }), ...lanes];
}

function ratioEdge({ split }: StageLayout): readonly EdgeGrip[] {
  if (!split) return [];
  const { x, y, w, h } = split.ratio;
  return [{ on: 'ratio', axis: split.vertical ? 'y' : 'x', box: { x: x + w / 2 - 22, y, w: 44, h } }];
}

const away = (at: number, from: number, length: number): number => Math.max(from - at, at - from - length, 0);

/** The nearest edge within reach of a point. */
export function edgeAt(
  edges: readonly EdgeGrip[],
  x: number,
  y: number,
  reach: keyof typeof REACH,
): EdgeGrip | undefined {
  let best: EdgeGrip | undefined;
  let least: number = REACH[reach];
  for (const edge of edges) {
    const { box } = edge;
    const far = Math.max(away(x, box.x, box.w), away(y, box.y, box.h));
    if (far > least || (best && far === least)) continue;
    [best, least] = [edge, far];
  }
  return best;
}

/** The request whose chip or bar is at a point. */
export function requestGripAt(
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  x: number,
  y: number,
): RequestGrip | undefined {
  const hit = hitTest(layout, x, y, (i) => replicas[i]?.batch.requests.length ?? 0);
  const r = hit && replicas[hit.replica];
  const request = r && (r.queue[hit.chip]?.request ?? r.batch.requests[hit.bar]);
  return r && request !== undefined ? { on: 'request', request, replica: r.id } : undefined;
}

/** The replica at a point, with its box, that a request can be given to. */
export function targetAt(
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  x: number,
  y: number,
): { readonly replica: number; readonly box: Box } | undefined {
  const hit = hitTest(layout, x, y, () => 0);
  const r = hit && replicas[hit.replica];
  const box = hit && layout.boxes[hit.replica];
  return r && box && r.split?.role !== 'prefill' ? { replica: r.id, box } : undefined;
}
