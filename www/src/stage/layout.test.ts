import { expect, test } from 'vitest';
import { trust } from '../base/trust.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { dotsAt } from './cardMenu.ts';
import { kvSaid } from './kvHover.ts';
import { type Box, barPitch, cellGrid, chipSlots, detailFor, hitTest, marksTop, stageLayout } from './layout.ts';

const inside = (width: number, height: number, n: number): boolean => {
  const l = stageLayout(width, height, n);
  return l.boxes.every(
    (b) => b.x >= 0 && b.x + b.w <= width && b.y >= 0 && b.y + b.h <= l.height && b.w > 0 && b.h > 0,
  );
};

test('the size of the fleet decides the detail of each replica', () => {
  expect([1, 8, 9, 64, 65, 256, 257, 1024].map(detailFor)).toEqual([
    'rows',
    'rows',
    'cards',
    'cards',
    'heat',
    'heat',
    'aggregate',
    'aggregate',
  ]);
});

test('four rows at the designed width are 66 px high and 6 apart, with the columns of the design', () => {
  const l = stageLayout(822, 326, 4);
  expect(l.boxes.map((b) => [b.y, b.h])).toEqual([
    [30, 66],
    [102, 66],
    [174, 66],
    [246, 66],
  ]);
  expect([l.columns.id.w, l.columns.wait.w, l.columns.batch.w, l.columns.kv.w, l.columns.now.w]).toEqual([
    44, 84, 156, 129, 67,
  ]);
  expect(l.marks).toBe(36);
});

test('one replica does not fill the height: its row has a limit and stands in the middle, with the pipes', () => {
  const [one] = stageLayout(822, 326, 1).boxes;
  expect(one?.h).toBeLessThanOrEqual(150);
  const middle = (one?.y ?? 0) + (one?.h ?? 0) / 2;
  expect(stageLayout(822, 326, 1).axisY).toBe(middle);
  expect(Math.abs(middle - (30 + 288 / 2))).toBeLessThan(5);
  expect(stageLayout(822, 326, 2).boxes.every((b) => b.h <= 150)).toBe(true);
});

test('few cards of a phone share the height of the stage, many keep the least height and the page scrolls', () => {
  const two = stageLayout(390, 420, 2);
  expect(two.boxes.map((b) => b.h)).toEqual([157, 157]);
  expect(two.marks).toBe(36 + 157 - 93);
  expect(two.height).toBe(420);
  const eight = stageLayout(390, 420, 8);
  expect(eight.boxes.every((b) => b.h === 93)).toBe(true);
  expect(eight.height).toBe(62 + 8 * 100 + 30);
});

test('a place on the blocks of a row says what a cell stands for', () => {
  const l = stageLayout(822, 326, 4);
  const box = l.boxes[1];
  if (!box) throw new Error('no second row');
  const replicas = [0, 1, 2, 3].map((id) => trust<ReplicaFrame>({ id, kv: { total: 1200, cells: '.'.repeat(168) } }));
  const [x, y] = [l.columns.kv.x + 10, marksTop(box, l) + 10];
  expect(kvSaid(l, replicas, x, y)).toBe('r1: 1,200 KV blocks in 168 cells, 7.1 blocks a cell');
  expect(kvSaid(l, replicas, l.columns.batch.x + 4, y)).toBe('');
  const few = [trust<ReplicaFrame>({ id: 0, kv: { total: 100, cells: '.'.repeat(100) } })];
  expect(kvSaid(l, few, x, marksTop(l.boxes[0] ?? box, l) + 10)).toBe('r0: 100 KV blocks, a cell each');
  expect(kvSaid(l, few, x, y)).toBe('');
});

test('the menu of a card lies in its left cell or, on a phone, in its lower corner, and off every number', () => {
  for (const [width, height, n] of [
    [822, 326, 4],
    [822, 326, 8],
    [1302, 506, 1],
  ] as const) {
    const l = stageLayout(width, height, n);
    const replicas = Array.from({ length: n }, (_, id) => trust<ReplicaFrame>({ id }));
    const { id, wait } = l.columns;
    const box = l.boxes[0] ?? trust<Box>(undefined);
    const at = (x: number): boolean =>
      Array.from({ length: box.h }, (_, y) => dotsAt(l, replicas, 0, x, box.y + y)).some((found) => found === 0);
    const reached = Array.from({ length: width }, (_, x) => x).filter(at);
    expect(reached.length).toBeGreaterThan(20);
    expect(Math.min(...reached)).toBeGreaterThanOrEqual(id.x - 6);
    expect(Math.max(...reached)).toBeLessThan(wait.x + 6);
  }
  const phone = stageLayout(374, 600, 4);
  const [box] = phone.boxes;
  expect(dotsAt(phone, [trust<ReplicaFrame>({ id: 0 })], 0, 350, (box?.y ?? 0) + (box?.h ?? 0) - 10)).toBe(0);
});

test('without replicas the router is where it is with one', () => {
  expect(stageLayout(820, 395, 0).axisY).toBe(stageLayout(820, 395, 1).axisY);
  expect(stageLayout(820, 395, 0).boxes).toEqual([]);
});

test('several pools take the room for their names from the batch, and every column keeps some', () => {
  const l = stageLayout(822, 326, 4, 2);
  expect([l.columns.id.w, l.columns.wait.w, l.columns.kv.w]).toEqual([96, 84, 129]);
  for (const width of [822, 730]) {
    const { columns, boxes } = stageLayout(width, 326, 4, 2);
    const end = (boxes[0]?.x ?? 0) + (boxes[0]?.w ?? 0);
    expect(columns.now.x + columns.now.w).toBeLessThanOrEqual(end);
    expect(Math.min(columns.batch.w, columns.kv.w)).toBeGreaterThan(50);
  }
});

test('every replica has a box inside the stage at every size', () => {
  for (const n of [1, 2, 5, 8, 9, 33, 64, 65, 100, 256, 257, 1024]) {
    for (const [w, h] of [
      [822, 326],
      [1302, 506],
      [730, 326],
      [390, 600],
      [320, 400],
    ] as const) {
      expect(inside(w, h, n), `${n} replicas in ${w} × ${h}`).toBe(true);
      expect(stageLayout(w, h, n).boxes.length).toBe(n > 256 ? 1 : n);
    }
  }
});

test('up to 256 replicas fit the designed stage without scrolling', () => {
  for (const n of [1, 4, 8, 16, 64, 100, 256]) expect(stageLayout(822, 326, n).height).toBe(326);
});

test('boxes never overlap', () => {
  for (const n of [8, 16, 64, 256]) {
    const { boxes } = stageLayout(822, 326, n);
    boxes.forEach((a, i) => {
      for (const b of boxes.slice(i + 1)) {
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
        expect(apart, `${n} replicas`).toBe(true);
      }
    });
  }
});

test('a click finds the replica, the chip and the bar drawn there', () => {
  const l = stageLayout(822, 326, 4);
  const box = l.boxes[2];
  if (!box) throw new Error('no third row');
  const top = marksTop(box, l);
  const bars = (): number => 40;
  expect(hitTest(l, l.columns.wait.x + 14.2 * 1 + 5, top + 14.2 + 5, bars)).toEqual({ replica: 2, chip: 7, bar: -1 });
  const { pitch } = barPitch(l.columns.batch, 40);
  expect(hitTest(l, l.columns.batch.x + pitch * 23.5, top + 20, bars)).toEqual({ replica: 2, chip: -1, bar: 23 });
  expect(hitTest(l, box.x + 4, box.y + 4, bars)).toEqual({ replica: 2, chip: -1, bar: -1 });
  expect(hitTest(l, 20, 20, bars)).toBeUndefined();
});

test('marks fit their columns', () => {
  expect(chipSlots({ x: 0, w: 84 }, 36)).toEqual({ columns: 6, rows: 2 });
  expect(barPitch({ x: 0, w: 160 }, 10).pitch).toBeCloseTo(160 / 48);
  const many = barPitch({ x: 0, w: 160 }, 300);
  expect(many.shown * many.pitch).toBeLessThanOrEqual(161);
  expect(cellGrid({ x: 0, w: 129 }, 36, 168)).toEqual({ pitch: 5, columns: 26, shown: 168 });
  expect(cellGrid({ x: 0, w: 104 }, 36, 168)).toEqual({ pitch: 4, columns: 26, shown: 168 });
  expect(cellGrid({ x: 0, w: 129 }, 16, 168).shown).toBeLessThan(168);
});
