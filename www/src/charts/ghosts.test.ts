import { expect, test } from 'vitest';
import type { Without } from '../base/view.ts';
import { ghostsOf, ghostsSaid } from './ghosts.ts';
import { TIME_SPECS } from './specs.ts';

const columns = (...all: number[][]): Float64Array[] => all.map((one) => Float64Array.from(one));
const [ttft, , queue] = TIME_SPECS;
if (!ttft || !queue) throw new Error('no charts');
const without: Without = {
  ...{ label: 'without Least loaded', fromS: 25, nowUs: 40e6 },
  data: {
    'ttft-over-time': {
      names: ['time_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'],
      columns: columns([10, 20, 30, 40], [1, 1, 1, 1], [2, 2, 2, 2], [3, 4, 5, 7000], [9, 9, 9, 9]),
    },
    'queue-depth': { names: ['time_s', 'r0', 'r1'], columns: columns([10, 20, 30, 40], [0, 0, 0, 0], [0, 1, 8, 9]) },
  },
};
const linesOf = (spec: typeof ttft) => spec.lines(without.data[spec.view] ?? { names: [], columns: [] });

test('the 99th percentile of the other run is drawn from the last value before the edit on, and said', () => {
  const [ghost, ...more] = ghostsOf(ttft, without, linesOf(ttft), undefined);
  expect(more).toEqual([]);
  expect([...(ghost?.times ?? [])]).toEqual([20, 30, 40]);
  expect([...(ghost?.values ?? [])]).toEqual([4, 5, 7000]);
  expect(ghostsSaid(ttft, ghost ? [ghost] : []).replaceAll('\u00a0', ' ')).toBe(
    ' Without Least loaded, at 40 s: p99 7.00 s.',
  );
});

test('of replicas it is the one in focus; without a focus, without the other run or its columns there is none', () => {
  const lines = linesOf(queue);
  expect(ghostsOf(queue, without, lines, 1).map(({ of, values }) => [of, ...values])).toEqual([['r1', 1, 8, 9]]);
  expect(ghostsOf(queue, without, lines, undefined)).toEqual([]);
  expect(ghostsOf(queue, undefined, lines, 1)).toEqual([]);
  expect(ghostsOf(queue, { ...without, data: {} }, lines, 1)).toEqual([]);
});
