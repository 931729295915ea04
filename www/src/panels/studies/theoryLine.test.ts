import { expect, test } from 'vitest';
import { atEdge, outside, pieces, quietPlace } from './theoryLine.ts';

test('the name of a law overlaps no line, or is left out', () => {
  const box = { x: 40, y: 5, w: 300, h: 80 };
  expect(quietPlace(box, 100, [])).toEqual([44, 14]);
  const across = (y: number) =>
    [
      [
        [40, y],
        [340, y],
      ] as const,
    ] as const;
  expect(quietPlace(box, 100, across(12))).toEqual([44, 82]);
  expect(
    quietPlace(box, 100, [
      ...across(12),
      [
        [40, 80],
        [150, 80],
      ],
    ])?.[0],
  ).toBeGreaterThan(150);
  expect(quietPlace(box, 100, [...across(12), ...across(80)])).toBeUndefined();
});

test('a line outside the axis stands at its edge', () => {
  const all = pieces([5, 15], [14, 16], [false, true]);
  expect(outside(all, [10, 100])).toBeUndefined();
  expect(outside(all, [15, 100])).toBeUndefined();
  expect(outside(all, [20, 100])).toBe('below');
  expect(outside(all, [1, 10])).toBe('above');
  expect(outside([], [1, 10])).toBeUndefined();
  expect(atEdge(all, 20).map(({ from, to }) => [from[1], to[1]])).toEqual(all.map(() => [20, 20]));
});
