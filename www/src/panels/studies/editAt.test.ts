import { expect, test } from 'vitest';
import { getAt } from '../../base/json.ts';
import { withEditAt } from './editAt.ts';

test('a router from the playhead on is an edit among the others in order of time', () => {
  const edit = (at_us: number, value: number) => ({ at_us, set: { 'cluster.snapshot_refresh_us': value } });
  const document = { edits: [edit(10, 1), edit(48, 2), edit(60, 3)] };
  const times = (atUs: number) => {
    const edits = getAt(withEditAt(document, atUs, { 'cluster.routing': 'random' }), 'edits');
    return Array.isArray(edits) ? edits.map((e) => [getAt(e, 'at_us'), getAt(e, 'set.cluster.routing') ?? '']) : [];
  };
  expect(times(48).map(([at]) => at)).toEqual([10, 48, 48, 60]);
  expect(times(5).map(([at]) => at)).toEqual([5, 10, 48, 60]);
  expect(times(99).map(([at]) => at)).toEqual([10, 48, 60, 99]);
  expect(getAt(withEditAt({}, 7, { 'cluster.routing': 'random' }), 'edits')).toHaveLength(1);
});
