import { expect, test } from 'vitest';
import type { AnomalyKind, AnomalyMark, Frame } from '../generated/boundary.ts';
import { briefly, clusters, known, named, spans } from './anomalies.ts';
import { trust } from './trust.ts';

const mark = (atS: number, endS?: number, kind: AnomalyKind = 'kv-thrashing'): AnomalyMark => ({
  at_us: atS * 1e6,
  kind,
  replica: 0,
  label: `at ${atS}`,
  ...(endS === undefined ? {} : { end_us: endS * 1e6 }),
});
const frame = (anomalies: AnomalyMark[]): Frame => trust<Frame>({ anomalies });

test('marks too close to be distinguished become one, and none is lost', () => {
  const marks = [mark(30), mark(1), mark(2), mark(10)];
  const found = clusters(marks, (t) => t * 10, 28);
  expect(found.map((c) => c.marks.length)).toEqual([2, 1, 1]);
  expect(found.map((c) => c.x)).toEqual([10, 100, 300]);
  for (let i = 1; i < found.length; i++) expect((found[i]?.x ?? 0) - (found[i - 1]?.x ?? 0)).toBeGreaterThanOrEqual(28);
  expect(clusters([], (t) => t, 28)).toEqual([]);
});

test('anomalies ahead stay known when the playhead is moved back, without duplicates', () => {
  const all = known([], frame([mark(1), mark(5)]));
  const back = known(all, frame([mark(1)]));
  expect(back.map((a) => a.at_us)).toEqual([1e6, 5e6]);
  expect(known(back, frame([mark(1), mark(5, 6)])).map((a) => a.end_us)).toEqual([undefined, 6e6]);
});

test('overlapping stretches of anomalies are joined; an ongoing one reaches the playhead', () => {
  expect(spans([mark(4, 6), mark(1, 3), mark(5)], 9e6)).toEqual([
    [1, 3],
    [4, 9],
  ]);
});

test('a cluster is named by its kinds', () => {
  expect(named([mark(1), mark(2), mark(3, 4, 'load-imbalance')])).toBe('2 × KV thrashing, load imbalance');
});

test('a mark for many has their number as a number of anomalies', () => {
  expect(briefly([mark(1), mark(2), mark(3, 4, 'load-imbalance')])).toEqual(['3 anomalies', '×3']);
  expect(briefly([mark(1)])).toEqual([]);
});
