import { expect, test } from 'vitest';
import type { ListedEdit } from '../edits/edits.ts';
import { hasOwnEdits, lastEdit } from './lastEdit.ts';

const edit = (index: number, atUs: number, more: Partial<ListedEdit> = {}): ListedEdit => ({
  ...{ index, atUs, edit: {}, off: false, scheduled: false },
  ...more,
});

test('the last edit is the latest of the reader before the instant, with all of its instant', () => {
  const all = [edit(0, 30e6, { scheduled: true }), edit(1, 48e6), edit(2, 48e6), edit(3, 72e6)];
  expect(lastEdit(all, 40e6)).toBeUndefined();
  expect(lastEdit(all, 48e6)).toEqual({ atUs: 48e6, indices: [1, 2] });
  expect(lastEdit(all, 100e6)).toEqual({ atUs: 72e6, indices: [3] });
});

test('edits of the scenario, those that are switched off and those of the start are none', () => {
  const none = [edit(0, 30e6, { scheduled: true }), edit(1, 40e6, { off: true }), edit(2, 0)];
  expect(lastEdit(none, 100e6)).toBeUndefined();
  expect([hasOwnEdits(none), hasOwnEdits([...none, edit(3, 50e6)])]).toEqual([false, true]);
});
