import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import { shareOf, targetWords } from './target.ts';

const frame = (nowUs: number, horizonUs: number): Frame => trust<Frame>({ now_us: nowUs, horizon_us: horizonUs });

test('the progress of a seek is given if its end is known', () => {
  expect(shareOf({ kind: 'instant', toUs: 80e6 }, frame(20e6, 0))).toBe(0.25);
  expect(shareOf({ kind: 'instant', toUs: Number.MAX_SAFE_INTEGER }, frame(60e6, 240e6))).toBe(0.25);
  expect(shareOf({ kind: 'instant', toUs: Number.MAX_SAFE_INTEGER }, frame(60e6, 0))).toBeUndefined();
  expect(shareOf({ kind: 'event', step: 'preemption', back: false }, frame(60e6, 240e6))).toBeUndefined();
});

test('work under way is described by its target', () => {
  const seconds = (us: number): string => String(us / 1e6);
  expect(targetWords({ kind: 'event', step: 'preemption', back: false }, seconds)).toBe(
    'Looking for the next preemption',
  );
  expect(targetWords({ kind: 'event', step: 'engine-step', back: true }, seconds)).toBe(
    'Looking for the latest engine step',
  );
  expect(targetWords({ kind: 'instant', toUs: 80e6 }, seconds)).toBe('Going to 80 s');
  expect(targetWords({ kind: 'instant', toUs: Number.MAX_SAFE_INTEGER }, seconds)).toBe('Running to the end');
});
