import { expect, test } from 'vitest';
import type { Flag } from '../generated/boundary.ts';
import { gathered } from './flags.ts';

const flag = (label: string, applied = true): Flag => ({ at_us: 0, label, applied });

test('edits of one instant are one pennant that says how many, and none is lost', () => {
  const found = gathered([flag('gpu A100'), flag('tp 2'), flag('weight 3'), flag('rate 9')], [10, 11, 12, 40]);
  expect(found.flags.map((f) => f.label)).toEqual(['gpu A100 and 2 more', 'rate 9']);
  expect(found.places).toEqual([10, 40]);
});

test('what is in force and what lies ahead stay apart', () => {
  expect(gathered([flag('a'), flag('b', false)], [10, 10]).flags.map((f) => f.applied)).toEqual([true, false]);
});
