import { expect, test } from 'vitest';
import { readPins, rowOf, withPin } from './moreFigures.ts';

test('a pinned figure takes the last place that has none, and then the last one', () => {
  expect(rowOf([])).toEqual(['ttft-p99', 'ttft-p50', 'within', 'waiting']);
  const one = withPin([], 'goodput');
  expect(rowOf(one)).toEqual(['ttft-p99', 'ttft-p50', 'within', 'goodput']);
  const two = withPin(one, 'cost');
  expect(rowOf(two)).toEqual(['ttft-p99', 'ttft-p50', 'cost', 'goodput']);
  const four = withPin(withPin(two, 'e2e-p99'), 'tpot-p99');
  expect(rowOf(withPin(four, 'preempted'))).toEqual(['tpot-p99', 'e2e-p99', 'cost', 'preempted']);
});

test('stored pins keep their places, and unknown, repeated and own names are left out', () => {
  expect(rowOf(readPins(',,cost,goodput'))).toEqual(['ttft-p99', 'ttft-p50', 'cost', 'goodput']);
  expect(rowOf(readPins('cost,cost,no-such,ttft-p99'))).toEqual(['cost', 'ttft-p50', 'within', 'waiting']);
  expect(rowOf(readPins(undefined))).toEqual(['ttft-p99', 'ttft-p50', 'within', 'waiting']);
});
