import { expect, test } from 'vitest';
import { asNow, searchesOf } from './ratio.ts';

test('all ratios are searched with one seed before the next', () => {
  const order = searchesOf(3, 2).map(({ row, seed }) => `${row}/${seed}`);
  expect(order).toEqual(['0/0', '1/0', '2/0', '0/1', '1/1', '2/1']);
});

test('the search takes the scenario as it is, without edits', () => {
  const document = { cluster: { pools: [] }, edits: [{ at_us: 5, set: {} }] };
  expect(asNow(document)).toEqual({ cluster: { pools: [] }, edits: [] });
});
