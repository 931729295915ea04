// One display frame, one round of drawing: what a new frame of the simulation asks to be drawn is drawn in the same display
// frame, not in the next.

type Paint = (nowMs: number) => void;

let joined: Set<Paint> | undefined;

/** Calls back before the next paint; what joins while it runs is drawn right after it. */
export function atPaint(work: () => void): void {
  requestAnimationFrame((nowMs) => {
    joined = new Set();
    try {
      work();
    } finally {
      const paints = joined;
      joined = undefined;
      for (const paint of paints) paint(nowMs);
    }
  });
}

/** Takes part in the round of drawing that is being prepared; false where there is none. */
export function joinPaint(paint: Paint): boolean {
  joined?.add(paint);
  return joined !== undefined;
}
