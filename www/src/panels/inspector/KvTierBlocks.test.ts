import { expect, test } from 'vitest';
import { DASH } from '../../base/units.ts';
import type { KvTierPart, PausesPart } from '../../generated/boundary.ts';
import { pauseRows, tierRows } from './KvTierBlocks.tsx';

const TIER: KvTierPart = {
  pool: 'a',
  tier: 'shared',
  read_blocks: 1200,
  read_gb: 2.4,
  written_blocks: 10,
  written_gb: 0.02,
  failed_flows: 0,
  waiting_blocks: 3,
};

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
