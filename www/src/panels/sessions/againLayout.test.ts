import { expect, test } from 'vitest';
import type { KvPolicyRegret } from '../../generated/boundary.ts';
import { PLOT, planAgain } from './againLayout.ts';

const run = (policy: KvPolicyRegret['policy'], name: string, steps: readonly [number, number][]): KvPolicyRegret => ({
  policy,
  name,
  again_tokens: 0,
  again: steps.map(([at_us, tokens]) => ({ at_us, tokens })),
  over_tokens: null,
  share: 0,
  loaded_blocks: 0,
});
const of = {
  from_us: 100,
  to_us: 200,
  again: [
    { at_us: 90, tokens: 50 },
    { at_us: 150, tokens: 100 },
  ],
};

test('lines are stairs within the time shown, on one scale', () => {
  const { lines, ticks } = planAgain(
    of,
    [
      run('ttl', 'TTL 30 s', [
        [120, 200],
        [250, 900],
      ]),
    ],
    'LRU',
    328,
  );
  const [ttl, lru] = lines;
  expect([ttl?.name, ttl?.tokens, lru?.name, lru?.tokens, lru?.isNow]).toEqual(['TTL 30 s', 200, 'LRU', 100, true]);
  expect(ticks.map((tick) => tick.tokens)).toEqual([0, 100, 200]);
  const half = (PLOT.top + PLOT.bottom) / 2;
  expect(ttl?.d).toBe(`M56 ${PLOT.bottom}H96V${PLOT.top}H256`);
  expect(lru?.d).toBe(`M56 ${(half + PLOT.bottom) / 2}H156V${half}H256`);
});

test('the policy in force is drawn once, and names do not lie on each other', () => {
  const all = [run('lru', 'LRU', []), run('hint', 'Hint', []), run('oracle', 'Oracle', []), run('ttl', 'TTL', [])];
  const { lines } = planAgain({ ...of, again: [] }, all, 'LRU', 328);
  expect(lines.map((line) => line.name).toSorted()).toEqual(['Hint', 'LRU', 'Oracle', 'TTL']);
  const places = lines.map((line) => line.labelY);
  expect(places.every((y, i) => i === 0 || y - (places[i - 1] ?? 0) >= 13)).toBe(true);
  expect(Math.max(...places)).toBeLessThanOrEqual(PLOT.bottom + 4);
});
