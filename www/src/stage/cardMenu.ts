// The three dots on the card in focus, which open its menu.
import { roundRect } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import type { Box, StageLayout } from './layout.ts';
import type { Scene } from './scene.ts';

/**
 * The place of the dots in a row: beside the name, below it in a compact row, in the lower right corner of a card of the phone. No
 * number is there.
 */
function dotsOf(layout: StageLayout, box: Box): Box {
  if (layout.stacked) return { x: box.x + box.w - 30, y: box.y + box.h - 14, w: 20, h: 10 };
  const { id } = layout.columns;
  const bottom = box.y + box.h;
  if (layout.compact) return { x: id.x, y: bottom - 9, w: 20, h: 8 };
  return { x: id.x + id.w - 10, y: box.y + box.h / 2 - (box.h >= 58 ? 22 : 18), w: 20, h: 10 };
}
/** Around the dots, a click is theirs: a finger needs more. */
const REACH = { pointer: 6, finger: 16 } as const;

const hasDots = (layout: StageLayout): boolean => layout.detail === 'rows' && !layout.split;

export function drawDots(s: Scene, box: Box, r: ReplicaFrame): void {
  if (!s.menu || s.focus !== r.id || !hasDots(s.layout)) return;
  const { pen, p } = s;
  const { x, y, w, h } = dotsOf(s.layout, box);
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
  const dots = dotsOf(layout, box);
  const reach = layout.stacked ? REACH.finger : REACH.pointer;
  const within = x >= dots.x - reach && x < dots.x + dots.w + reach && y >= dots.y - reach && y < dots.y + dots.h + 4;
  return within ? focus : undefined;
}
