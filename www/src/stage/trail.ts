// Requests on their way, as the painter draws them: found again from the latest frames where the pointer looks for one.
import type { ReplicaFrame } from '../generated/boundary.ts';
import { Dots } from './dots.ts';
import type { StageLayout } from './layout.ts';
import type { Passed } from './notes.ts';
import type { StageFrame } from './picture.ts';
import { dotPlace } from './ways.ts';

/** A frame is on screen about two display frames after it came. */
const PAINTED_MS = 32;
/** How near a dot has to be: it moves on while a hand reaches for it. */
const NEAR_PX = 14;

/** The request on its way that is nearest to a point. */
export function dotAt(
  passed: readonly Passed[],
  drawn: {
    readonly layout: StageLayout;
    readonly frame: Pick<StageFrame, 'clients' | 'gateway'>;
    readonly replicas: readonly ReplicaFrame[];
  },
  { x, y, wallMs }: { readonly x: number; readonly y: number; readonly wallMs: number },
): number | undefined {
  const dots = new Dots();
  for (const { note, wallMs: at } of passed) {
    if (note.followed) dots.take(note.followed.moves, note.nowUs, at + PAINTED_MS, note.followed.speed);
    else dots.clear();
  }
  dots.settle(wallMs);
  let found: number | undefined;
  let least = NEAR_PX;
  for (const dot of dots.pool) {
    if (!dot.live || dot.rejected || wallMs < dot.startMs) continue;
    const place = dotPlace({ ...drawn, wallMs }, dot);
    const far = place ? Math.hypot(place[0] - x, place[1] - y) : least;
    if (far < least) [found, least] = [dot.request, far];
  }
  return found;
}
