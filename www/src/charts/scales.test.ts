import { expect, test } from 'vitest';
import {
  endLabels,
  HeldRange,
  indexAt,
  lastFinite,
  linearTop,
  logCeil,
  logFloor,
  logTicks,
  nearest,
  spreadLabels,
  timeTicks,
  valueAt,
} from './scales.ts';

test('a log range ends at round numbers and contains the data', () => {
  expect([80, 100, 342, 2280, 0.7].map(logFloor)).toEqual([70, 100, 300, 2000, 0.7]);
  expect([80, 100, 342, 3240, 0.71].map(logCeil)).toEqual([100, 100, 500, 5000, 1]);
});

test('log ticks are 1 and 3 of each decade, or only decades if those are too many', () => {
  expect(logTicks(70, 5000)).toEqual([100, 300, 1000, 3000]);
  expect(logTicks(1, 100_000, 6)).toEqual([1, 10, 100, 1000, 10_000, 100_000]);
  expect(logTicks(2, 8)).toEqual([2, 3, 4, 5, 6, 8]);
  expect(logTicks(1, 1_000_000, 4)).toEqual([1, 100, 10_000, 1_000_000]);
});

test('a linear axis contains the data and half of it is round, whole for counts', () => {
  expect([0, 0.3, 7, 11, 13, 230].map((x) => linearTop(x))).toEqual([1, 0.3, 8, 12, 16, 240]);
  expect([0, 1, 3, 5, 11, 29].map((x) => linearTop(x, true))).toEqual([2, 2, 4, 6, 12, 30]);
});

test('time ticks are round instants far enough apart to be read', () => {
  expect(timeTicks(240, 464, 52)).toEqual([0, 30, 60, 90, 120, 150, 180, 210, 240]);
  expect(timeTicks(3600, 464, 52)).toEqual([0, 600, 1200, 1800, 2400, 3000, 3600]);
  expect(timeTicks(0, 464, 52)).toEqual([0]);
  expect(timeTicks(96.3, 464, 52, 95.9)).toEqual([95.9, 95.95, 96, 96.05, 96.1, 96.15, 96.2, 96.25, 96.3]);
});

test('a held range grows, never shrinks, and resets when time goes back', () => {
  const held = new HeldRange();
  expect(held.extend(10, 20, 5)).toBe(true);
  expect(held.extend(12, 18, 6)).toBe(false);
  held.extend(5, 30, 7);
  expect([held.low, held.high]).toEqual([5, 30]);
  held.extend(12, 18, 1);
  expect([held.low, held.high]).toEqual([12, 18]);
  held.reset();
  held.extend(1, 2, 9);
  expect([held.low, held.high]).toEqual([1, 2]);
});

test('labels keep their order, their distance and the plot', () => {
  expect(spreadLabels([10, 12, 50], 11, 0, 60)).toEqual([10, 21, 50]);
  expect(spreadLabels([58, 59, 60], 11, 0, 60)).toEqual([38, 49, 60]);
  expect(spreadLabels([30, 10], 11, 0, 60)).toEqual([30, 10]);
});

test('percentiles are looked up on the curve, not interpolated', () => {
  const values = Float64Array.of(100, 200, 400, 900);
  const percents = Float64Array.of(25, 50, 90, 100);
  expect(valueAt(values, percents, 50)).toBe(200);
  expect(valueAt(values, percents, 91)).toBe(900);
  expect(valueAt(values, Float64Array.of(1, 2, 3, 4), 50)).toBeNaN();
});

test('the last known value skips what is missing', () => {
  expect(lastFinite(Float64Array.of(1, 2, Number.NaN))).toBe(2);
  expect(lastFinite(Float64Array.of(1, Number.NaN, Number.NaN), 2, 1)).toBeNaN();
  expect(indexAt([0, 1, 2], 1.5)).toBe(1);
  expect(indexAt([1, 2], 0.5)).toBe(-1);
});

test('every line has its name at its end; with little room the highest and the chosen one, and one for the others', () => {
  const texts = (names: string[], places: number[], room: number, alone: boolean[] = []) =>
    endLabels(names, places, alone, room).map((l) => l.text);
  expect(texts(['r0', 'r1', 'r2', 'r3'], [40, 10, 20, 30], 4)).toEqual(['r1', 'r2', 'r3', 'r0']);
  expect(texts(['r0', 'r1', 'r2', 'r3'], [40, 10, 12, 30], 3)).toEqual(['r1', 'r2', 'r0, r3']);
  expect(texts(['r0', 'r1', 'r2', 'r3'], [10, 40, 12, 14], 2)).toEqual(['r0', 'r1–r3']);
  expect(texts(['r0', 'r1', 'r2', 'r3', 'r4'], [20, 10, 12, 14, 91], 2)).toEqual(['r1', 'others']);
  expect(texts(['r0', 'r1', 'r2', 'r3'], [10, 20, 30, 40], 2, [false, false, true])).toEqual(['others', 'r2']);
  expect(texts(['p50', 'p90', 'p99', 'SLO'], [30, 29, 20, 19], 3, [false, false, false, true])).toEqual([
    'SLO',
    'p99',
    'p50/90',
  ]);
  for (const room of [1, 2, 3, 5, 16]) {
    const all = endLabels(
      Array.from({ length: 16 }, (_, i) => `r${i}`),
      Array.from({ length: 16 }, (_, i) => (i * 7) % 40),
      [],
      room,
    );
    expect(all.length).toBeLessThanOrEqual(room);
    expect(all.flatMap((l) => l.lines).length).toBe(16);
  }
});

test('the bucket under the cursor is the closest one, the last one beyond them', () => {
  expect([0, 1.4, 1.6, 2.4, 9].map((t) => nearest([0.5, 1, 2], t))).toEqual([0, 1, 2, 2, 2]);
  expect(nearest([], 1)).toBeUndefined();
});
