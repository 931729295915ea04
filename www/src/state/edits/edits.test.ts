import { expect, test } from 'vitest';
import { getAt, type Json, joinPath, parsePath, setAt } from '../../base/json.ts';
import {
  changes,
  editsBetween,
  effective,
  faultSaid,
  freeName,
  furtherEntry,
  inverse,
  listedEdits,
  movedEdit,
  placedEdits,
  revisedEdit,
  routeSaid,
  switchedEdit,
  withEdit,
  withoutEdit,
} from './edits.ts';

const DOC: Json = {
  title: 'four',
  run: { horizon_s: 240 },
  cluster: {
    pools: [{ name: 'main', replicas: 4, gpu: 'H100', kv: { blocks: 'auto', block_tokens: 16 } }],
    routing: {
      weighted: {
        profile: 'custom',
        scorers: [
          { scorer: 'queue-depth', weight: 2 },
          { scorer: 'random', weight: 1 },
        ],
      },
    },
  },
  workload: { clients: [{ name: 'chat', arrivals: { poisson: { rate_per_s: 8 } } }] },
  edits: [
    { at_us: 10_000_000, set: { 'workload.clients[0].arrivals.poisson.rate_per_s': 9 } },
    {
      at_us: 20_000_000,
      after_events: 77,
      set: { 'cluster.pools[0].gpu': 'A100-80' },
      add: { 'cluster.pools': { name: 'burst', replicas: 2 } },
    },
  ],
};
const RATE = 'workload.clients[0].arrivals.poisson.rate_per_s';
const nothing = (): undefined => undefined;

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

test('the document in force has the edits up to the playhead and none after', () => {
  expect(getAt(effective(DOC, 9_999_999), RATE)).toBe(8);
  expect(getAt(effective(DOC, 15_000_000), RATE)).toBe(9);
  expect(getAt(effective(DOC, 15_000_000), 'cluster.pools[1]')).toBeUndefined();
  expect(getAt(effective(DOC, 20_000_000), 'cluster.pools[0].gpu')).toBe('A100-80');
  expect(getAt(effective(DOC, 20_000_000), 'cluster.pools[1].name')).toBe('burst');
});

test('an edit is removed by its position', () => {
  expect(placedEdits(withoutEdit(DOC, 1))).toEqual([{ atUs: 10_000_000, edit: { set: { [RATE]: 9 } }, off: false }]);
});

test('a moved edit takes its place in the order and loses its count of events', () => {
  const counted = setAt(DOC, 'edits[0].after_events', 77);
  const moved = movedEdit(counted, 0, 25_000_000);
  expect(placedEdits(moved).map((e) => e.atUs)).toEqual([20_000_000, 25_000_000]);
  expect(getAt(moved, 'edits[1].after_events')).toBeUndefined();
  expect(getAt(moved, 'edits[1].set')).toEqual({ [RATE]: 9 });
});

test('an edit that is switched off changes nothing until it is switched on again', () => {
  const off = switchedEdit(DOC, 0);
  expect(placedEdits(off)[0]?.off).toBe(true);
  expect(getAt(effective(off, 15_000_000), RATE)).toBe(8);
  expect(switchedEdit(off, 0)).toEqual(DOC);
});

test('a value of an edit is replaced in its place', () => {
  expect(getAt(effective(revisedEdit(DOC, 0, RATE, 12), 15_000_000), RATE)).toBe(12);
});

test('differences are listed field by field, another variant as one, edits not at all', () => {
  const arrivals = 'workload.clients[0].arrivals';
  const next = setAt(setAt(DOC, 'cluster.pools[0].replicas', 5), arrivals, { constant: { rate_per_s: 8 } });
  expect(changes(DOC, next)).toEqual([
    { path: 'cluster.pools[0].replicas', from: 4, to: 5 },
    { path: arrivals, from: { poisson: { rate_per_s: 8 } }, to: { constant: { rate_per_s: 8 } } },
  ]);
  expect(changes(DOC, withoutEdit(DOC, 0))).toEqual([]);
});

test('several fields changed together are one edit, which names each and no more', () => {
  const next = setAt(
    setAt(DOC, 'cluster.routing.weighted.scorers[1].weight', 3),
    'cluster.pools[0].kv.block_tokens',
    32,
  );
  expect(editsBetween(DOC, next)).toEqual([
    { set: { 'cluster.pools[0].kv.block_tokens': 32, 'cluster.routing.weighted.scorers[1].weight': 3 } },
  ]);
  expect(editsBetween(DOC, DOC)).toEqual([]);
});

test('the edit between two documents turns one into the other, for any change', () => {
  const pool = { name: 'burst', replicas: 2 };
  const changed: Json[] = [
    setAt(DOC, 'cluster.pools[1]', pool),
    setAt(setAt(DOC, 'cluster.pools[1]', pool), 'workload.clients[0].name', 'talk'),
    setAt(DOC, 'cluster.pools[0].kv', { blocks: 500 }),
    setAt(DOC, 'cluster.routing', 'random'),
    setAt(DOC, 'cluster.routing.weighted.scorers', [{ scorer: 'random', weight: 1 }]),
  ];
  for (const next of changed) {
    const edits = editsBetween(DOC, next) ?? [];
    expect(edits.length).toBe(1);
    expect(edits.reduce(withEdit, DOC)).toEqual(next);
  }
});

test('a list that grows by two is two edits; one that shrinks cannot be an edit', () => {
  const twice = setAt(setAt(DOC, 'cluster.pools[1]', { name: 'b' }), 'cluster.pools[2]', { name: 'c' });
  expect(editsBetween(DOC, twice)).toEqual([
    { add: { 'cluster.pools': { name: 'b' } } },
    { add: { 'cluster.pools': { name: 'c' } } },
  ]);
  expect(editsBetween(twice, DOC)).toBeUndefined();
});

test('the inverse of an edit sets the old values, no replicas for an added pool, no requests for an added client', () => {
  const edit = { set: { [RATE]: 20, 'cluster.pools[0].tp': 2 }, add: { 'cluster.pools': { name: 'b', replicas: 3 } } };
  const initial = (path: string): Json | undefined => (path === 'cluster.pools[0].tp' ? 1 : undefined);
  expect(inverse(edit, DOC, initial)).toEqual({
    set: { [RATE]: 8, 'cluster.pools[0].tp': 1, 'cluster.pools[1].replicas': 0 },
  });
  const client = { add: { 'workload.clients': { name: 'c', arrivals: { gamma: { rate_per_s: 3, cv: 2 } } } } };
  expect(inverse(client, DOC, nothing)).toEqual({ set: { 'workload.clients[1].arrivals.gamma.rate_per_s': 0 } });
});

test('a further pool or client is the last with something in it, under a free name', () => {
  expect(furtherEntry(DOC, 'cluster.pools')).toEqual({ ...pool0(), name: 'main-2' });
  const emptied = setAt(DOC, 'cluster.pools[1]', { name: 'main-2', replicas: 0 });
  expect(furtherEntry(emptied, 'cluster.pools')).toEqual({ ...pool0(), name: 'main-3' });
  const silent = setAt(DOC, RATE, 0);
  expect(furtherEntry(silent, 'workload.clients')).toEqual({
    name: 'chat-2',
    arrivals: { poisson: { rate_per_s: 1 } },
  });
  expect([freeName(['a', 'a-2', 'a-3'], 'a-2'), freeName([''], '')]).toEqual(['a-4', 'new-2']);
});

function pool0() {
  return { name: 'main', replicas: 4, gpu: 'H100', kv: { blocks: 'auto', block_tokens: 16 } };
}

test('edits apply in the order of their instants, and scheduled ones are distinguished', () => {
  const scheduled = { at_us: 60, set: { seed: 2 } };
  const original: Json = { seed: 1, edits: [scheduled] };
  const document: Json = { seed: 1, edits: [scheduled, { at_us: 48, after_events: 3, set: { seed: 5 } }] };
  expect(effective(document, 60)).toMatchObject({ seed: 2 });
  expect(listedEdits(original, document).map((e) => [e.index, e.scheduled])).toEqual([
    [0, true],
    [1, false],
  ]);
});

test('an edit that sends a request elsewhere keeps its words and its place', () => {
  const route = { request: 17, to: 2 };
  const document: Json = { edits: [{ at_us: 5_000_000, route }] };
  const [placed] = placedEdits(document);
  expect(placed).toEqual({ atUs: 5_000_000, edit: { route }, off: false });
  expect(routeSaid(placed?.edit ?? {})).toEqual(['Request 17 to', 'r2']);
  expect(routeSaid({ set: {} })).toBeUndefined();
  expect(getAt(switchedEdit(document, 0), 'edits[0].route')).toEqual(route);
  expect(effective(document, 6_000_000)).toEqual(document);
  const other: Json = { edits: [{ at_us: 5_000_000, route: { request: 17, to: 3 } }] };
  expect(listedEdits(document, document)[0]?.scheduled).toBe(true);
  expect(listedEdits(other, document)[0]?.scheduled).toBe(false);
});

test('a fault is kept when its edit is moved, switched off and on, and has its words', () => {
  const fault = { crash: { replica: 1, restart_s: 90 } };
  const document: Json = { edits: [{ at_us: 5_000_000, fault }] };
  expect(placedEdits(document)).toEqual([{ atUs: 5_000_000, edit: { fault }, off: false }]);
  expect(placedEdits(movedEdit(document, 0, 7_000_000))[0]).toEqual({ atUs: 7_000_000, edit: { fault }, off: false });
  const off = switchedEdit(document, 0);
  expect(placedEdits(off)[0]).toEqual({ atUs: 5_000_000, edit: { fault }, off: true });
  expect(switchedEdit(off, 0)).toEqual(document);
  expect(faultSaid({ fault })).toEqual(['Crash', 'r1']);
  expect(faultSaid({ fault: { 'new-kind': { pool: 'main' } } })).toEqual(['New kind', 'main']);
  const other: Json = { edits: [{ at_us: 5_000_000, fault: { crash: { replica: 2, restart_s: 90 } } }] };
  expect(listedEdits(document, document)[0]?.scheduled).toBe(true);
  expect(listedEdits(other, document)[0]?.scheduled).toBe(false);
});
