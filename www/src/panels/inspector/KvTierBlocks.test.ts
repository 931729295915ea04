import { expect, test } from 'vitest';
import { DASH } from '../../base/units.ts';
import type { KvTierPart, PausesPart, TierServedPart } from '../../generated/boundary.ts';
import { loadRows, pauseRows, servedRows, tierRows } from './KvTierBlocks.tsx';

const SERVED: TierServedPart = {
  blocks: 99,
  share: 0.495,
  busy_s: 0.009552,
  wait_ms: { count: 1, mean: 4.952, p50: 4.952, p99: 4.952 },
  age_at_hit_s: { count: 99, mean: 3, p50: 3, p99: 12 },
  age_at_eviction_s: { count: 0 },
};

const TIER: KvTierPart = {
  pool: 'a',
  tier: 'shared',
  read_blocks: 1200,
  read_gb: 2.4,
  written_blocks: 10,
  written_gb: 0.02,
  failed_flows: 0,
  waiting_blocks: 3,
  served: SERVED,
};

test('a tier shows what it gave to prompts, and a dash where nothing was measured', () => {
  const rows = servedRows(SERVED);
  expect(rows).toContainEqual(['Blocks of prompts from it', '99, 49.5\u00a0%']);
  expect(rows).toContainEqual(['Age of blocks that are hit', '3.00 s, 12.0 s at p99']);
  expect(rows).toContainEqual(['Age of blocks evicted', DASH]);
  expect(servedRows({ ...SERVED, wait_ms: { count: 0 } })).toContainEqual(['Requests wait for it', DASH]);
  expect(tierRows(TIER)).toEqual(expect.arrayContaining([...rows]));
});

test('loads show what they spared and what they held', () => {
  const rows = loadRows({
    gpu_share: 0.25,
    loaded_blocks: 120,
    useful_blocks: 100,
    wasted_blocks: 20,
    mean_held_blocks: 12.5,
    refused_tokens: 1584,
    cut_tokens: 0,
    failed_tokens: 16,
    computed_though_stored_share: 0.1,
  });
  expect(rows).toContainEqual(['Blocks that spared computing', '100']);
  expect(rows).toContainEqual(['Blocks held by loads, mean', '12.5']);
});

test('a tier shows what moved; one that has a place, what was found there', () => {
  expect(tierRows(TIER).map(([name]) => name)).not.toContain('Of these found');
  const place = { blocks: 5, lookups: 8, found: 2, refused: 0, evicted: 1, expired: 0 };
  expect(tierRows({ ...TIER, place })).toContainEqual(['Of these found', '25.0\u00a0%']);
  expect(tierRows({ ...TIER, place: { ...place, lookups: 0, found: 0 } })).toContainEqual(['Of these found', DASH]);
});

test('prefetches that brought nothing are counted by why', () => {
  const none: PausesPart = {
    protected_blocks: 0,
    hinted_tokens: 0,
    prefetches: 9,
    landed: 4,
    late: 2,
    refused: 3,
    stopped: 0,
    nothing: 0,
    failed: 0,
    blocks: 40,
    useful_blocks: 30,
    wasted_blocks: 1,
  };
  expect(pauseRows(none)).toContainEqual(['The others', '2 late, 3 refused']);
  expect(pauseRows({ ...none, late: 0, refused: 0 })).toContainEqual(['The others', DASH]);
});
