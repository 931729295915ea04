import { expect, test } from 'vitest';
import type { Axis, CurvePoint } from '../../../generated/boundary.ts';
import {
  claimAxis,
  farthest,
  heightAt,
  linearTicks,
  merged,
  missing,
  plotOf,
  reaching,
  samples,
  scaleOf,
  stepped,
  truthOf,
  withHeight,
} from './guessScale.ts';

const axis = (from: number, to: number, log = false): Axis => ({ label: '', unit: '', from, to, log });
/** 10 px a unit to the right, 1 px a unit upwards. */
const PLOT = plotOf({ x: axis(0, 10), y: axis(0, 100) }, { left: 20, right: 120, top: 10, bottom: 110 });
const point = (x: number, mean: number | null, lo: number | null = null, hi: number | null = null): CurvePoint => ({
  x,
  y: { mean, lo, hi, values: [] },
});

test('a linear scale and a logarithmic one go from value to pixel and back', () => {
  const linear = scaleOf(axis(0, 10), 20, 120);
  expect(linear.at(2.5)).toBe(45);
  expect(linear.of(45)).toBe(2.5);
  const log = scaleOf(axis(1, 100, true), 0, 200);
  expect(log.at(10)).toBe(100);
  expect(log.of(100)).toBeCloseTo(10);
  expect(log.of(500)).toBe(100);
});

test('ticks are round and inside', () => {
  expect(linearTicks(0, 1600, 3)).toEqual([0, 1000]);
  expect(linearTicks(0, 1600, 4)).toEqual([0, 500, 1000, 1500]);
  expect(linearTicks(4, 33, 4)).toEqual([10, 20, 30]);
  expect(scaleOf(axis(1, 20, true), 0, 100).ticks).toEqual([1, 3, 10]);
});

test('a movement of the hand is sampled each 4 px, in either direction, inside the plot', () => {
  const right = samples(PLOT, [20, 110], [28, 100]);
  expect(right).toEqual([
    [0, 0],
    [0.4, 5],
    [0.8, 10],
  ]);
  expect(samples(PLOT, [28, 100], [20, 110])).toEqual(right);
  // Beyond the plot it stays at the edge; without movement it is one sample.
  expect(samples(PLOT, [500, -40], [500, -40])).toEqual([[10, 100]]);
});

test('new samples take the place of those between their ends', () => {
  const line = [
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ] as const;
  expect(
    merged(line, [
      [1, 5],
      [2, 6],
    ]),
  ).toEqual([
    [0, 1],
    [1, 5],
    [2, 6],
    [3, 1],
  ]);
});

test('a line that ends within 16 px of the first and last value reaches them', () => {
  const line = [
    [1, 7],
    [8.5, 9],
  ] as const;
  expect(reaching(line, [0, 5, 10], PLOT.x)).toEqual([[0, 7], ...line, [10, 9]]);
  expect(reaching([[2, 7]], [0, 5, 10], PLOT.x)).toEqual([[2, 7]]);
});

test('heights are straight between points, and values outside the line are missing', () => {
  const line = [
    [0, 0],
    [4, 8],
  ] as const;
  expect(heightAt(line, 1)).toBe(2);
  expect(heightAt(line, 5)).toBeUndefined();
  expect(missing(line, [0, 2, 5])).toEqual([5]);
  expect(withHeight(line, [0, 2, 5], 2, 20)).toEqual([
    [0, 0],
    [2, 4],
    [5, 20],
  ]);
});

test('a key moves a value by a 40th of the axis, and not beyond its end', () => {
  expect(stepped(PLOT.y, PLOT.box, 50, 1)).toBe(52.5);
  expect(stepped(PLOT.y, PLOT.box, 99, 4)).toBe(100);
});

test('the curve leaves the chart where the line to the first point beyond crosses the top', () => {
  const truth = truthOf([point(0, 0, 0, 10), point(5, 50), point(10, 150)], PLOT, axis(0, 100));
  expect(truth.points).toEqual([
    { x: 20, y: 110, low: 110, high: 100 },
    { x: 70, y: 60, low: undefined, high: undefined },
  ]);
  // Half of the way from 50 to 150 is 100.
  expect(truth.leaves).toEqual({ px: 95, x: 10, y: 150 });
  expect(truth.path).toBe('M20.0 110.0L70.0 60.0L95.0 10.0');
});

test('points without a value are left out', () => {
  expect(truthOf([point(0, null), point(5, 50)], PLOT, axis(0, 100)).points.length).toBe(1);
});

test('the dimension line stands at the row that the verdict names', () => {
  const row = (x: number, factor: number) => ({ x, guess: 1, engine: factor, lo: null, hi: null, factor });
  const found = farthest({ right: false, factor: 2.47, in_place: 0, rows: [row(1, 1.1), row(2, 2.47)] });
  expect(found?.x).toBe(2);
  expect(farthest(null)).toBeUndefined();
});

test('the axis of a claim holds its values and its bounds, at round ends', () => {
  expect(claimAxis([4.2, 5.1, null], [3, null])).toEqual({ from: 2.5, to: 5.5 });
  expect(claimAxis([0.2, 0.4], [0.1])).toEqual({ from: 0.05, to: 0.45 });
  expect(claimAxis([], [])).toEqual({ from: 0, to: 1 });
});
