import { expect, test } from 'vitest';
import { setAt } from '../../base/json.ts';
import { trust } from '../../base/trust.ts';
import type { RunRow } from '../../generated/boundary.ts';
import { entrantsFrom, freeName, policyPaths, settingsOf, tagOf } from './entrants.ts';
import type { Raced } from './race.ts';
import { raceFile, raceOfFile, sweepFile, sweepOfFile } from './studyFiles.ts';

const DOCUMENT = {
  seed: 3,
  cluster: { routing: 'random', pools: [{ replicas: 2, engine: { policy: 'fcfs' } }] },
};

test('the settings of an entrant are the policies that differ', () => {
  const weighted = setAt(DOCUMENT, 'cluster.routing', { weighted: { profile: 'llm-d' } });
  const changed = setAt(weighted, 'cluster.pools[0].replicas', 9);
  const set = settingsOf(DOCUMENT, changed);
  expect(set).toEqual({ 'cluster.routing': { weighted: { profile: 'llm-d' } } });
  expect(policyPaths(DOCUMENT)).toContain('cluster.pools[0].engine');
  expect([tagOf('random'), tagOf({ weighted: {} }), tagOf(undefined)]).toEqual(['random', 'weighted', '']);
});

test('names are free, and entrants of another shape are left out', () => {
  expect(freeName('Random', ['Random', 'Random 2'])).toBe('Random 3');
  expect(freeName('  ', [])).toBe('Own');
  expect(entrantsFrom([{ name: 'a', set: {} }, { name: 'a', set: {} }, { name: 4, set: {} }, 'x'], 9)).toEqual([
    { name: 'a', set: {} },
    { name: 'a 2', set: {} },
  ]);
  expect(entrantsFrom({}, 9)).toEqual([]);
});

const row = (seed: number): RunRow => trust({ seed: String(seed), met_share: 0.5 });
const lap = (number: number, name: string, seed: number, bound = false) => ({
  number,
  name,
  bound,
  row: row(seed),
  t: Float64Array.of(0, 1),
  ttft: Float64Array.of(Number.NaN, 12.5),
});

test('a race as a file is the same race when it is read', () => {
  const raced: Raced = {
    document: DOCUMENT,
    entrants: [
      { name: 'a', set: {} },
      { name: 'b', set: { 'cluster.routing': 'least-loaded' } },
    ],
    seeds: 2,
    bounded: true,
  };
  // As runs come in: not in order.
  const laps = [lap(2, 'b', 3), lap(0, 'a', 3), lap(0, 'oracle', 3, true), lap(1, 'a', 4), lap(3, 'b', 4)];
  const file = raceFile(raced, laps, 'ttft-p99');
  expect(file.rows.map(({ name, bound }) => [name, bound === true])).toEqual([
    ['a', false],
    ['a', false],
    ['b', false],
    ['b', false],
    ['oracle', true],
  ]);
  expect(file.rows[0]?.ttft_p99_ms).toEqual([null, 12.5]);
  const read = raceOfFile(trust(JSON.parse(JSON.stringify(file))));
  expect(read?.raced).toEqual(raced);
  expect(read?.laps.map(({ number, name, bound }) => [number, name, bound])).toEqual([
    [0, 'a', false],
    [1, 'a', false],
    [2, 'b', false],
    [3, 'b', false],
    [0, 'oracle', true],
  ]);
  expect(sweepOfFile(file)).toBeUndefined();
});

test('a sweep as a file is the same sweep when it is read', () => {
  const axis = { path: 'traffic', title: 'Traffic', unit: '×', times: 1 };
  const swept = { document: DOCUMENT, axis, varied: ['traffic=1..2/2'], seeds: 1 };
  const rows = [
    { values: ['1'], run: row(3) },
    { values: ['2'], run: row(3) },
  ];
  expect(sweepOfFile(sweepFile(swept, rows))).toEqual({ swept, rows });
  expect(raceOfFile(sweepFile(swept, rows))).toBeUndefined();
});
