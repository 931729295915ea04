import { expect, test } from 'vitest';
import type { Segment } from '../../generated/boundary.ts';
import { MOST_BARS, mergedBars } from './mergedBars.ts';

const bar = (from_us: number, to_us: number, tokens = 1): Segment => ({
  kind: 'prefill',
  from_us,
  to_us,
  tokens,
  open: false,
});
/** 174 pixels for 1,000 seconds, as in the inspector. */
const x = (us: number): number => (us / 1e9) * 174;

test('bars that a pixel parts stay as they are', () => {
  const rows = [{ bars: [bar(0, 10e6), bar(20e6, 30e6)] }, { bars: [] }];
  expect(mergedBars(rows, x)).toEqual(rows);
});

test('bars that no pixel parts are one, from the first to the last, with the tokens of all', () => {
  const [row] = mergedBars([{ bars: [bar(0, 1e6), bar(2e6, 3e6), bar(100e6, 101e6)] }], x);
  expect(row?.bars).toEqual([bar(0, 3e6, 2), bar(100e6, 101e6)]);
});

test('a request preempted 3,796 times has a picture of bounded size that covers the same time', () => {
  for (const lengthUs of [1e9, 1e13]) {
    const often = Array.from({ length: 3796 }, (_, i) => bar((i * lengthUs) / 3796, ((i + 0.4) * lengthUs) / 3796));
    const rows = Array.from({ length: 16 }, () => ({ bars: often }));
    const merged = mergedBars(rows, (us) => (us / lengthUs) * 174 * 1000);
    expect(merged.reduce((sum, row) => sum + row.bars.length, 0)).toBeLessThanOrEqual(MOST_BARS);
    for (const { bars } of merged) {
      expect([bars[0]?.from_us, bars.at(-1)?.to_us]).toEqual([0, often.at(-1)?.to_us]);
      expect(bars.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(3796);
    }
  }
});
