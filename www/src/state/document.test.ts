import { describe, expect, test } from 'vitest';
import { getAt, type Json, joinPath, parsePath, setAt } from '../base/json.ts';
import { changes, editFor, editTarget, effective, onTrace, placedEdits, withoutEdit, withValue } from './document.ts';

const DOC: Json = {
  title: 'four',
  run: { horizon_s: 240 },
  cluster: {
    pools: [{ replicas: 4, engine: { max_num_seqs: 256, max_num_batched_tokens: 2048 }, kv: { blocks: 'auto' } }],
    routing: 'least-loaded',
    admission: 'always-admit',
    snapshot_refresh_us: 0,
  },
  workload: { clients: [{ name: 'chat', arrivals: { poisson: { rate_per_s: 8 } } }] },
  edits: [
    { at_us: 10_000_000, change: { 'arrival-rate': { client: 0, rate_per_s: 9 } } },
    { at_us: 20_000_000, change: { routing: 'random' } },
  ],
};

test('a path splits into keys and positions and joins back', () => {
  const path = 'cluster.pools[0].engine.max_num_seqs';
  expect(parsePath(path)).toEqual(['cluster', 'pools', 0, 'engine', 'max_num_seqs']);
  expect(parsePath(path).reduce<string>(joinPath, '')).toBe(path);
});

test('setting a value leaves the original alone and makes what is missing on the way', () => {
  const next = setAt(DOC, 'workload.trace.speed', 2);
  expect(getAt(next, 'workload.trace.speed')).toBe(2);
  expect(getAt(DOC, 'workload.trace')).toBeUndefined();
  expect(getAt(next, 'cluster')).toBe(getAt(DOC, 'cluster'));
});

describe('every field with an edit of its own', () => {
  const cases: [string, Json][] = [
    ['workload.clients[0].arrivals.poisson.rate_per_s', 12],
    ['cluster.routing', 'round-robin'],
    ['cluster.admission', 'always-admit'],
    ['cluster.pools[0].replicas', 6],
    ['cluster.pools[0].engine.max_num_seqs', 32],
    ['cluster.pools[0].engine.max_num_batched_tokens', 512],
    ['cluster.pools[0].kv.blocks', 1000],
    ['cluster.snapshot_refresh_us', 5000],
  ];
  test.each(cases)('%s: the edit acts on the field it was made for', (path, value) => {
    const edit = editFor(path, value);
    expect(edit).toBeDefined();
    expect(editTarget(DOC, edit ?? null)).toEqual({ path, value });
  });
});

test('other fields and values have no edit and restart the run', () => {
  expect(editFor('cluster.pools[0].tp', 2)).toBeUndefined();
  expect(editFor('cluster.pools[0].kv.blocks', 'auto')).toBeUndefined();
  expect(editFor('slo.ttft_ms', 500)).toBeUndefined();
});

test('the document in force has the edits up to the playhead and none after', () => {
  expect(getAt(effective(DOC, 15_000_000), 'workload.clients[0].arrivals.poisson.rate_per_s')).toBe(9);
  expect(getAt(effective(DOC, 15_000_000), 'cluster.routing')).toBe('least-loaded');
  expect(getAt(effective(DOC, 20_000_000), 'cluster.routing')).toBe('random');
});

test('an edit is taken away by its position', () => {
  expect(placedEdits(withoutEdit(DOC, 0))).toEqual([{ atUs: 20_000_000, path: 'cluster.routing', value: 'random' }]);
});

test('differences are told field by field, a changed tag as one', () => {
  const next = setAt(setAt(DOC, 'cluster.pools[0].replicas', 5), 'workload.clients[0].arrivals', {
    constant: { rate_per_s: 8 },
  });
  expect(changes(DOC, next)).toEqual([
    { path: 'cluster.pools[0].replicas', from: 4, to: 5 },
    { path: 'workload.clients[0].arrivals', from: { poisson: { rate_per_s: 8 } }, to: { constant: { rate_per_s: 8 } } },
  ]);
  expect(changes(DOC, withoutEdit(DOC, 0))).toEqual([]);
});

test('taking a change back restores the value or the absence of one', () => {
  const next = setAt(DOC, 'cluster.pools[0].name', 'x');
  const [change] = changes(DOC, next);
  expect(withValue(next, change?.path ?? '', change?.from)).toEqual(DOC);
});

test('a trace replaces the traffic and runs to its end', () => {
  const next = onTrace(DOC, 'azure.csv');
  expect(getAt(next, 'workload.trace.file')).toBe('azure.csv');
  expect(getAt(next, 'run.horizon_s')).toBe(0);
  expect(getAt(next, 'run.warmup_s')).toBe(0);
  expect(placedEdits(next)).toEqual([]);
});

test('a parameter of a policy is set with its whole policy', () => {
  const document = { cluster: { admission: { 'rate-limit': { requests_per_s: 8, burst: 16 } } } };
  expect(editFor('cluster.admission.rate-limit.burst', 4, document)).toEqual({
    admission: { 'rate-limit': { requests_per_s: 8, burst: 4 } },
  });
  expect(editFor('cluster.admission_latency_us', 4, document)).toBeUndefined();
});
