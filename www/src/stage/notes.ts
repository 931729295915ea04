// What the stage notes of each frame: for the history of its pictures, and for a hand that reaches for a request on its way.
import { createEffect } from 'solid-js';
import type { StageProps } from '../base/view.ts';
import type { StageNote } from './picture.ts';

/** Least time between two pictures of a stage without dots. */
const RIBBONS_MS = 25;
/** The most frames per picture: while nothing is drawn, only the latest matter. */
const NOTES = 64;
/** The notes kept for the hand: those of the longest way at sixty frames a second. */
const PASSED = 160;

/** A note of a frame, and when the stage got it. */
export type Passed = { readonly note: StageNote; readonly wallMs: number };

/** Notes each frame, and asks for a picture of it. */
export function createNotes(props: StageProps, ribbons: () => boolean, redraw: () => void) {
  let notes: StageNote[] = [];
  let askedMs = 0;
  const passed: Passed[] = [];
  createEffect(() => {
    const frame = props.frame;
    if (!frame) return;
    const ttftUs = frame.replicas.length > 8 ? [] : frame.replicas.filter((r) => r.ttft.count > 0);
    const note: StageNote = {
      nowUs: frame.now_us,
      offeredPerS: frame.key.offered_per_s,
      ttftUs: ttftUs.map((r) => [r.id, r.ttft.p50_us] as const),
      followed: ribbons() ? undefined : { moves: frame.moves, speed: props.speed },
    };
    notes.push(note);
    if (notes.length > NOTES) notes.shift();
    const now = performance.now();
    passed.push({ note, wallMs: now });
    if (passed.length > PASSED) passed.shift();
    // Without dots nothing moves continuously: every other display frame is enough.
    const seldom = ribbons() && props.playing;
    if (seldom && now - askedMs < RIBBONS_MS) return;
    askedMs = now;
    // Drawn in the display frame after the one that updates the numbers: both in one would take too long.
    if (seldom) setTimeout(redraw);
    else redraw();
  });
  return {
    /** The notes since the picture before. */
    take: (): readonly StageNote[] => {
      const since = notes;
      notes = [];
      return since;
    },
    passed: (): readonly Passed[] => passed,
  };
}
