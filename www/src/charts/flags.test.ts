import { expect, test } from 'vitest';
import type { Flag } from '../generated/boundary.ts';
import { gathered, type Pennant, placePennants, withoutBeginning } from './flags.ts';

const flag = (label: string, applied = true): Flag => ({ at_us: 0, label, applied, off: false });
const edges = { left: 0, right: 1000, playhead: -100, knob: 6 };
const six = (text: string): number => text.length * 6;
const place = (labels: readonly string[], places: readonly number[], more: Partial<typeof edges> = {}) =>
  placePennants(
    labels.map((l) => flag(l)),
    places,
    { ...edges, ...more },
    six,
  );
const reach = (p: Pennant): readonly [number, number] =>
  p.side === 'right' ? [p.x, p.x + p.width] : [p.x - p.width, p.x];

test('edits of one instant are one pennant with their number, and none is lost', () => {
  const found = gathered([flag('gpu A100'), flag('tp 2'), flag('weight 3'), flag('rate 9')], [10, 11, 12, 40]);
  expect(found.map((g) => g.flags.length)).toEqual([3, 1]);
  expect(place(['gpu A100', 'tp 2', 'weight 3', 'rate 9'], [10, 11, 12, 300]).map((p) => p.text)).toEqual([
    '3 edits',
    'rate 9',
  ]);
});

test('edits in force and edits ahead stay apart', () => {
  expect(gathered([flag('a'), flag('b', false)], [10, 10]).map((g) => g.flags[0]?.applied)).toEqual([true, false]);
});

test('a label is at the right, at the left if the right has no room, and is shortened before it is dropped', () => {
  expect(place(['rate 9'], [50])).toMatchObject([{ side: 'right', text: 'rate 9' }]);
  expect(place(['rate 9'], [980])).toMatchObject([{ side: 'left', text: 'rate 9' }]);
  expect(place(['a long label of an edit', 'rate 9'], [0, 80])[0]).toMatchObject({ side: 'right', text: 'of an edit' });
});

test('a label does not cross the playhead if its other side is free', () => {
  expect(place(['rate 9'], [100], { playhead: 120 })).toMatchObject([{ side: 'left' }]);
  expect(place(['rate 9'], [10], { playhead: 30 })).toMatchObject([{ side: 'right', text: 'rate 9' }]);
});

test('a label is shortened beside the playhead if neither side has room for all of it', () => {
  expect(place(['arrivals 27.0/s'], [100], { playhead: 130 })).toMatchObject([{ side: 'left', text: '27.0/s' }]);
  const odd = (text: string): number => text.length * 5.2;
  expect(placePennants([flag('arrivals 27.0/s')], [102.5], { ...edges, left: 10, playhead: 131 }, odd)).toMatchObject([
    { side: 'left', text: '27.0/s' },
  ]);
  expect(place(['arrivals 27.0/s'], [30], { playhead: 110 })).toMatchObject([{ side: 'right', text: '27.0/s' }]);
});

test('close edits are all part of a pennant with a label, and no two pennants touch', () => {
  for (const gap of [1, 4, 9, 17, 30, 55, 80]) {
    for (const start of [0, 13, 600, 940]) {
      for (const playhead of [-100, start + 20, 500]) {
        const places = Array.from({ length: 12 }, (_, i) => Math.min(999, start + i * gap));
        const found = place(
          places.map((_, i) => `prefix ${i} → ${i + 1}`),
          places,
          { playhead },
        );
        const where = `gap ${gap} from ${start}, playhead ${playhead}`;
        expect(found.flatMap((p) => p.flags).length, where).toBe(12);
        for (const p of found) expect(p.text.length, where).toBeGreaterThan(0);
        found.slice(1).forEach((p, i) => {
          const before = found[i];
          if (before) expect(reach(p)[0], where).toBeGreaterThanOrEqual(reach(before)[1]);
        });
      }
    }
  }
});

test('any edits on any axis get their pennants', () => {
  let state = 7;
  const next = (n: number): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state % n;
  };
  for (let run = 0; run < 400; run++) {
    const right = 60 + next(600);
    const places = Array.from({ length: 1 + next(20) }, () => next(right)).sort((a, b) => a - b);
    const labels = places.map((_, i) => 'weight of the prefix'.slice(0, 1 + ((i * 7 + run) % 20)));
    const found = place(labels, places, { right, playhead: next(right) });
    expect(found.flatMap((p) => p.flags).length).toBe(places.length);
  }
});

test('a label that is too long keeps the new value, not the name of the field', () => {
  expect(withoutBeginning('Routing policy Random', 200, six)).toBe('Routing policy Random');
  expect(withoutBeginning('Routing policy Random', 90, six)).toBe('policy Random');
  expect(withoutBeginning('Routing policy Random', 40, six)).toBe('Random');
  expect(withoutBeginning('Rate 27 +2', 36, six)).toBe('27 +2');
  expect(withoutBeginning('Unbelievable', 36, six)).toBe('Unbel…');
});
