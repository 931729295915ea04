import { expect, test, vi } from 'vitest';
import { pulledTo, ratioAfter, stepped } from '../base/pulls.ts';
import { trust } from '../base/trust.ts';
import type { Amount } from '../base/view.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { calmLayout } from './calmLayout.ts';
import { type EdgeGrip, edgeAt, edgesOf, requestGripAt, targetAt } from './grips.ts';
import { type Drag, ghostOf, type HandActs, heldValue, letGo, saidOf } from './handDrag.ts';
import { type StageLayout, stageLayout } from './layout.ts';
import { markSaid } from './markHover.ts';
import { splitLayout } from './splitLayout.ts';
import { dotAt } from './trail.ts';

const replica = (id: number, queue: number[] = [], batch: number[] = [], more: object = {}): ReplicaFrame =>
  trust<ReplicaFrame>({
    id,
    serving: true,
    waiting: queue.length,
    running: batch.length,
    queue: queue.map((request) => ({ request })),
    batch: { requests: batch, contexts: [], prefill: [], decoding: batch.length },
    ...more,
  });
const calm = (width: number, height: number, n: number): StageLayout => ({
  ...calmLayout({ width, height }, n, 20),
  flow: 0,
  queue: undefined,
});
const four = [replica(0), replica(1, [7, 8], [4, 5, 6]), replica(2), replica(3)];
const kinds = (edges: readonly EdgeGrip[]): string[] => edges.map((e) => e.on);
const AMOUNT: Amount = { name: 'KV cache', unit: 'blocks each', now: 28_269, least: 1, most: 4_194_304, whole: true };

test('each row has the edge of its blocks, and the arrivals theirs, in the first view and in the whole page', () => {
  for (const layout of [calm(1290, 380, 4), calm(390, 320, 4), stageLayout(822, 326, 4), stageLayout(390, 420, 4)])
    expect(kinds(edgesOf(layout, four, 1))).toEqual(['kv', 'kv', 'kv', 'kv', 'rate']);
});

test('several clients have an edge each, and one for all; a run without clients has none', () => {
  const of = (clients: number) => edgesOf(stageLayout(822, 326, 4), four, clients).filter((e) => e.on === 'rate');
  expect(of(0)).toEqual([]);
  expect(of(3).map((e) => e.on === 'rate' && e.client)).toEqual([undefined, 0, 1, 2]);
});

test('prefill and decode apart have a boundary, and others none', () => {
  const split = splitLayout(822, 420, ['prefill', 'decode', 'decode']);
  if (!split) throw new Error('no layout');
  expect(kinds(edgesOf(split, four.slice(0, 3), 1))).toEqual(['kv', 'kv', 'kv', 'rate', 'ratio']);
  const phone = splitLayout(390, 420, ['prefill', 'decode', 'decode']);
  if (!phone) throw new Error('no layout');
  expect(edgesOf(phone, four.slice(0, 3), 1).at(-1)).toMatchObject({ on: 'ratio', axis: 'y' });
});

test('cells of a heat map and the aggregate have no edge that a hand could hit', () => {
  for (const n of [100, 1000]) {
    const all = Array.from({ length: n }, (_, i) => replica(i));
    expect(kinds(edgesOf(stageLayout(822, 326, n), all, 1))).not.toContain('kv');
  }
});

test('a replica that is down or starts has no edge', () => {
  const down = [replica(0, [], [], { life: { phase: 'down' } }), ...four.slice(1)];
  expect(kinds(edgesOf(calm(1290, 380, 4), down, 1)).filter((on) => on === 'kv').length).toBe(3);
});

test('a pointer takes an edge from 5 px away, a finger from 21 px, and each the nearest', () => {
  const edges = edgesOf(stageLayout(822, 326, 4), four, 1);
  const { x, y, w, h } = edges[1]?.box ?? { x: 0, y: 0, w: 0, h: 0 };
  const mid = y + h / 2;
  expect(edgeAt(edges, x + w + 5, mid, 'pointer')).toBe(edges[1]);
  expect(edgeAt(edges, x + w + 7, mid, 'pointer')).toBeUndefined();
  expect(edgeAt(edges, x + w + 20, mid, 'finger')).toBe(edges[1]);
  expect(edgeAt(edges, x - 24, mid, 'finger')).toBeUndefined();
  const below = edges[2]?.box.y ?? 0;
  expect(edgeAt(edges, x, below + 2, 'finger')).toBe(edges[2]);
});

test('a chip and a bar are taken as their requests, and a row takes what is carried to it', () => {
  const layout = calm(1290, 380, 4);
  const [, row] = layout.boxes;
  const { rows } = layout;
  if (!row || !rows) throw new Error('no row');
  const y = row.y + row.h / 2;
  expect(requestGripAt(layout, four, rows.batch.x + rows.batch.pitch + 1, y)).toMatchObject({ request: 5, replica: 1 });
  expect(requestGripAt(layout, four, rows.door - 4, row.y + row.h / 2 - 6)).toMatchObject({ request: 7, replica: 1 });
  expect(requestGripAt(layout, four, row.x + 4, y)).toBeUndefined();
  expect(targetAt(layout, four, row.x + 4, y)?.replica).toBe(1);
  expect(targetAt(layout, four, 4, y)).toBeUndefined();
  const prefills = [replica(0), replica(1, [], [], { split: { role: 'prefill' } })];
  expect(targetAt(layout, prefills, row.x + 4, y)).toBeUndefined();
});

test('a mark says what it stands for under the pointer, and a row its load', () => {
  const layout = calm(1290, 380, 4);
  const [, row] = layout.boxes;
  const { rows } = layout;
  if (!row || !rows) throw new Error('no row');
  const busy = replica(1, [7, 8], [4, 5, 6], { pool: 'main', kv: { total: 10, used: 5 } });
  const all = [replica(0), { ...busy, batch: { ...busy.batch, contexts: [10, 20, 30], prefill: [70], decoding: 2 } }];
  const y = row.y + row.h / 2;
  const at = (bar: number) => markSaid(layout, all, rows.batch.x + bar * rows.batch.pitch + 1, y);
  expect(at(1)).toBe('#5: decoding on r1, 20 tokens');
  expect(at(2)).toBe('#6: in prefill on r1, 30 of 100 tokens');
  expect(markSaid(layout, all, rows.door - 4, y - 6)).toBe('#7: waiting at r1, 1 of 2 in line');
  expect(markSaid(layout, all, row.x + 4, y)).toBe(
    'Replica r1 of main: 2 waiting, 3 running, 50\u00a0% of the KV cache in use',
  );
  expect(markSaid(layout, all, 4, y)).toBe('');
});

test('a request on its way is found where it is drawn, and nowhere else', () => {
  const layout = calm(1290, 380, 4);
  const move = { at_us: 1000, kind: 'arrive', request: 42, client: 0 } as const;
  const note = { nowUs: 1000, offeredPerS: 1, ttftUs: [], followed: { moves: [move], speed: 1 } };
  const drawn = { layout, frame: { clients: [] }, replicas: four };
  const passed = [{ note, wallMs: 1000 }];
  const half = { x: 0, y: layout.axisY, wallMs: 1032 + 210 };
  const calmRows = layout.calm;
  if (!calmRows) throw new Error('no rows');
  const x = (calmRows.source + calmRows.router.x - calmRows.router.radius) / 2;
  expect(dotAt(passed, drawn, { ...half, x })).toBe(42);
  expect(dotAt(passed, drawn, { ...half, x: x + 40 })).toBeUndefined();
  expect(dotAt(passed, drawn, { ...half, x, wallMs: 9000 })).toBeUndefined();
});

test('an amount doubles with every 120 px, in two digits, and stays within its limits', () => {
  expect(pulledTo(AMOUNT, 0)).toBe(28_269);
  expect(pulledTo(AMOUNT, 3)).toBe(28_269);
  expect(pulledTo(AMOUNT, 120)).toBe(57_000);
  expect(pulledTo(AMOUNT, -120)).toBe(14_000);
  expect(pulledTo(AMOUNT, 5000)).toBe(AMOUNT.most);
  expect(pulledTo(AMOUNT, -5000)).toBe(1);
  expect(pulledTo({ ...AMOUNT, whole: false, now: 0, least: 0 }, 120)).toBe(0.2);
});

test('a step of the keyboard always changes the amount, until its limit', () => {
  expect(stepped(AMOUNT, 28_269, 1)).toBe(31_000);
  expect(stepped(AMOUNT, 28_269, -1)).toBe(26_000);
  expect(stepped(AMOUNT, 3, 1)).toBe(4);
  expect(stepped(AMOUNT, 1, -1)).toBe(1);
  expect(stepped({ ...AMOUNT, whole: false, least: 0 }, 0, 1)).toBe(0.1);
});

test('the boundary moves a replica every 36 px and leaves one on each side', () => {
  expect(ratioAfter(2, 8, 40)).toBe(3);
  expect(ratioAfter(2, 8, 10)).toBe(2);
  expect(ratioAfter(2, 8, -900)).toBe(1);
  expect(ratioAfter(2, 8, 900)).toBe(7);
});

const box = { x: 100, y: 10, w: 2, h: 40 };
const drag = (grip: Drag['grip'], to: { x: number; y: number }, over?: Drag['over']): Drag => ({
  grip,
  amount: grip.on === 'request' ? undefined : AMOUNT,
  from: { x: 100, y: 20 },
  at: to,
  over,
});

test('a drag is one act when it ends, and none if nothing changed', () => {
  const acts: HandActs = { amountOf: () => AMOUNT, set: vi.fn(), send: vi.fn() };
  const kv: Drag['grip'] = { on: 'kv', replica: 0, axis: 'x', box };
  letGo(drag(kv, { x: 101, y: 20 }), acts);
  letGo(drag({ on: 'request', request: 9, replica: 0 }, { x: 300, y: 20 }), acts);
  expect(acts.set).not.toHaveBeenCalled();
  expect(acts.send).not.toHaveBeenCalled();
  letGo(drag(kv, { x: 220, y: 20 }), acts);
  expect(acts.set).toHaveBeenCalledExactlyOnceWith(kv, 57_000);
  letGo(drag({ on: 'request', request: 9, replica: 0 }, { x: 300, y: 20 }, { replica: 3, box }), acts);
  expect(acts.send).toHaveBeenCalledExactlyOnceWith(9, 3);
});

test('more is up for a ribbon and to the right for an edge', () => {
  expect(heldValue(drag({ on: 'rate', client: 0, axis: 'y', box }, { x: 100, y: -100 }))).toBe(57_000);
  expect(heldValue(drag({ on: 'kv', replica: 0, axis: 'x', box }, { x: 220, y: 20 }))).toBe(57_000);
});

test('the label says the old and the new; over an edge the present', () => {
  const acts: HandActs = { amountOf: () => AMOUNT, set: () => {}, send: () => {} };
  const kv: EdgeGrip = { on: 'kv', replica: 0, axis: 'x', box };
  expect(saidOf(drag(kv, { x: 220, y: 20 }), undefined, acts)).toMatchObject({
    before: 'KV cache 28,269',
    after: '57,000',
    unit: 'blocks each',
  });
  expect(saidOf(undefined, kv, acts)).toMatchObject({ before: 'KV cache 28,269', after: '' });
  expect(saidOf(undefined, { on: 'request', request: 1, replica: 0 }, acts)).toBeUndefined();
});

test('the ribbon is drawn as thick as its traffic would be', () => {
  const pipe = { x: 10, y: 100, w: 200, h: 10 };
  expect(ghostOf(drag({ on: 'rate', client: 0, axis: 'y', box: pipe }, { x: 100, y: -100 })).h).toBeCloseTo(20.2, 1);
});
