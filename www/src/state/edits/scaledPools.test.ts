import { expect, test } from 'vitest';
import { isScaled, scaledPools } from './scaledPools.ts';

const policy = { hpa: { metric: 'requests', target: 20 } };

test('only pools with a policy have an autoscaler, and keep their number', () => {
  const pools = [
    { name: 'a' },
    { name: 'b', scaling: { policy, tick_s: 15 } },
    { name: 'c', scaling: { policy: 'none' } },
  ];
  expect(scaledPools({ cluster: { pools } })).toEqual([{ index: 1, name: 'b', scaling: { policy, tick_s: 15 } }]);
  expect(isScaled({ cluster: { pools: pools.slice(2) } })).toBe(false);
  expect(isScaled({})).toBe(false);
});
