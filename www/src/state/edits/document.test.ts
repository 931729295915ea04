import { expect, test } from 'vitest';
import { getAt, type Json, setAt } from '../../base/json.ts';
import { onTrace, withValue } from './document.ts';
import { placedEdits } from './edits.ts';

const DOC: Json = {
  title: 'four',
  run: { horizon_s: 240 },
  cluster: { pools: [{ replicas: 4 }], routing: 'least-loaded' },
  workload: { clients: [{ name: 'chat' }] },
  edits: [{ at_us: 10_000_000, set: { 'cluster.routing': 'random' } }],
};

test('undoing a change restores the value or its absence', () => {
  const [name, replicas] = ['cluster.pools[0].name', 'cluster.pools[0].replicas'];
  expect(withValue(setAt(DOC, name, 'x'), name, undefined)).toEqual(DOC);
  expect(withValue(setAt(DOC, replicas, 9), replicas, 4)).toEqual(DOC);
});

test('a trace replaces the traffic and runs to its end', () => {
  const next = onTrace(DOC, 'azure.csv');
  expect(getAt(next, 'workload.trace.file')).toBe('azure.csv');
  expect(getAt(next, 'run.horizon_s')).toBe(0);
  expect(getAt(next, 'run.warmup_s')).toBe(0);
  expect(getAt(onTrace(setAt(DOC, 'note', 'At 60 s traffic rises'), 'azure.csv'), 'note')).toBe('');
  expect(placedEdits(next)).toEqual([]);
});
