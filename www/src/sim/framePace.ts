// How often a run that goes on is shown.
import type { Mode } from './protocol.ts';

/** Up to this speed, real time, a run goes on as the eye follows it. */
const FOLLOWED_SPEED = 2;

/** The worker spends at most one part in `share` of its time on frames, so that large clusters get fewer of them; they begin at least so far apart. */
type FramePace = { readonly share: number; readonly apartMs: number };

const FOLLOWED: FramePace = { share: 6, apartMs: 0 };
/** In every other display frame, so that the page has some for the rest. */
const FAST: FramePace = { share: 10, apartMs: 30 };
/** In every third: each is far from the one before. */
const FULL: FramePace = { share: 10, apartMs: 45 };

export function framesOf(mode: Mode, speed: number): FramePace {
  if (mode === 'seeking') return FAST;
  if (mode !== 'playing' || speed <= FOLLOWED_SPEED) return FOLLOWED;
  return Number.isFinite(speed) ? FAST : FULL;
}
