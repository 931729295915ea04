import { expect, test } from 'vitest';
import { getAt, type Json, joinPath, parsePath, setAt } from '../../base/json.ts';
import {
  faultSaid,
  inForceAt,
  listedEdits,
  placedEdits,
  routeSaid,
  withoutEdit,
  withoutWritten,
  writtenEdit,
} from './edits.ts';

const RATE = 'workload.clients[0].rate_per_s';
const DOC: Json = {
  cluster: { pools: [{ name: 'main', replicas: 4, gpu: 'H100' }] },
  workload: { clients: [{ name: 'chat', rate_per_s: 8 }] },
  edits: [
    { at_us: 10_000_000, set: { [RATE]: 9 } },
    { at_us: 20_000_000, after_events: 77, set: { 'cluster.pools[0].gpu': 'A100-80' }, off: true },
  ],
};

test('a path splits into keys and positions and joins back', () => {
  const path = 'cluster.pools[0].engine.max_num_seqs';
  expect(parsePath(path)).toEqual(['cluster', 'pools', 0, 'engine', 'max_num_seqs']);
  expect(parsePath(path).reduce<string>(joinPath, '')).toBe(path);
});

test('setting a value leaves the original alone and creates missing parents', () => {
  const next = setAt(DOC, 'workload.trace.speed', 2);
  expect(getAt(next, 'workload.trace.speed')).toBe(2);
  expect(getAt(DOC, 'workload.trace')).toBeUndefined();
  expect(getAt(next, 'cluster')).toBe(getAt(DOC, 'cluster'));
});

test('the document in force has the changes of the run up to an instant and none after', () => {
  const pools = [{ name: 'main', replicas: 4 }, { name: 'burst' }];
  const changes = [
    { from_us: 10, set: { [RATE]: 9 } },
    { from_us: 20, set: { [RATE]: 7, 'cluster.pools': pools } },
  ];
  expect(inForceAt(DOC, changes, 9)).toEqual(DOC);
  expect(getAt(inForceAt(DOC, changes, 10), RATE)).toBe(9);
  expect(getAt(inForceAt(DOC, changes, 30), RATE)).toBe(7);
  expect(getAt(inForceAt(DOC, changes, 30), 'cluster.pools')).toEqual(pools);
});

test('an edit is removed by its position, or the latest that is written like it', () => {
  const kept = { atUs: 10_000_000, edit: { set: { [RATE]: 9 } }, off: false };
  expect(placedEdits(withoutEdit(DOC, 1))).toEqual([kept]);
  expect(withoutWritten(DOC, writtenEdit(DOC, 1))).toEqual(withoutEdit(DOC, 1));
  expect(withoutWritten(DOC, { at_us: 3 })).toBeUndefined();
});

test('edits that came with the scenario are distinguished, each counted once', () => {
  const scheduled = { at_us: 60, set: { seed: 2 } };
  const document: Json = { edits: [scheduled, { at_us: 48, after_events: 3, set: { seed: 5 } }, scheduled] };
  expect(listedEdits({ edits: [scheduled] }, document).map((e) => [e.index, e.scheduled])).toEqual([
    [0, true],
    [1, false],
    [2, false],
  ]);
});

test.each([
  ['route', { request: 17, to: 2 }, { request: 17, to: 3 }],
  ['fault', { crash: { replica: 1, restart_s: 90 } }, { crash: { replica: 2, restart_s: 90 } }],
])('an edit with a %s is scheduled if the scenario has the same one', (key, one, other) => {
  const [original, changed]: [Json, Json] = [
    { edits: [{ at_us: 5, [key]: one }] },
    { edits: [{ at_us: 5, [key]: other }] },
  ];
  expect(placedEdits(original)).toEqual([{ atUs: 5, edit: { [key]: one }, off: false }]);
  expect(listedEdits(original, original)[0]?.scheduled).toBe(true);
  expect(listedEdits(original, changed)[0]?.scheduled).toBe(false);
});

test('a fault and a rerouted request have their words', () => {
  expect(routeSaid({ route: { request: 17, to: 2 } })).toEqual(['Request 17 to', 'r2']);
  expect(routeSaid({ set: {} })).toBeUndefined();
  expect(faultSaid({ fault: { crash: { replica: 1, restart_s: 90 } } })).toEqual(['Crash', 'r1']);
  expect(faultSaid({ fault: { 'new-kind': { pool: 'main' } } })).toEqual(['New kind', 'main']);
});
