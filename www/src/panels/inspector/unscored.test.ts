import { expect, test } from 'vitest';
import { unscoredAt } from './unscored.ts';

const scenario = {
  cluster: { routing: 'round-robin' },
  edits: [
    { at_us: 48_000_000, set: { 'cluster.routing': 'least-loaded' } },
    { at_us: 60_000_000, off: true, set: { 'cluster.routing': 'random' } },
    { at_us: 72_000_000, set: { 'cluster.routing': { random: {} } } },
  ],
};

test('round robin and random say how they chose, in the time in which they were in force', () => {
  expect(unscoredAt(scenario, 47_999_999)).toMatch(/^Next in turn/);
  expect(unscoredAt(scenario, 48_000_000)).toBeUndefined();
  expect(unscoredAt(scenario, 71_000_000)).toBeUndefined();
  expect(unscoredAt(scenario, 72_000_000)).toMatch(/^Drawn at random/);
  expect(unscoredAt({}, 0)).toBeUndefined();
});
