import { expect, test } from 'vitest';
import { wholeTicks } from './ticks.ts';

test('ticks are round, start at zero and stay inside', () => {
  expect(wholeTicks(240, 13)).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240]);
  expect(wholeTicks(3481, 5)).toEqual([0, 1000, 2000, 3000]);
  expect(wholeTicks(2.31, 4)).toEqual([0, 1, 2]);
  expect(wholeTicks(1, 4)).toEqual([0, 0.5, 1]);
});
