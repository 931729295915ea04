// What changes at once on the stage and is shown as one short gesture: a crash, a replica that comes, another router. Nothing else
// moves, and with reduced motion not even these.
import type { Palette } from '../draw/inks.ts';
import { roundRect } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { isDown } from './facts.ts';
import type { StageLayout } from './layout.ts';
import { routerX } from './ways.ts';

/** How long a gesture lasts. */
export const GESTURE_MS = 320;
/** Frames farther apart are not a change that was watched, but a jump along the run. */
const WATCHED_US = 3_000_000;

/** What can change, as one frame has it. */
export type Seen = {
  readonly nowUs: number;
  readonly replicas: readonly ReplicaFrame[];
  /** The router in force, in any words. */
  readonly router: string | undefined;
};

type Gesture = { readonly of: 'crash' | 'come' | 'switch'; readonly replica: number; readonly startMs: number };

export class Gestures {
  private before:
    | { nowUs: number; down: ReadonlySet<number>; ids: ReadonlySet<number>; router: string | undefined }
    | undefined;
  private all: readonly Gesture[] = [];

  /** Takes the next frame. `still`: nothing is to move. */
  take({ nowUs, replicas, router }: Seen, wallMs: number, still: boolean): void {
    const { before } = this;
    const ids = new Set(replicas.map((r) => r.id));
    const down = new Set(replicas.filter(isDown).map((r) => r.id));
    this.before = { nowUs, down, ids, router };
    this.all = still ? [] : this.all.filter(({ startMs }) => wallMs < startMs + GESTURE_MS);
    if (still || !before || nowUs < before.nowUs || nowUs > before.nowUs + WATCHED_US) return;
    const begun = (of: Gesture['of'], replica: number): Gesture => ({ of, replica, startMs: wallMs });
    this.all = [
      ...this.all,
      ...[...down].filter((id) => before.ids.has(id) && !before.down.has(id)).map((id) => begun('crash', id)),
      ...[...ids].filter((id) => !before.ids.has(id)).map((id) => begun('come', id)),
      ...(before.router !== undefined && router !== before.router ? [begun('switch', -1)] : []),
    ];
  }

  /** The gestures under way, each with its share done, 0 to 1. */
  under(wallMs: number): readonly (Pick<Gesture, 'of' | 'replica'> & { readonly done: number })[] {
    return this.all
      .map(({ of, replica, startMs }) => ({ of, replica, done: Math.max(0, (wallMs - startMs) / GESTURE_MS) }))
      .filter(({ done }) => done < 1);
  }
}

/** How far a ring widens, in pixels. */
const WIDER = 10;

/** Draws the gestures over the stage: a ring that widens and fades, and a cover that lifts from a card that comes. */
export function drawGestures(
  pen: Pen,
  p: Palette,
  { layout, replicas }: { readonly layout: StageLayout; readonly replicas: readonly ReplicaFrame[] },
  under: ReturnType<Gestures['under']>,
): void {
  for (const { of, replica, done } of under) {
    const left = (1 - done) ** 2;
    const box = layout.boxes[replicas.findIndex((r) => r.id === replica)];
    pen.globalAlpha = left;
    if (of === 'switch') {
      const at = routerOf(layout);
      pen.beginPath();
      if (at) pen.arc(at.x, at.y, at.radius + WIDER * (1 - left), 0, Math.PI * 2);
      ring(pen, p.accent);
    } else if (box && of === 'crash') {
      roundRect(pen, box.x, box.y, box.w, box.h, 6);
      ring(pen, p.miss);
    } else if (box) {
      pen.fillStyle = p.surface;
      pen.fillRect(box.x, box.y, box.w, box.h);
    }
  }
  pen.globalAlpha = 1;
}

function ring(pen: Pen, ink: string): void {
  pen.strokeStyle = ink;
  pen.lineWidth = 3;
  pen.stroke();
}

function routerOf(
  layout: StageLayout,
): { readonly x: number; readonly y: number; readonly radius: number } | undefined {
  const { calm, split, narrow, axisY } = layout;
  if (calm) return { x: calm.router.x, y: axisY, radius: calm.router.radius };
  if (split) return split.router && { ...split.router, radius: 11 };
  return narrow ? undefined : { x: routerX(layout), y: axisY, radius: 11 };
}
