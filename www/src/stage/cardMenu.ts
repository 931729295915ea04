// The three dots on the card in focus, which open its menu.
import { roundRect } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import type { Box, StageLayout } from './layout.ts';
import type { Scene } from './scene.ts';

/** The place of the dots: in the lower right corner of a card of the phone. Rows have a tool at their end instead. */
const dotsOf = (box: Box): Box => ({ x: box.x + box.w - 30, y: box.y + box.h - 14, w: 20, h: 10 });
/** Around the dots, a click is theirs: as much as a finger needs. */
const REACH = 16;

const hasDots = (layout: StageLayout): boolean => layout.stacked && layout.detail === 'rows' && !layout.split;

export function drawDots(s: Scene, box: Box, r: ReplicaFrame): void {
  if (!s.menu || s.focus !== r.id || !hasDots(s.layout)) return;
  const { pen, p } = s;
  const { x, y, w, h } = dotsOf(box);
  roundRect(pen, x, y, w, h, 3);
  pen.fillStyle = p.accent;
  pen.fill();
  pen.fillStyle = p.onAccent;
  for (const dx of [5, 9, 13]) pen.fillRect(x + dx, y + h / 2 - 1, 2, 2);
}

/** The replica in focus, if its dots are at a point. */
export function dotsAt(
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  focus: number | undefined,
  x: number,
  y: number,
): number | undefined {
  const at = focus === undefined || !hasDots(layout) ? -1 : replicas.findIndex((r) => r.id === focus);
  const box = layout.boxes[at];
  if (!box) return undefined;
  const dots = dotsOf(box);
  const within = x >= dots.x - REACH && x < dots.x + dots.w + REACH && y >= dots.y - REACH && y < dots.y + dots.h + 4;
  return within ? focus : undefined;
}
