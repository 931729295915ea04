// One display frame, one round of drawing: what a new frame of the simulation asks to be drawn is drawn in the same display
// frame, not in the next. What can wait has display frames of its own.

type Paint = (nowMs: number) => void;

let joined: Set<Paint> | undefined;
/** Frames of the simulation that are about to be taken in, and when the latest was. */
let coming = 0;
let tookMs = Number.NaN;
const apart: (() => void)[] = [];
let passed = 0;
/** Display frames that what can wait lets pass: where every one of them takes a frame in, it shares one in the end. */
const MOST_PASSED = 2;

/** Calls back before the next paint; what joins while it runs is drawn right after it. */
export function atPaint(work: () => void): void {
  coming += 1;
  requestAnimationFrame((nowMs) => {
    coming -= 1;
    tookMs = nowMs;
    round(work, nowMs);
  });
}

/** The same in a display frame that takes in no frame of the simulation and no other such work, where there is one soon. */
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

/** Takes part in the round of drawing that is being prepared; false where there is none. */
export function joinPaint(paint: Paint): boolean {
  joined?.add(paint);
  return joined !== undefined;
}
