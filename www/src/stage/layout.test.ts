import { expect, test } from 'vitest';
import { trust } from '../base/trust.ts';
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { dotsAt } from './cardMenu.ts';
import { kvSaid } from './kvHover.ts';
import {
  barPitch,
  cellGrid,
  chipSlots,
  detailFor,
  hitTest,
  marksTop,
  type StageLayout,
  stageLayout,
} from './layout.ts';
import { layoutFor } from './layoutFor.ts';
import { cellsTop, type Rows } from './rowLayout.ts';

const replicas = (n: number) => Array.from({ length: n }, (_, id) => trust<ReplicaFrame>({ id }));
const clients = (names: readonly string[]) =>
  trust<Frame>({ pools: [{ max_num_seqs: 20 }], clients: names.map((name) => ({ name })) });
/** The stage of the whole page with one source. */
const work = (width: number, height: number, n: number, tools = true): StageLayout =>
  layoutFor(width, height, clients(['chat']), replicas(n), { tools });

function rowsOf({ rows }: StageLayout): Rows {
  if (!rows) throw new Error('no rows');
  return rows;
}

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

test('rows of the whole page are 50 px high and 4 apart, with the columns of the design', () => {
  const l = work(846, 276, 4);
  expect(l.boxes.map((b) => [b.x, b.w, b.h])).toEqual(Array(4).fill([246, 584, 50]));
  expect(l.boxes.map((b) => b.y - (l.boxes[0]?.y ?? 0))).toEqual([0, 54, 108, 162]);
  const { batch, door, step, tool, kv } = rowsOf(l);
  expect([door, batch.x, batch.pitch, batch.places, step]).toEqual([418, 438, 13, 20, 754]);
  expect([tool?.high, kv]).toEqual([28, undefined]);
  expect(rowsOf(work(846, 276, 4, false)).tool).toBeUndefined();
});

test('a wide page has the blocks as a further column, between the batch and the step', () => {
  const { batch, kv, step } = rowsOf(work(1087, 276, 4));
  if (!kv || step === undefined) throw new Error('no blocks');
  expect(batch.x + batch.places * batch.pitch).toBeLessThanOrEqual(kv.x);
  expect(kv.x + kv.w).toBeLessThanOrEqual(step - 56);
  expect(kv.w).toBeGreaterThan(100);
});

test('a few rows stand in the middle, with the pipes; alone on the page they are high', () => {
  const [one] = work(846, 276, 1).boxes;
  const middle = (one?.y ?? 0) + (one?.h ?? 0) / 2;
  expect(one?.h).toBe(50);
  expect(work(846, 276, 1).axisY).toBe(middle);
  expect(Math.abs(middle - (36 + 220 / 2))).toBeLessThan(2);
  expect(work(1440, 800, 4).boxes[0]?.h).toBe(108);
});

test('eight rows are lower, and without room for them there are cards', () => {
  expect(work(846, 352, 8).boxes[0]?.h).toBe(33);
  expect(work(846, 200, 8).detail).toBe('cards');
  expect(work(846, 352, 9).detail).toBe('cards');
});

test('what a burst adds comes from the one source; several clients have pipes of their own', () => {
  const of = (names: string[]) => layoutFor(846, 276, clients(names), replicas(4)).calm !== undefined;
  expect(of(['chat'])).toBe(true);
  expect(of(['chat', 'burst', 'burst-2'])).toBe(true);
  expect(of(['chat', 'batch'])).toBe(false);
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
  const l = work(1087, 276, 4);
  const box = l.boxes[1];
  const { kv, batch } = rowsOf(l);
  if (!box || !kv) throw new Error('no second row with blocks');
  const all = [0, 1, 2, 3].map((id) => trust<ReplicaFrame>({ id, kv: { total: 1200, cells: '.'.repeat(168) } }));
  const [x, y] = [kv.x + 10, cellsTop(box, kv) + 10];
  expect(kvSaid(l, all, x, y)).toBe('r1: 1,200 KV blocks in 168 cells, 7.1 blocks a cell');
  expect(kvSaid(l, all, batch.x + 4, y)).toBe('');
  const few = [trust<ReplicaFrame>({ id: 0, kv: { total: 100, cells: '.'.repeat(100) } })];
  expect(kvSaid(l, few, x, cellsTop(l.boxes[0] ?? box, kv) + 10)).toBe('r0: 100 KV blocks, a cell each');
  expect(kvSaid(l, few, x, y)).toBe('');
  expect(kvSaid(work(846, 276, 4), all, x, y)).toBe('');
  const phone = stageLayout(374, 600, 4);
  const card = phone.boxes[1] ?? box;
  expect(kvSaid(phone, all, phone.columns.kv.x + 4, marksTop(card) + 4)).toContain('r1: 1,200 KV blocks');
});

test('the menu of a card on a phone lies in its lower corner; rows have a tool at their end instead', () => {
  const phone = stageLayout(374, 600, 4);
  const [box] = phone.boxes;
  const one = [trust<ReplicaFrame>({ id: 0 })];
  expect(dotsAt(phone, one, 0, 350, (box?.y ?? 0) + (box?.h ?? 0) - 10)).toBe(0);
  const rows = work(846, 276, 4);
  const reached = Array.from({ length: 846 }, (_, x) => dotsAt(rows, one, 0, x, (rows.boxes[0]?.y ?? 0) + 10));
  expect(reached.every((found) => found === undefined)).toBe(true);
});

test('without replicas the router is where it is with one', () => {
  for (const of of [stageLayout, work]) {
    expect(of(820, 395, 0).axisY).toBe(of(820, 395, 1).axisY);
    expect(of(820, 395, 0).boxes).toEqual([]);
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
  const bars = (): number => 40;
  for (const l of [work(846, 276, 4), stageLayout(846, 276, 4)]) {
    const box = l.boxes[2];
    if (!box) throw new Error('no third row');
    const { door, chip, batch } = rowsOf(l);
    const middle = box.y + box.h / 2;
    // The third oldest: in the second column from the door, above.
    expect(hitTest(l, door - chip.pitch - 4, middle - 4, bars)).toEqual({ replica: 2, chip: 2, bar: -1 });
    expect(hitTest(l, door - 4, middle + 4, bars)).toEqual({ replica: 2, chip: 1, bar: -1 });
    expect(hitTest(l, batch.x + batch.pitch * 13.2, middle, bars)).toEqual({ replica: 2, chip: -1, bar: 13 });
    expect(hitTest(l, box.x + 4, box.y + 4, bars)).toEqual({ replica: 2, chip: -1, bar: -1 });
    expect(hitTest(l, 20, 20, bars)).toBeUndefined();
  }
  const phone = stageLayout(374, 600, 4);
  const card = phone.boxes[1];
  if (!card) throw new Error('no second card');
  const { wait, batch } = phone.columns;
  const top = marksTop(card);
  expect(hitTest(phone, wait.x + 14.2 + 5, top + 5, bars)).toEqual({ replica: 1, chip: 1, bar: -1 });
  const { pitch } = barPitch(batch, 40);
  expect(hitTest(phone, batch.x + pitch * 3.5, top + 20, bars)).toEqual({ replica: 1, chip: -1, bar: 3 });
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
