import { expect, test } from 'vitest';
import { passedEdits } from './passedEdits.ts';

const flag = (s: number, label: string, more = {}) => ({ at_us: s * 1e6, label, applied: true, off: false, ...more });

test('edits ahead and switched off are left out, and those of one instant are one', () => {
  const flags = [
    flag(40, 'Random'),
    flag(96, 'a'),
    flag(96, 'b'),
    flag(100, 'off', { off: true }),
    flag(168, 'later', { applied: false }),
  ];
  expect(passedEdits(flags)).toEqual([
    { us: 40e6, label: 'Random' },
    { us: 96e6, label: '2 edits' },
  ]);
});
