// One round of drawing per display frame: drawing for a new frame of the simulation happens in the same display frame,
// not in the next. Deferrable work gets display frames of its own.

type Paint = (nowMs: number) => void;

let joined: Set<Paint> | undefined;
/** Frames of the simulation about to be processed, and the time of the latest. */
let coming = 0;
let tookMs = Number.NaN;
const apart: (() => void)[] = [];
let passed = 0;
/** Display frames that deferrable work lets pass. If each of them processes a frame, it finally shares one. */
const MOST_PASSED = 2;

/** Calls back before the next paint; work that joins meanwhile is drawn right after it. */
export function atPaint(work: () => void): void {
  coming += 1;
  requestAnimationFrame((nowMs) => {
    coming -= 1;
    tookMs = nowMs;
    round(work, nowMs);
  });
}

/** The same, but in a display frame without a simulation frame or other such work, if there is one soon. */
export function paintApart(work: () => void): void {
  apart.push(work);
  if (apart.length === 1) requestAnimationFrame(turn);
}

function turn(nowMs: number): void {
  const taken = coming > 0 || tookMs === nowMs;
  const work = taken && passed < MOST_PASSED ? undefined : apart.shift();
  passed = work ? 0 : passed + 1;
  if (apart.length > 0) requestAnimationFrame(turn);
  if (work) round(work, nowMs);
}

function round(work: () => void, nowMs: number): void {
  joined = new Set();
  try {
    work();
  } finally {
    const paints = joined;
    joined = undefined;
    for (const paint of paints) paint(nowMs);
  }
}

/** Joins the round of drawing being prepared; false if there is none. */
export function joinPaint(paint: Paint): boolean {
  joined?.add(paint);
  return joined !== undefined;
}
