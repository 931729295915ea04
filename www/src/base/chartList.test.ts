import { expect, test } from 'vitest';
import { CHART_NAMES, chartsShown, hasChart, heightsOf, isBeside, viewsOf } from './chartList.ts';

const PLAIN = { scales: false, gateway: false, split: false } as const;

test('a run has four charts, and those of what it has of its own stand in place of others', () => {
  const usual = ['ttft-over-time', 'queue-depth', 'running', 'throughput'];
  expect(chartsShown(undefined, PLAIN)).toEqual(usual);
  const scaled = ['replicas', 'ttft-over-time', 'queue-depth', 'throughput'];
  expect(chartsShown(undefined, { ...PLAIN, scales: true })).toEqual(scaled);
  const both = ['ttft-over-time', 'gateway-bands', 'ports-out', 'queue-depth'];
  expect(chartsShown(undefined, { ...PLAIN, gateway: true, split: true })).toEqual(both);
  const all = { ...PLAIN, scales: true, gateway: true, split: true };
  expect(chartsShown(undefined, all)).toEqual(['replicas', 'ttft-over-time', 'gateway-bands', 'ports-out']);
});

test('a list chooses charts and their order; unknown and repeated names and charts without data are left out', () => {
  const list = ['kv-use', 'no-such', 'kv-use', 'gateway-bands', 'throughput', 'health'];
  expect(chartsShown(list, PLAIN)).toEqual(['kv-use', 'throughput']);
  expect(chartsShown(list, { ...PLAIN, gateway: true })).toEqual(['kv-use', 'gateway-bands', 'throughput']);
  expect(chartsShown([], PLAIN)).toEqual([]);
  expect(hasChart('stages', PLAIN)).toBe(false);
});

test('charts beside the clock are distributions and steps; waits have their percentiles from the chart over time', () => {
  expect(CHART_NAMES.filter(isBeside)).toEqual(['ttft-ecdf', 'e2e-ecdf', 'itl-ecdf', 'wait-ecdf', 'step-time']);
  expect(viewsOf(['kv-use', 'ttft-density', 'step-time', 'itl-ecdf'])).toEqual(['kv-use', 'itl-ecdf']);
  expect(viewsOf(['wait-ecdf', 'wait-over-time'])).toEqual(['wait-ecdf', 'wait-over-time']);
});

test('charts share the height by their shares, and none is lower than the least', () => {
  const least = [60, 60, 60, 60];
  expect(heightsOf([2, 1, 1], 400, least)).toEqual([200, 100, 100]);
  // 20 % of 200 would be 40: it gets 60, and the others share 140.
  expect(heightsOf([2, 2, 1], 200, least)).toEqual([70, 70, 60]);
  expect(heightsOf([3, 1, 1, 1], 200, [73, 60, 60, 60])).toEqual([73, 60, 60, 60]);
  expect(heightsOf([], 200, [])).toEqual([]);
});
