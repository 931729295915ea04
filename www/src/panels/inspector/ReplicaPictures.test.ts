import { expect, test } from 'vitest';
import { trendLine, withPoint } from './ReplicaPictures.tsx';

test('a trend keeps the last minute, and nothing of before a jump back', () => {
  const three = withPoint(withPoint(withPoint([], [1e6, 1e4]), [50e6, 1e5]), [70e6, 1e6]);
  expect(three).toEqual([
    [50e6, 1e5],
    [70e6, 1e6],
  ]);
  expect(withPoint(three, [60e6, 1e5])).toEqual([
    [50e6, 1e5],
    [60e6, 1e5],
  ]);
  expect(withPoint(three, [10e6, 1e5])).toEqual([[10e6, 1e5]]);
});

test('it goes over three decades from 10 ms, and ends at the right', () => {
  expect(trendLine([])).toBe('');
  expect(
    trendLine([
      [10e6, 1e4],
      [40e6, 1e7],
      [70e6, 1e9],
    ]),
  ).toBe('0.0,32.0 144.0,0.0 288.0,0.0');
});
