import { expect, test } from 'vitest';
import { CHART_NAMES, chartsShown, hasChart, heightsOf, isBeside, isLate, viewsOf } from './chartList.ts';

const PLAIN = { scales: false, gateway: false, split: false, breaks: false } as const;

test('a run has four charts over time and two distributions, and first its replicas where something scales', () => {
  const four = ['ttft-over-time', 'ttft-density', 'kv-use', 'queue-depth'];
  expect(chartsShown(undefined, PLAIN)).toEqual([...four, 'ttft-ecdf', 'e2e-ecdf']);
  expect(chartsShown(undefined, { ...PLAIN, scales: true }).slice(0, 5)).toEqual(['replicas', ...four]);
  expect(chartsShown(undefined, { ...PLAIN, gateway: true })).toContain('gateway-bands');
  expect(chartsShown(undefined, { ...PLAIN, split: true })).toContain('ports-out');
  const broken = ['replicas', 'ttft-over-time', 'goodput-over-time', 'attempts-over-time'];
  expect(chartsShown(undefined, { ...PLAIN, breaks: true })).toEqual([...broken, 'ttft-ecdf', 'e2e-ecdf']);
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
  expect(viewsOf(CHART_NAMES).filter(isLate)).toEqual([
    'replica-lanes',
    'itl-over-time',
    'wait-over-time',
    'goodput-over-time',
    'attempts-over-time',
    'itl-ecdf',
    'wait-ecdf',
  ]);
});

test('charts share the height by their shares, and none is lower than the least', () => {
  const least = [60, 60, 60, 60];
  expect(heightsOf([2, 1, 1], 400, least)).toEqual([200, 100, 100]);
  // 20 % of 200 would be 40: it gets 60, and the others share 140.
  expect(heightsOf([2, 2, 1], 200, least)).toEqual([70, 70, 60]);
  expect(heightsOf([3, 1, 1, 1], 200, [73, 60, 60, 60])).toEqual([73, 60, 60, 60]);
  expect(heightsOf([], 200, [])).toEqual([]);
});
