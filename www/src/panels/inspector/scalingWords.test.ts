import { expect, test } from 'vitest';
import type { ScalingRow } from '../../generated/boundary.ts';
import { changeOf, type Figure, figureAt, seenOf, tuningOf, whyOf, withUnit } from './scalingWords.ts';

const ROW: ScalingRow = {
  at_us: 195_000_000,
  pool: 'main',
  current: 2,
  recommended: 3,
  desired: 3,
  rule: 'above-threshold',
  clamped: '',
  metric: '',
  reverses: false,
  ready: 2,
  pending: 0,
  draining: 0,
  unplaced: 0,
  utilization: 0.1,
  queued: 0,
  rate_per_s: 29.8,
  ttft_us: 50_100,
  itl_us: 16_300,
  learnt: ['accepted', '', 'inferred'],
};
const of =
  (figures: Readonly<Record<string, number>>): Figure =>
  (name) =>
    figures[name] ?? Number.NaN;
const ALONE = { asCoded: false, together: false, up: 0.85 };
const LEARNT = of({ replica_per_s: 14.96, demand_per_s: 29.83, needed: 2.347, enough: 2.849, required: 2 });

test('a change has its sign', () => {
  expect(changeOf(ROW)).toBe('+1');
  expect(changeOf({ ...ROW, desired: 1 })).toBe('−1');
  expect(changeOf({ ...ROW, desired: 2 })).toBe('No change');
});

test('the reason has the numbers of the deciding rule', () => {
  expect(whyOf(ROW, LEARNT, ALONE)).toBe(
    '29.8\u00a0req/s ÷ (λ* 15.0 × 0.85) = 2.35 replicas. 2 run or start: more are needed.',
  );
  expect(whyOf({ ...ROW, rule: 'below-threshold' }, LEARNT, ALONE)).toContain(
    '2 run or start; replicas above 2.85 are removed.',
  );
  expect(whyOf({ ...ROW, rule: 'within-tolerance' }, LEARNT, ALONE)).toBe(
    '29.8\u00a0req/s ÷ (λ* 15.0 × 0.85) = 2.35 replicas; a replica is removed above 2.85. 2 run or start: no change.',
  );
  expect(whyOf({ ...ROW, clamped: 'to-max' }, LEARNT, ALONE)).toContain('3 is the maximum.');
  expect(whyOf(ROW, LEARNT, { ...ALONE, asCoded: true })).toContain('it never asks for more');
  expect(whyOf({ ...ROW, learnt: ['saturated', '', 'observed'] }, of({}), ALONE)).toContain('half as many');
  expect(whyOf({ ...ROW, rule: 'hold' }, undefined, ALONE)).toBe(
    'The deciding metrics are not known yet, so the number stays.',
  );
});

test('pools that decide together give the common reason and their own load', () => {
  const together = { ...ALONE, together: true };
  expect(whyOf(ROW, LEARNT, together)).toBe(
    'The pools of the model have too little capacity together: replicas are added where capacity costs least. This one: 29.8\u00a0req/s at λ* 15.0 a replica.',
  );
  expect(whyOf({ ...ROW, rule: 'hold' }, of({}), together)).toMatch(/: the number stays\.$/);
  expect(whyOf({ ...ROW, rule: 'gpu-budget' }, undefined, together)).toBe('More replicas are needed than GPUs allow.');
});

test('of several metrics the most demanding one is named', () => {
  const row = { ...ROW, rule: 'target', metric: 'waiting', clamped: 'to-max' };
  expect(whyOf(row, undefined, ALONE)).toBe(
    'The measured load needs this number. Of its metrics, waiting needs the most. 3 is the maximum.',
  );
});

test('learning is described with its side effects', () => {
  expect(tuningOf({ ...ROW, learnt: ['rejected', 'widened', ''] })).toMatch(
    /^The measurement is further off .* raises its own uncertainty\.$/,
  );
  const { learnt: _, ...none } = ROW;
  expect(tuningOf(none)).toBe('');
});

test('a decision has the figures of its instant and pool', () => {
  const data = {
    names: ['t_s', 'pool', 'nis'],
    columns: [
      [15, 15, 30],
      [0, 1, 0],
      [2, 3, 4],
    ].map((c) => new Float64Array(c)),
  };
  expect(figureAt(data, 15_000_000, 1)?.('nis')).toBe(3);
  expect(figureAt(data, 15_000_000, 1)?.('absent')).toBeNaN();
  expect(figureAt(data, 45_000_000, 0)).toBeUndefined();
  expect(figureAt(undefined, 0, 0)).toBeUndefined();
});

test('unknown values are dashes, and measurements have their age', () => {
  expect(withUnit(Number.NaN, 'ms')).toBe('–');
  expect(seenOf({ ...ROW, seen_us_ago: 0 }, 60)).toBe('just measured, mean of 60\u00a0s');
  expect(seenOf(ROW, 60)).toBe('nothing measured yet');
});
