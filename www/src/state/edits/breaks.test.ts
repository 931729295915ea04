import { expect, test } from 'vitest';
import { breaks } from './breaks.ts';

test('a scenario breaks something by an edit that is a fault, or at random', () => {
  expect(breaks({})).toBe(false);
  expect(breaks({ edits: [{ at_s: 3, set: { 'run.seed': 4 } }], cluster: { faults: { crash_mtbf_s: 0 } } })).toBe(
    false,
  );
  expect(breaks({ edits: [{ at_s: 3, fault: { kind: 'crash', replica: 0 } }] })).toBe(true);
  expect(breaks({ cluster: { faults: { crash_mtbf_s: 100 } } })).toBe(true);
});
