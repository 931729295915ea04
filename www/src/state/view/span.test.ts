import { expect, test } from 'vitest';
import { spanBetween } from './span.ts';

test('a span goes from the earlier instant to the later one, from either end', () => {
  expect(spanBetween(9, 5, 40, 240, 'ttft')).toEqual({ fromS: 5, toS: 9, of: 'ttft' });
});

test('a span is within the simulated time', () => {
  expect(spanBetween(-3, 55, 40, 240, 'e2e')).toEqual({ fromS: 0, toS: 40, of: 'e2e' });
});

test.each([
  [12, 1.235],
  [240, 1.23],
  [5000, 1.2],
])('on an axis of %d s a limit has as many digits as are readable there', (axisS, fromS) => {
  expect(spanBetween(1.23456, 3, 10, axisS, 'e2e').fromS).toBe(fromS);
});
