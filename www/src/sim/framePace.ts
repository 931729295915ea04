// How often a running simulation is shown, and how fast it runs.
import type { Mode } from './protocol.ts';

/** Up to this speed, real time, the eye can follow a run. */
const FOLLOWED_SPEED = 2;

/**
 * The worker spends at most one part in `share` of its time on frames, so large clusters get fewer; they begin at least
 * `apartMs` apart.
 */
type FramePace = { readonly share: number; readonly apartMs: number };

const FOLLOWED: FramePace = { share: 6, apartMs: 0 };
/** In every other display frame, so that the page has some for the rest. */
const FAST: FramePace = { share: 10, apartMs: 30 };
/** In every third, because each differs much from the previous one. */
const FULL: FramePace = { share: 10, apartMs: 45 };

export function framesOf(mode: Mode, speed: number): FramePace {
  if (mode === 'seeking') return FAST;
  if (mode !== 'playing' || speed <= FOLLOWED_SPEED) return FOLLOWED;
  return Number.isFinite(speed) ? FAST : FULL;
}

/** The speed of a playing run, over the latest second. */
export class AchievedPace {
  private marks: { ms: number; us: number }[] = [];

  begin(): void {
    this.marks = [];
  }

  /** Records that the run is at an instant. */
  note(ms: number, us: number): void {
    this.marks.push({ ms, us });
    while (this.marks.length > 2 && ms - (this.marks[0]?.ms ?? ms) > 1000) this.marks.shift();
  }

  /** Simulated seconds per wall second; 0 until known. */
  speed(): number {
    const first = this.marks[0];
    const last = this.marks.at(-1);
    if (!first || !last || last.ms - first.ms < 50) return 0;
    return (last.us - first.us) / 1000 / (last.ms - first.ms);
  }
}
