import { expect, test } from 'vitest';
import { ticks } from './ticks.ts';

test('ticks are round, start at zero and end at the end', () => {
  expect(ticks(240, 13)).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240]);
  expect(ticks(3481, 5)).toEqual([0, 1000, 2000, 3481]);
  expect(ticks(1, 4)).toEqual([0, 0.5, 1]);
});
