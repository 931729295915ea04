import { expect, test } from 'vitest';
import { asTyped, axisText, inUnit, placeText, rangeText, typedIn, unitText } from './lessonUnits.ts';
import { NBSP } from './units.ts';

test.each([
  [342, 'ms', `342${NBSP}ms`],
  [2280, 'ms', `2.28${NBSP}s`],
  [0.5, 's', `500${NBSP}ms`],
  [30.9, 'req/s', `30.9${NBSP}req/s`],
  [0.9, '%', `90${NBSP}%`],
  [0.052, '%', `5.2${NBSP}%`],
  [4.876, '×', `4.88${NBSP}×`],
  [3, '×', `3${NBSP}×`],
  [12711.4, 'tokens', `12,711${NBSP}tokens`],
  [7, '', '7'],
  [null, 'ms', '–'],
  [Number.NaN, 'ms', '–'],
])('%s in %s is %s', (value, unit, expected) => {
  expect(unitText(value, unit)).toBe(expected);
});

test('a range has its unit once if both ends have the same', () => {
  expect(rangeText(697, 821, 'ms')).toBe(`697–821${NBSP}ms`);
  expect(rangeText(290, 1110, 'ms')).toBe(`290${NBSP}ms – 1.11${NBSP}s`);
  expect(rangeText(null, 3, 'ms')).toBe('–');
});

test('places on an axis are written as they are', () => {
  expect(placeText(2, 'req/s')).toBe(`2${NBSP}req/s`);
  expect(placeText(0.5, '%')).toBe(`50${NBSP}%`);
  expect(axisText(0.07, '%')).toBe('7');
  expect(placeText(undefined, '')).toBe('–');
});

test('a typed number may have its unit; percents become shares', () => {
  expect(typedIn('1,200', 'ms')).toBe(1200);
  expect(typedIn(' 3.5 ×', '×')).toBe(3.5);
  expect(typedIn('50 %', '%')).toBe(0.5);
  expect(typedIn('.5', '')).toBe(0.5);
  for (const wrong of ['', 'many', '3 4', '1e999']) expect(typedIn(wrong, 'ms')).toBeUndefined();
});

test('what is typed comes back', () => {
  expect(asTyped(0.123456, '%')).toBe('12.3');
  expect(inUnit(typedIn(asTyped(308, 'ms'), 'ms'), 'ms')).toEqual({ value: '308', unit: 'ms' });
});
