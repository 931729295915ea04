import { expect, test } from 'vitest';
import {
  clock,
  count,
  DASH,
  durationMs,
  durationUs,
  percent,
  percentileUs,
  ratePerS,
  secondsOf,
  short,
  sig3,
  signed,
  speed,
  text,
  usd,
} from './units.ts';

const show = (ms: number): string => text(durationMs(ms)).replace('\u00a0', ' ');

test('durations have three significant digits and switch units at 1,000 ms and 120 s', () => {
  expect([0, 0.2, 24.06, 342.4, 999.4, 999.6, 2284, 12_100, 119_900, 120_000].map(show)).toEqual([
    '0 ms',
    '0.20 ms',
    '24.1 ms',
    '342 ms',
    '999 ms',
    '1.00 s',
    '2.28 s',
    '12.1 s',
    '120 s',
    '2.00 min',
  ]);
});

test('a value never shows a fourth significant digit when rounding carries over', () => {
  expect([9.996, 99.96, 9.994].map(sig3)).toEqual(['10.0', '100', '9.99']);
});

test('a missing value is a dash and never zero', () => {
  expect(text(percentileUs(0, 0))).toBe(DASH);
  expect(text(durationUs(Number.NaN))).toBe(DASH);
  expect(count(Number.NaN)).toBe(DASH);
});

test('exact numbers stay exact', () => {
  expect(count(12_711)).toBe('12,711');
  expect(clock(131_250_417)).toBe('131.250');
  expect(clock(1_234_005_000)).toBe('1,234.005');
});

test('large counts in short', () => {
  expect([420, 999.6, 4200, 13_104, 999_600, 1_310_000].map(short)).toEqual([
    '420',
    '1k',
    '4.2k',
    '13.1k',
    '1M',
    '1.3M',
  ]);
});

test('shares, rates, prices and differences', () => {
  expect(text(percent(0.641, 1))).toBe('64.1\u00a0%');
  expect(percent(0.97).value).toBe('97');
  expect([9.6, 0, 120.4, 0.04].map((x) => ratePerS(x).value)).toEqual(['9.6', '0.0', '120', '0.04']);
  expect(usd(1.384)).toBe('$1.38');
  expect(signed(durationMs(1710)).value).toBe('+1.71');
  expect(signed(durationMs(-12)).value).toBe('−12.0');
  // A value that rounds to zero is no difference.
  expect(signed(durationMs(0)).value).toBe('0');
  expect(signed(durationMs(-0.001)).value).toBe('0.00');
  expect(signed(percent(0.0001, 1)).value).toBe('0.0');
  expect(signed({ value: '-$0.00', unit: '' }).value).toBe('$0.00');
  expect(signed(durationMs(Number.NaN)).value).toBe('–');
});

test('speeds from a thousandth to as fast as possible', () => {
  expect([0.001, 0.01, 0.5, 1, 9.98, 60, 210.4, 1234, Number.POSITIVE_INFINITY].map(speed)).toEqual([
    '0.001×',
    '0.01×',
    '0.5×',
    '1×',
    '9.98×',
    '60×',
    '210×',
    '1,230×',
    'max',
  ]);
});

test('a time is typed in seconds or with colons', () => {
  expect([secondsOf('131.25'), secondsOf('2:11.25'), secondsOf('1:00:00')]).toEqual([131.25, 131.25, 3600]);
  expect([secondsOf('soon'), secondsOf('-1'), secondsOf('')]).toEqual([undefined, undefined, undefined]);
});
