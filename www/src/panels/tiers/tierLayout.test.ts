import { expect, test } from 'vitest';
import type { TierFlow, Tiers } from '../../generated/boundary.ts';
import { planTiers } from './tierLayout.ts';

const port = { gb_per_s: 25, used_gb_per_s: 0, is_hot: false };
const replica = (number: number): Tiers['replicas'][number] => ({
  replica: number,
  in_hand: 2,
  layers: [
    { tier: 'gpu', total: 100, held: 30, kept: 50, chosen: 10 },
    { tier: 'fs', total: null, held: 0, kept: 7, chosen: 0 },
  ],
  ports: [port, port],
});
const flow = (of: Partial<TierFlow>): TierFlow => ({
  kind: 'read',
  replica: 0,
  tier: 'all',
  source: null,
  request: 5,
  blocks: 9,
  gb_per_s: 10,
  ...of,
});
const tiers = (flows: readonly TierFlow[]): Tiers => ({
  now_us: 0,
  replicas: [replica(0), replica(1)],
  more_replicas: 0,
  stores: [{ name: 'all', is_down: false, total: 10, blocks: 5, gb: null, ports: [port, port], chosen: 0 }],
  flows: [...flows],
  more_flows: 0,
  origin: null,
});

test('a layer is as wide as what it holds; one without an end has no width to fill', () => {
  const [gpu, disk] = planTiers(tiers([]), 900, 5).rows[0]?.bars ?? [];
  expect((gpu?.held ?? 0) / (gpu?.w ?? 1)).toBeCloseTo(0.3);
  expect((gpu?.kept ?? 0) / (gpu?.w ?? 1)).toBeCloseTo(0.5);
  expect((gpu?.chosen ?? 0) / (gpu?.w ?? 1)).toBeCloseTo(0.1);
  expect([disk?.kept, disk?.chosen]).toEqual([0, 0]);
});

test('flows between the same ends are one ribbon, a disk has none, and one without a byte yet neither', () => {
  const all = [flow({}), flow({ request: 6 }), flow({ tier: 'fs' }), flow({ replica: 1, gb_per_s: 0 })];
  const { ribbons } = planTiers(tiers(all), 900, 6);
  expect(ribbons.map(({ gbPerS, width, isChosen }) => [gbPerS, width, isChosen])).toEqual([[20, 24, true]]);
});

test('a pull starts at its source, and a write ends at the port for writers', () => {
  const plan = planTiers(
    tiers([flow({ tier: 'p2p', source: 1 }), flow({ kind: 'write', request: null })]),
    900,
    undefined,
  );
  const [pull, write] = plan.ribbons;
  expect([pull?.source, pull?.isWrite]).toEqual([1, false]);
  expect(write?.isWrite).toBe(true);
  expect(write?.path.endsWith(`${plan.stores[0]?.in}`)).toBe(true);
});

test('on a narrow screen nothing is wider than it', () => {
  const plan = planTiers(tiers([]), 340, undefined);
  const box = plan.stores[0];
  expect((box?.x ?? 0) + (box?.w ?? 0)).toBeLessThanOrEqual(340);
});
