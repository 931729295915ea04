import { expect, test } from 'vitest';
import { littleShapes } from './littlePicture.ts';

test('equal sides of the law have equal areas, and unequal ones their ratio', () => {
  const even = littleShapes({ inside: 101.4, perSecond: 29.06, seconds: 101.4 / 29.06 });
  expect(even).toBeDefined();
  if (!even) return;
  expect(even.rectangle.width * even.rectangle.height).toBeCloseTo(2400, 6);
  expect(even.side).toBeCloseTo(Math.sqrt(2400), 6);
  const half = littleShapes({ inside: 50, perSecond: 10, seconds: 10 });
  expect((half?.side ?? 0) ** 2).toBeCloseTo(1200, 6);
});

test('many short stays are wide, few long ones high, within limits; nothing is drawn for nothing', () => {
  const wide = littleShapes({ inside: 10, perSecond: 1000, seconds: 0.01 });
  const high = littleShapes({ inside: 10, perSecond: 0.01, seconds: 1000 });
  expect((wide?.rectangle.width ?? 0) / (wide?.rectangle.height ?? 1)).toBeCloseTo(3, 9);
  expect((high?.rectangle.height ?? 0) / (high?.rectangle.width ?? 1)).toBeCloseTo(3, 9);
  expect(littleShapes({ inside: 0, perSecond: 0, seconds: 0 })).toBeUndefined();
  expect(littleShapes({ inside: Number.NaN, perSecond: 1, seconds: 1 })).toBeUndefined();
});
