import { expect, test } from 'vitest';
import { quietPlace } from './theoryLine.ts';

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
