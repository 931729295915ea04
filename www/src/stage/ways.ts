// The ways of requests on the stage: where pipes run, and where a request on its way is at an instant. Geometry alone, for those who
// draw it and for the pointer that looks for it.
import { VESSEL } from './bands.ts';
import type { Calm } from './calmLayout.ts';
import { bezier, type Dot, LEG_MS } from './dots.ts';
import type { StageLayout } from './layout.ts';
import type { StageFrame } from './picture.ts';
import type { Scene } from './scene.ts';

/** What the ways depend on. */
export type Ways = Pick<Scene, 'layout' | 'replicas' | 'wallMs'> & {
  readonly frame: Pick<StageFrame, 'clients' | 'gateway'>;
};

/** Distances left of where the boxes begin: the router and its inlet, and the bend and the label of a branch. */
export const LEFT = { inlet: 112, router: 102, bend: 72, from: 92, level: 64, label: 66, load: 12 } as const;
export const GATE_X = 100;
/** The slim gate of admission before the gateway's queue. */
export const SLIM = { x: VESSEL.x - 7, w: 5 } as const;
export const routerX = (layout: StageLayout): number => layout.flow - LEFT.router;
/** Lanes for clients: the most lanes, their distances, and the space above (rate of arrivals) and below. */
const LANES = { most: 6, least: 30, pitch: 44, top: 92, foot: 36 } as const;

export type Pipe = { readonly y: number; readonly from: number };

/**
 * Middle line and left end of each lane, one per client. If there are more clients than lanes, the last lane is for all
 * that have none of their own.
 */
export function clientPipes(layout: StageLayout, clients: number): Pipe[] {
  const room = layout.height - LANES.top - LANES.foot;
  const lanes = Math.max(1, Math.min(clients, LANES.most, Math.floor(room / LANES.least)));
  const pitch = Math.min(LANES.pitch, room / lanes);
  const span = pitch * (lanes - 1);
  const lowest = LANES.top + room - 11 - span;
  const top = Math.max(LANES.top + 17, Math.min(layout.axisY - span / 2, lowest));
  return Array.from({ length: Math.min(lanes, clients) }, (_, i) => ({ y: top + i * pitch, from: 68 }));
}

/** Where the branch to a row of boxes turns level, below its label. */
export function branchY(layout: StageLayout, i: number): number {
  const b = layout.branches[i];
  if (!b) return layout.axisY;
  if (layout.detail !== 'rows') return b.y;
  const box = layout.boxes[i];
  return b.y + (box && box.h >= 50 ? 12 : 8);
}

/** The branch that leads to a replica. */
function branchOf(layout: StageLayout, replica: number): number {
  return layout.branches.findIndex((b) => replica >= b.first && replica < b.first + b.count);
}

/** The pipe of a client into its band. */
export const INTO = { from: 62, bend: 76 } as const;

/** The middle of the band of a client, where its pipe ends; the middle of the vessel if it is unknown. */
export function inletY(s: Ways, client: number): number {
  const { queue, axisY } = s.layout;
  const priority = s.frame.clients[client]?.priority;
  const box = queue?.bands[s.frame.gateway?.bands.findIndex((band) => band.priority === priority) ?? -1];
  return box ? box.y + box.h / 2 : queue ? queue.vessel.y + queue.vessel.h / 2 : axisY;
}

/** Where a request on its way is; undefined while it is one of the marks of the gateway's queue. */
export function flowDotPlace(s: Ways, d: Dot, pipes: readonly Pipe[]): readonly [x: number, y: number] | undefined {
  const { layout, wallMs } = s;
  const cy = layout.axisY;
  const first = (wallMs - d.startMs) / LEG_MS;
  if (first < 1) return layout.queue ? dotToQueue(s, d, pipes, first) : dotToRouter(s, d, pipes, first);
  if (d.rejected) {
    const fallen = Math.min(1, (wallMs - d.leaveMs) / LEG_MS) * 46;
    return layout.queue ? [SLIM.x + 2.5, inletY(s, d.client) + fallen] : [GATE_X + 11, cy + fallen];
  }
  if (d.replica < 0 || wallMs < d.leaveMs) return layout.queue ? undefined : [routerX(layout), cy];
  const by = branchY(layout, branchOf(layout, boxOf(s, d.replica)));
  const t = (wallMs - d.leaveMs) / LEG_MS / 0.5;
  const level = layout.flow - LEFT.level;
  if (t >= 1) return [level + (t - 1) * LEFT.level, by];
  const x = bezier(t, routerX(layout) + 4, layout.flow - LEFT.bend, layout.flow - LEFT.from, level);
  return [x, bezier(t, cy, cy, by, by)];
}

/** From its client through admission to the router. */
function dotToRouter(s: Ways, d: Dot, pipes: readonly Pipe[], first: number): readonly [x: number, y: number] {
  const cy = s.layout.axisY;
  const pipe = pipes[Math.min(d.client, pipes.length - 1)];
  const t = first / 0.6;
  if (pipe && t < 1) return [bezier(t, pipe.from, pipe.from + 24, 80, GATE_X), bezier(t, pipe.y, pipe.y, cy, cy)];
  const x = GATE_X + ((first - 0.6) / 0.4) * (s.layout.flow - LEFT.inlet - GATE_X);
  return [d.rejected ? Math.min(x, GATE_X + 11) : x, cy];
}

/** From its client into its band, and from there to the router at once if it need not wait. */
function dotToQueue(
  s: Ways,
  d: Dot,
  pipes: readonly Pipe[],
  first: number,
): readonly [x: number, y: number] | undefined {
  const to = inletY(s, d.client);
  const pipe = pipes[Math.min(d.client, pipes.length - 1)];
  const t = first / 0.6;
  if (pipe && t < 1) return [bezier(t, INTO.from, INTO.bend, INTO.from, SLIM.x), bezier(t, pipe.y, pipe.y, to, to)];
  if (d.rejected) return [SLIM.x + 2.5, to];
  if (d.replica < 0) return undefined;
  const rest = (first - 0.6) / 0.4;
  return [SLIM.x + rest * (routerX(s.layout) - SLIM.x), to + rest * (s.layout.axisY - to)];
}

/** The box of a replica. */
function boxOf(s: Ways, replica: number): number {
  return s.replicas[replica]?.id === replica ? replica : s.replicas.findIndex((r) => r.id === replica);
}

/** The way of a pipe from the router to a row. */
type Way = readonly [x: number, y: number][];

/** The curve from the router to a row. */
export function wayTo(s: Pick<Ways, 'layout'>, calm: Calm, row: number): Way {
  const box = s.layout.boxes[row];
  const cy = s.layout.axisY;
  const from = calm.router.x + calm.router.radius - 4;
  const to = box?.x ?? from;
  const y = box ? box.y + box.h / 2 : cy;
  const bend = (from + to) / 2;
  return [
    [from, cy],
    [bend, cy],
    [bend - (to - from) * 0.2, y],
    [to, y],
  ];
}

/** Where a request on its way is in the first view; undefined while it waits at the router. */
export function calmDotPlace(s: Ways, calm: Calm, dot: Dot): readonly [x: number, y: number] | undefined {
  if (calm.trunk !== undefined) return onTrunk(s, calm.trunk, dot);
  const { axisY } = s.layout;
  const first = (s.wallMs - dot.startMs) / LEG_MS;
  if (first < 1) return [calm.source + first * (calm.router.x - calm.router.radius - calm.source), axisY];
  if (dot.rejected) return [calm.router.x, axisY + calm.router.radius + Math.min(1, first - 1) * 40];
  if (dot.replica < 0 || s.wallMs < dot.leaveMs) return undefined;
  const row = s.replicas.findIndex((r) => r.id === dot.replica);
  const [a, b, c, d] = wayTo(s, calm, row);
  if (row < 0 || !a || !b || !c || !d) return undefined;
  const t = Math.min(1, (s.wallMs - dot.leaveMs) / LEG_MS);
  return [bezier(t, a[0], b[0], c[0], d[0]), bezier(t, a[1], b[1], c[1], d[1])];
}

function onTrunk(s: Ways, x: number, dot: Dot): readonly [x: number, y: number] | undefined {
  const box = s.layout.boxes[s.replicas.findIndex((r) => r.id === dot.replica)];
  if (dot.replica < 0 || !box || s.wallMs < dot.leaveMs) return undefined;
  const y = box.y + box.h / 2;
  const way = y - s.layout.axisY + (box.x - x);
  const gone = Math.min(1, (s.wallMs - dot.leaveMs) / LEG_MS) * way;
  const down = y - s.layout.axisY;
  return gone < down ? [x, s.layout.axisY + gone] : [x + gone - down, y];
}

/** Where a request on its way is, on the stage as it is drawn; undefined where none is drawn. */
export function dotPlace(s: Ways, dot: Dot): readonly [x: number, y: number] | undefined {
  const { layout, frame } = s;
  if (layout.calm) return calmDotPlace(s, layout.calm, dot);
  if (layout.narrow || layout.split) return undefined;
  return flowDotPlace(s, dot, clientPipes(layout, frame.clients.length));
}
