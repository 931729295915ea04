import { expect, test } from 'vitest';
import { heatShare } from './drawFleet.ts';

test('a colour of the fleet map is one load for the whole run, whatever other replicas hold', () => {
  const pools = [{ max_num_seqs: 256 }, { max_num_seqs: 64 }];
  const shares = [0, 1, 2, 16, 256, 1000].map((n) => heatShare(n, pools));
  expect(shares[0]).toBe(0);
  expect(shares[1]).toBeGreaterThan(0.05);
  expect(shares.slice(0, 5)).toEqual(shares.slice(0, 5).toSorted((a, b) => a - b));
  expect([shares[4], shares[5]]).toEqual([1, 1]);
  // Usual loads have colours that differ, not all near the lowest.
  expect((shares[3] ?? 0) - (shares[1] ?? 0)).toBeGreaterThan(0.3);
});
