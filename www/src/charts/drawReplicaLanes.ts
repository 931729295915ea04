// Replicas over time in lanes: what each was, by shape and ground.
import type { Palette } from '../draw/inks.ts';
import { DASHES, type ReplicaLook, replicaLook } from '../draw/looks.ts';
import { font, label } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { Box, Lanes } from './timePicture.ts';

/** The greatest distance of lanes whose place is not that of a count, and the room between two of them. */
const PITCH = 24;
const ROOM = 3;
/** The size of a cross. */
const CROSS = 8;
/** The height from which a lane has room for its name. */
const LEAST_NAMED = 7;
/** The height of the foot under what degrades a replica. */
const FOOT = 2;

type Scene = {
  readonly pen: Pen;
  readonly p: Palette;
  readonly box: Box;
  readonly lanes: Lanes;
  /** Up to when the run is computed. */
  readonly doneS: number;
  readonly x: (timeS: number) => number;
  readonly y: (value: number) => number;
};

type Bar = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

/** The upper edge of a lane and its height. */
export function laneAt(
  { box, lanes, y }: Pick<Scene, 'box' | 'lanes' | 'y'>,
  lane: number,
): { readonly y: number; readonly h: number } {
  if (!lanes.stacked) {
    const pitch = Math.min(PITCH, box.h / lanes.count);
    return { y: box.y + lane * pitch, h: Math.max(1, pitch - Math.min(ROOM, pitch / 4)) };
  }
  const [top, bottom] = [y(lane + 1), y(lane)];
  return { y: top + Math.min(1, (bottom - top) / 4), h: Math.max(1, bottom - top - Math.min(2, (bottom - top) / 4)) };
}

export function drawReplicaLanes(s: Scene): void {
  const { pen, lanes } = s;
  for (const { fromS, toS, lane, state } of lanes.spans) {
    const { y, h } = laneAt(s, lane);
    // What is known of the time that is not computed yet is fainter.
    for (const [from, to, alpha] of [
      [fromS, Math.min(toS, s.doneS), 1],
      [Math.max(fromS, s.doneS), toS, 0.45],
    ] as const) {
      const left = s.x(from);
      const w = s.x(to) - left;
      if (!(to > from) || w <= 0) continue;
      pen.globalAlpha = alpha;
      drawBar(s, state, { x: left, y, w: Math.max(1, w), h }, alpha);
    }
  }
  pen.globalAlpha = 1;
}

/** The names at the ends of the lanes, where each is of one replica. */
export function drawLaneNames(s: Scene): void {
  const { pen, p, box, lanes } = s;
  if (lanes.stacked) return;
  for (let lane = 0; lane < lanes.count; lane++) {
    const { y, h } = laneAt(s, lane);
    if (h < LEAST_NAMED) return;
    const its = lanes.spans.find((span) => span.lane === lane);
    if (!its) continue;
    const chosen = its.replica === lanes.focus;
    pen.font = font(p, 11, chosen ? 600 : 400);
    label(pen, `r${its.replica}`, box.x + box.w + 4, y + h / 2 + 4, chosen ? p.ink : p.ink3);
  }
}

/** The grounds of states, in the ink of blocks in use; crosses are strokes. */
const GROUNDS: Readonly<Record<NonNullable<ReplicaLook['ground']>, (pen: Pen, bar: Bar) => void>> = {
  solid: (pen, { x, y, w, h }) => pen.fillRect(x, y, w, h),
  'lower-half': (pen, { x, y, w, h }) => pen.fillRect(x, y + h / 2, w, h / 2),
  levels,
  posts,
  crosses,
};

function drawBar({ pen, p }: Scene, state: string, bar: Bar, alpha: number): void {
  const { x, y, w, h } = bar;
  const { ground, foot = false, edge } = replicaLook(state);
  pen.globalAlpha = 0.8 * alpha;
  pen.fillStyle = p.kvUsed;
  pen.strokeStyle = p.miss;
  if (ground) GROUNDS[ground](pen, bar);
  pen.globalAlpha = alpha;
  if (foot) {
    pen.fillStyle = p.miss;
    pen.fillRect(x, y + h - FOOT + 1, w, FOOT);
  }
  if (!edge) return;
  pen.strokeStyle = p[edge.ink];
  pen.lineWidth = 1;
  pen.setLineDash(edge.dash);
  pen.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, w - 1), Math.max(0.5, h - 1));
  pen.setLineDash(DASHES.solid);
}

/** Level stripes. */
function levels(pen: Pen, { x, y, w, h }: Bar): void {
  for (let dy = 0; dy < h - 1; dy += 4) pen.fillRect(x, y + dy, w, Math.min(2, h - dy));
}

/** Upright stripes. */
function posts(pen: Pen, { x, y, w, h }: Bar): void {
  for (let dx = 0; dx < w; dx += 4) pen.fillRect(x + dx, y, Math.min(2, w - dx), h);
}

/** Crosses in square cells; the last ones of a row are cut at the end. */
function crosses(pen: Pen, { x, y, w, h }: Bar): void {
  const rows = Math.max(1, Math.round(h / CROSS));
  const [size, high] = [Math.max(4, h / rows), h / rows];
  pen.lineWidth = 0.6;
  pen.beginPath();
  for (let top = y; top < y + h - 0.5; top += high) {
    for (let dx = 0; dx < w; dx += size) {
      const part = Math.min(1, (w - dx) / size);
      pen.moveTo(x + dx, top);
      pen.lineTo(x + dx + part * size, top + part * high);
      pen.moveTo(x + dx, top + high);
      pen.lineTo(x + dx + part * size, top + high - part * high);
    }
  }
  pen.stroke();
}
