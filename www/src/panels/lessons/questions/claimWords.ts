// The words of a claim, and their places below its picture.
import { axisText, placeText } from '../../../base/lessonUnits.ts';
import type { LessonClaim } from '../../../generated/boundary.ts';

/** The width of the picture. */
export const WIDTH = 280;

/** `claim: over 3`, `claim: under 50 ms`, `claim: 1 to 2`. */
export function boundWords(claim: Pick<LessonClaim, 'above' | 'below' | 'unit'>): string {
  const { above, below, unit } = claim;
  const short = (v: number): string => (unit === '×' ? axisText(v, unit) : placeText(v, unit));
  if (above !== null && below !== null) return `claim: ${axisText(above, unit)} to ${short(below)}`;
  if (above !== null) return `claim: over ${short(above)}`;
  return below === null ? '' : `claim: under ${short(below)}`;
}

/** The middles of two words below an axis, near their marks, inside the picture and apart; and the room they take. */
export function apart(
  mean: number,
  meanText: string,
  bound: number,
  boundText: string,
): { readonly mean: number; readonly bound: number; readonly low: number; readonly high: number } {
  const half = (words: string): number => words.length * 3.1 + 4;
  const inside = (x: number, h: number): number => Math.min(WIDTH - h, Math.max(h, x));
  const [hm, hb] = [half(meanText), half(boundText)];
  let [m, b] = [inside(mean, hm), inside(bound, hb)];
  const gap = hm + hb + 4;
  if (Math.abs(m - b) < gap) {
    if (b <= m) {
      m = inside(b + gap, hm);
      b = inside(m - gap, hb);
    } else {
      b = inside(m + gap, hb);
      m = inside(b - gap, hm);
    }
  }
  return { mean: m, bound: b, low: Math.min(m - hm, b - hb), high: Math.max(m + hm, b + hb) };
}
