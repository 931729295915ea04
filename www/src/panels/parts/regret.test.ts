import { expect, test } from 'vitest';
import type { Candidate } from '../../generated/boundary.ts';
import { headsOf, regretOf, shownOf } from './regret.ts';

function candidate(replica: number, score: number, chosen: boolean): Candidate {
  const seen = { waiting: 0, running: 0, in_flight: 0, kv_used: 0, load: 0, true_load: 0 };
  return { replica, ...seen, score, chosen, parts: [] };
}

test('the regret is the distance to the best score', () => {
  expect(regretOf([candidate(2, 0.75, false), candidate(0, 0.5, true)])).toEqual({ amount: 0.25, best: 2 });
  expect(regretOf([candidate(2, 0.75, true), candidate(0, 0.75, false)])).toBeUndefined();
  expect(regretOf([])).toBeUndefined();
});

test('a replica that could not be chosen is not a better choice', () => {
  const full = { ...candidate(2, 0.75, false), excluded: 'wait queue full' };
  expect(regretOf([candidate(0, 0.5, true), full])).toBeUndefined();
});

test('columns have distinct heads', () => {
  expect(headsOf(['prefix-affinity', 'queue-depth'])).toEqual(['prefix', 'queue']);
  expect(headsOf(['recent-ttft', 'recent-tpot', 'kv-utilization'])).toEqual(['ttft', 'tpot', 'kv']);
});

test('the chosen replica is always among the rows', () => {
  const list = Array.from({ length: 40 }, (_, i) => candidate(i, -i, i === 30));
  const rows = shownOf(list);
  expect(rows.length).toBe(16);
  expect(rows.at(-1)?.replica).toBe(30);
  expect(shownOf(list.slice(0, 3)).length).toBe(3);
});
