import { expect, test } from 'vitest';
import { apart, withUnit } from './StudyFigure.tsx';

const ticks = [0, 60, 120, 180, 240].map((s) => [s, String(s)] as const);

test('the last value of an axis has its unit behind it', () => {
  expect(withUnit(ticks, (s) => s * 2, 480, 's').map(([, text]) => text)).toEqual([
    '0',
    '60',
    '120',
    '180',
    '240\u00a0s',
  ]);
});

test('a value that the last one and its unit would cover is left out', () => {
  expect(withUnit(ticks, (s) => s / 3, 80, 's').map(([, text]) => text)).toEqual(['0', '60', '240\u00a0s']);
});

test('values near the end make room for a unit without a value', () => {
  expect(withUnit(ticks, (s) => s * 2, 490, 's').map(([, text]) => text)).toEqual(['0', '60', '120', '180']);
});

test('values of an axis whose names would touch leave one out', () => {
  const latencies = [200, 300, 400, 500, 600].map((ms) => [ms, `${ms} ms`] as const);
  expect(apart(latencies, (ms) => ms / 4).map(([ms]) => ms)).toEqual([200, 400, 600]);
  expect(apart(latencies, (ms) => ms)).toEqual(latencies);
});
