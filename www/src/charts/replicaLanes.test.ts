import { expect, test } from 'vitest';
import { trust } from '../base/trust.ts';
import type { ViewColumns } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import { drawReplicaLanes, laneAt } from './drawReplicaLanes.ts';
import { lanesOf, statesAt } from './replicaLanes.ts';

const NAMES = ['from_s', 'to_s', 'lane', 'replica', 'serving', 'transfer-link', 'down'];
/** Two replicas: one is down from 70 s to 90 s, the other has a thin link from 60 s on. */
const ROWS = [
  [0, 70, 0, 0, 1, 0, 0],
  [70, 90, 0, 0, 0, 0, 1],
  [0, 60, 1, 1, 1, 0, 0],
  [60, 120, 1, 1, 0, 1, 0],
];
const columnsOf = (rows: readonly (readonly number[])[]): ViewColumns => ({
  names: NAMES,
  columns: NAMES.map((_, i) => Float64Array.from(rows, (row) => row[i] ?? 0)),
});

test('rows become spans of lanes; without rows there are none', () => {
  const lanes = lanesOf(columnsOf(ROWS), false, 1);
  expect(lanes?.count).toBe(2);
  expect(lanes?.spans.map(({ state }) => state)).toEqual(['serving', 'down', 'serving', 'transfer-link']);
  expect(lanes?.spans[1]).toEqual({ fromS: 70, toS: 90, lane: 0, replica: 0, state: 'down' });
  expect(lanesOf(columnsOf([]), false, undefined)).toBeUndefined();
  expect(lanesOf(undefined, false, undefined)).toBeUndefined();
});

test('what does not simply serve under the cursor is said in words', () => {
  const lanes = lanesOf(columnsOf(ROWS), false, undefined);
  expect(statesAt(lanes, 30)).toEqual([]);
  expect(statesAt(lanes, 75)).toEqual([
    ['r0', 'down'],
    ['r1', 'transfer link'],
  ]);
  expect(statesAt(lanes, 90)).toEqual([['r1', 'transfer link']]);
  expect(statesAt(undefined, 30)).toEqual([]);
});

const BOX = { x: 40, y: 5, w: 240, h: 65 };
const AXIS = { box: BOX, y: (value: number): number => BOX.y + BOX.h * (1 - value / 4) };

test('lanes are in the order of the cards from the top, or are counted from the bottom where a pool scales', () => {
  const [named, stacked] = [false, true].map((is) => lanesOf(columnsOf(ROWS), is, undefined));
  if (!named || !stacked) throw new Error('there are rows');
  const low = { ...AXIS, box: { ...BOX, h: 26 }, lanes: named };
  expect(laneAt(low, 0)).toEqual({ y: 5, h: 10 });
  expect(laneAt(low, 1)).toEqual({ y: 18, h: 10 });
  // In a high plot they do not become blocks.
  expect(laneAt({ ...low, box: { ...BOX, h: 400 } }, 1)).toEqual({ y: 29, h: 21 });
  const [lowest, next] = [0, 1].map((lane) => laneAt({ ...AXIS, lanes: stacked }, lane));
  expect((lowest?.y ?? 0) + (lowest?.h ?? 0)).toBeLessThan(BOX.y + BOX.h);
  expect((next?.y ?? 0) + (next?.h ?? 0)).toBeLessThan(lowest?.y ?? 0);
  // Sixteen lanes in a low plot keep apart and within it.
  const many = { ...named, count: 16 };
  const last = laneAt({ ...AXIS, box: { ...BOX, h: 32 }, lanes: many }, 15);
  expect(last.y + last.h).toBeLessThanOrEqual(BOX.y + 32);
});

test('a fault that goes on beyond what is computed is fainter there, and has its edge', () => {
  const lanes = lanesOf(columnsOf(ROWS.slice(0, 2)), false, undefined);
  if (!lanes) throw new Error('there are rows');
  const bars: { readonly alpha: unknown; readonly from: number; readonly w: number; readonly ink: unknown }[] = [];
  const state: Record<string, unknown> = {};
  const bar =
    (ink: string) =>
    (from: number, _y: number, w: number): void => {
      bars.push({ alpha: state.globalAlpha, from: Math.round(from), w: Math.round(w), ink: state[ink] });
    };
  const calls: Record<string, unknown> = { fillRect: bar('fillStyle'), strokeRect: bar('strokeStyle') };
  const pen = trust<Pen>(
    new Proxy(state, { get: (_, name) => calls[String(name)] ?? state[String(name)] ?? ((): void => undefined) }),
  );
  const p = trust<Palette>(new Proxy({}, { get: (_, name) => String(name) }));
  drawReplicaLanes({ ...AXIS, pen, p, lanes, doneS: 80, x: (timeS) => timeS });
  expect(bars).toEqual([
    { alpha: 0.8, from: 0, w: 70, ink: 'kvUsed' },
    { alpha: 1, from: 71, w: 9, ink: 'miss' },
    { alpha: 0.45, from: 81, w: 9, ink: 'miss' },
  ]);
});
