import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import { durationMs, NBSP, percent, usd } from '../../base/units.ts';
import type { PairedPart, RaceRanking, RunComparison } from '../../generated/boundary.ts';
import type { Raced } from '../../state/studies/race.ts';
import { slices, valueAt } from './CompareEcdf.tsx';
import { changeText, intervalText } from './CompareFigures.tsx';
import { bands } from './CompareTime.tsx';
import { doubtsOf, furtherNotices } from './compareDoubts.ts';
import { editsOf, sceneOf } from './compareScene.ts';
import { rangeText } from './metricText.ts';
import { nearest, pairedWords, symmetric } from './pairedDifference.ts';
import { differenceScale, differenceX } from './RaceInterval.tsx';
import { lapPaths, lapScale, lapY } from './RaceLaps.tsx';
import { rowsOf } from './raceRows.ts';
import { logRange } from './StudyFigure.tsx';
import { foundFields, TRAFFIC } from './sweepFields.ts';

const series = (t: readonly number[], v: readonly number[]) => ({ t: Float64Array.from(t), v: Float64Array.from(v) });

test('edits of both runs are one list, each with the runs that have it', () => {
  const both = { at_us: 40e6, label: 'Random' };
  expect(editsOf([both, { at_us: 60e6, label: 'A only' }], [{ at_us: 10e6, label: 'B only' }, both])).toEqual([
    { atS: 10, of: 'B', says: 'B only' },
    { atS: 40, of: 'A and B', says: 'Random' },
    { atS: 60, of: 'A', says: 'A only' },
  ]);
});

test('the axis of a comparison is that of the timeline, with the objectives of the document', () => {
  const frame = { axis_end_us: 240e6, now_us: 48e6, flags: [] };
  const scene = sceneOf(frame, [], { slo: { ttft_ms: 500 } }, 10);
  expect(scene).toEqual({ endS: 240, nowS: 48, warmUpS: 10, edits: [], ttftMs: 500, e2eMs: 0 });
});

test('the area between two lines has no part across a gap', () => {
  const a = series([0, 1, 2, 3, 4], [5, 5, Number.NaN, 5, 5]);
  const b = series([0, 1, 2, 3, 4], [4, 4, 4, 4, 6]);
  const found = bands(a, b);
  expect(found.map(({ worse, points }) => [worse, points.map(([t]) => t)])).toEqual([
    [false, [0, 1]],
    [false, [3, 4]],
    [true, [4]],
  ]);
});

test('a distribution is read between its points, and its slices say which run is better', () => {
  const a: [number, number][] = [
    [10, 50],
    [20, 100],
  ];
  const b: [number, number][] = [
    [5, 50],
    [30, 100],
  ];
  expect(valueAt(a, 75)).toBe(15);
  expect(valueAt(a, 10)).toBe(10);
  expect(valueAt([], 10)).toBeUndefined();
  const found = slices(a, b);
  expect(found.map(({ worse }) => worse)).toEqual([false, true]);
  // 10 + d/5 = 5 + d/2 at two thirds of the way from 50 to 100.
  expect(found[1]?.points[0]?.[0]).toBe(67);
});

const PAIRED = trust<PairedPart>({
  p50_ms: -920,
  p50_lo_ms: -1160,
  p50_hi_ms: -684,
  p50_verdict: 'better',
  blocks: 32,
  blocks_gained: 31,
  blocks_lost: 1,
});

test('the test of each request says its interval, its verdict and the blocks', () => {
  const said = pairedWords(PAIRED).replaceAll(NBSP, ' ');
  expect(said).toBe('median −920 ms (−1.16 s to −684 ms): B is better; gains in 31 of 32 blocks of time');
  const same = pairedWords({ ...PAIRED, p50_ms: 0, p50_lo_ms: 0, p50_hi_ms: 0, p50_verdict: 'none-shown', blocks: 1 });
  expect(same.replaceAll(NBSP, ' ')).toBe('median 0 ms: no difference can be shown');
});

test('a mean whose order is not certain is a band with its sentence, which stands once', () => {
  const without = { mean: { a: 100, b: 90 } };
  const doubt = {
    text: 'which has the lower mean TPOT is not certain: they are 2 % apart',
    a: [10.9, 13.3],
    b: [11.5, 13.1],
  };
  const comparison = trust<RunComparison>({
    metrics: { ttft_ms: without, e2e_ms: without, tpot_ms: { mean: { a: 12.1, b: 12.3 }, doubt } },
    notices: [doubt.text, 'two requests are unfinished'],
  });
  const [row, ...others] = doubtsOf(comparison);
  expect(others).toEqual([]);
  expect([row?.a, row?.b].map((band) => band?.join(' ').replaceAll(NBSP, ' '))).toEqual([
    '12.1 ms (10.9 to 13.3 ms)',
    '12.3 ms (11.5 to 13.1 ms)',
  ]);
  expect(row?.name).toBe('TPOT mean');
  expect(row?.text).toBe(doubt.text);
  expect(furtherNotices(comparison)).toEqual(['two requests are unfinished']);
  expect(doubtsOf(trust<RunComparison>({ metrics: { ttft_ms: without, e2e_ms: without, tpot_ms: without } }))).toEqual(
    [],
  );
});

test('a click finds the nearest mark, and none that is far', () => {
  const cloud = { t_s: [1, 2, 3], diff_ms: [0, 5, -5] };
  const [x, y] = [(t: number) => t * 100, (ms: number) => 50 - ms];
  expect(nearest(cloud, 203, 46, x, y)).toBe(1);
  expect(nearest(cloud, 250, 50, x, y)).toBeUndefined();
  expect([symmetric(-999), symmetric(0), symmetric(9)]).toEqual([-3, 0, 1]);
});

test('no difference is printed as zero unless it is', () => {
  const money = (v: number) => ({ value: `${v < 0 ? '-' : ''}${usd(Math.abs(v))}`, unit: '' });
  const said = (v: number, say: (v: number) => { value: string; unit: string }) =>
    changeText(v, say).replaceAll(NBSP, ' ');
  expect(said(0, durationMs)).toBe('0 ms');
  expect(said(0.0042, durationMs)).toBe('+0.0042 ms');
  expect(said(-0.0042, durationMs)).toBe('−0.0042 ms');
  expect(said(-0.00031, (v) => ({ value: percent(v, 1).value, unit: 'points' }))).toBe('−0.031 points');
  expect(said(0.0021, money)).toBe('+0.0021');
  expect(said(-1.5, money)).toBe('−$1.50');
  const points = (v: number) => ({ value: percent(v, 1).value, unit: 'points' });
  expect(intervalText(-0.006, 0.0003, points)).toBe(`−0.6 to 0.0${NBSP}points`);
  expect(intervalText(-0.0002, 0.0003, points)).toBe(`−0.02 to +0.03${NBSP}points`);
  expect(rangeText(`−5${NBSP}ms`, `+2${NBSP}ms`)).toBe(`−5 to +2${NBSP}ms`);
  expect(rangeText(`−5${NBSP}s`, `+2${NBSP}ms`)).toBe(`−5${NBSP}s to +2${NBSP}ms`);
});

test('a log axis has room around a single value', () => {
  const [low, high] = logRange([500]);
  expect(low < 500 && high > 500).toBe(true);
  expect(logRange([0, Number.NaN])).toEqual([1, 1000]);
});

test('pictures of a race share a scale, and a stretch without values is a gap', () => {
  const lap = { t: Float64Array.of(0, 1, 2, 3), ttft: Float64Array.of(10, Number.NaN, 100, 1000) };
  const scale = lapScale([trust({ ...lap })], 100, 44);
  expect([scale.low, scale.high]).toEqual([10, 1000]);
  expect([lapY(10, scale), lapY(100, scale), lapY(1000, scale)]).toEqual([42, 22, 2]);
  const { line, area } = lapPaths(lap, scale);
  expect(line).toBe('M0.0 42.0M66.7 22.0L100.0 2.0');
  expect(area.match(/Z/g)?.length).toBe(2);
});

test('all differences to the first share an axis that holds zero', () => {
  const of = trust<never>({ diff: -20, lo: -22, hi: -18 });
  const scale = differenceScale([{ of, bySeed: [-25, -19] }], 108);
  expect([scale.from, scale.to]).toEqual([-25, 0]);
  expect([differenceX(-25, scale), differenceX(0, scale)]).toEqual([4, 104]);
  expect(differenceScale([], 100).to).toBe(1);
});

test('a race lists places, then entrants without one, then those that wait', () => {
  const place = { place: 1, name: 'a', mean: 1, to_first: null, by_seed: [0], regret: null };
  const unranked = { name: 'b', why: '1 of 3 seeds in', mean: 0.5, to_first: null, by_seed: [] };
  const ranking = trust<RaceRanking>({ places: [place], unranked: [unranked] });
  const entrants = ['a', 'b', 'c'].map((name) => ({ name, set: {} }));
  const raced: Raced = { document: {}, entrants, seeds: 3, bounded: false };
  const rows = rowsOf({ ranking: () => ranking, raced: () => raced });
  expect(rows.map(({ name, place, why }) => [name, place, why])).toEqual([
    ['a', 1, ''],
    ['b', undefined, '1 of 3 seeds in'],
    ['c', undefined, 'waits'],
  ]);
});

test('a place says why its order against the first is not certain', () => {
  const place = { name: 'b', mean: 2, to_first: null, by_seed: [1], regret: null };
  const text = 'whether it is behind the first is not certain';
  const places = [
    { ...place, place: 2, doubt: text },
    { ...place, place: 3 },
  ];
  const ranking = trust<RaceRanking>({ places, unranked: [] });
  expect(rowsOf({ ranking: () => ranking, raced: () => undefined }).map(({ doubt }) => doubt)).toEqual([text, '']);
});

test('fields are found by words of their name and path', () => {
  const field = { ...TRAFFIC, path: 'cluster.pools[0].kv.block_tokens', title: 'KV cache, Block size' };
  expect(foundFields([TRAFFIC, field], 'kv size')).toEqual([field]);
  expect(foundFields([TRAFFIC, field], ' ')).toEqual([TRAFFIC, field]);
  expect(foundFields([TRAFFIC, field], 'nothing')).toEqual([]);
});
