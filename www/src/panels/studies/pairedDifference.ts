// The difference of each request between two runs: its axis, its test in words, and which mark a click means.
import { durationMs, signed, text } from '../../base/units.ts';
import type { PairedPart, RequestCloud, Verdict } from '../../generated/boundary.ts';
import type { Place } from './StudyFigure.tsx';

/** How near to a mark a click must be. */
const NEAR = 14;

/** The axis is linear up to a millisecond; beyond, each decade has the same length. */
export function symmetric(ms: number): number {
  return Math.sign(ms) * Math.log10(1 + Math.abs(ms));
}

const WORDS: Readonly<Record<Verdict, string>> = {
  better: 'B is better',
  worse: 'B is worse',
  'none-shown': 'no difference can be shown',
  unknown: '',
};

/** The test of each request against itself, in words. */
export function pairedWords(p: PairedPart): string {
  const ms = (value: number): string => text(signed(durationMs(value)));
  const { p50_lo_ms: lo, p50_hi_ms: hi } = p;
  const range = lo === null || hi === null || (lo === 0 && hi === 0) ? '' : ` (${ms(lo)} to ${ms(hi)})`;
  const words = WORDS[p.p50_verdict] === '' ? '' : `: ${WORDS[p.p50_verdict]}`;
  const blocks = p.blocks > 1 ? `; gains in ${p.blocks_gained} of ${p.blocks} blocks of time` : '';
  return `median ${ms(p.p50_ms)}${range}${words}${blocks}`;
}

/** The mark nearest to a point, if one is near. */
export function nearest(
  cloud: Pick<RequestCloud, 't_s' | 'diff_ms'>,
  px: number,
  py: number,
  x: Place,
  y: Place,
): number | undefined {
  let best: number | undefined;
  let least = NEAR * NEAR;
  cloud.diff_ms.forEach((ms, i) => {
    const far = (x(cloud.t_s[i] ?? 0) - px) ** 2 + (y(ms) - py) ** 2;
    if (far < least) [best, least] = [i, far];
  });
  return best;
}
