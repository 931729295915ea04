import { expect, test } from 'vitest';
import { marksOf } from './scalingMarksOf.ts';

test('decisions that leave the number as it is have no mark; the others say the direction', () => {
  const rows = [
    { at_us: 15e6, current: 3, desired: 3 },
    { at_us: 30e6, current: 3, desired: 5 },
    { at_us: 90e6, current: 5, desired: 4 },
  ];
  expect(marksOf(rows)).toEqual([
    { us: 30e6, more: true },
    { us: 90e6, more: false },
  ]);
});
