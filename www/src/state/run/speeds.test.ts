import { expect, test } from 'vitest';
import { behind, caption, FIRST_SPEED, SPEEDS } from './speeds.ts';

test('speeds rise from a thousandth to ten thousand and to unbounded, each with a caption', () => {
  expect(SPEEDS.every((speed, i) => i === 0 || speed > (SPEEDS[i - 1] ?? 0))).toBe(true);
  expect([SPEEDS[0], SPEEDS.at(-2), SPEEDS.at(-1)]).toEqual([0.001, 10_000, Number.POSITIVE_INFINITY]);
  expect(SPEEDS.every((speed) => caption(speed) !== '')).toBe(true);
  expect(SPEEDS[FIRST_SPEED]).toBe(5);
});

test('an unbounded speed is never behind', () => {
  expect(behind(Number.POSITIVE_INFINITY, 3)).toBe(false);
  expect(behind(10, 8)).toBe(true);
  expect(behind(10, 0)).toBe(false);
});
