import { expect, test } from 'vitest';
import page from '../../../../docs/data/validation-page.json';
import { getAt, type Json } from '../../base/json.ts';
import { trust } from '../../base/trust.ts';
import type { Evidence } from '../../generated/boundary.ts';
import { figureBasis } from '../parts/evidenceWords.ts';
import {
  counts,
  type Distance,
  distanceAt,
  distanceHeadline,
  distinct,
  errorText,
  figureName,
  groupsOf,
  headline,
  listedError,
  type MeasuredPage,
  measuredPoints,
  REGIMES,
  rankedBy,
  rankingHeadline,
  regimesOf,
  SHOWN,
  scenarioOf,
  shownOf,
  stageOf,
} from './measuredData.ts';

const DATA = trust<MeasuredPage>(page);

test.each([
  [0.042, '+4.2 %'],
  [-0.061, '−6.1 %'],
  [0.00001, '0 %'],
  [12.34, '+1234 %'],
  [null, '–'],
  [undefined, '–'],
])('an error of %s reads %s', (error, words) => {
  expect(errorText(error)).toBe(words);
});

test.each([
  ['ttft_ms p99', 'TTFT p99'],
  ['e2e_ms mean', 'E2E mean'],
  ['req_per_s value', 'Requests/s'],
  ['kv_blocks value', 'KV blocks'],
])('%s is called %s', (figure, name) => {
  expect(figureName(figure)).toBe(name);
});

test('every recorded error is that of its measured and simulated figure', () => {
  expect(DATA.experiments.length).toBeGreaterThan(80);
  for (const e of DATA.experiments)
    for (const stage of e.stages)
      for (const [figure, [measured, simulated, error]] of Object.entries(stage.figures))
        if (error !== null && measured > 0)
          expect(Math.abs(error - (simulated / measured - 1)), `${e.id} ${figure}`).toBeLessThan(
            2e-3 * (1 + Math.abs(error)),
          );
});

test('the download of the page has no rows of requests', () => {
  const longest = (value: Json): number =>
    Array.isArray(value)
      ? Math.max(value.length, ...value.map(longest), 0)
      : typeof value === 'object' && value !== null
        ? Math.max(0, ...Object.values(value).map(longest))
        : 0;
  const lists = DATA.experiments.flatMap((e) => e.stages.map((s) => longest(s.client ?? null)));
  expect(Math.max(...lists)).toBeLessThanOrEqual(24);
  for (const e of DATA.experiments.filter((e) => ['A', 'B'].includes(e.group)))
    for (const s of e.stages) expect(longest(s.client ?? null), e.id).toBeLessThanOrEqual(1);
});

test('an experiment becomes a scenario with its cluster, its traffic and its source', () => {
  const e = DATA.experiments.find((found) => found.id.startsWith('e-r3'));
  const stage = e?.stages.find((s) => s.stage === 'rate4');
  if (!e || !stage) throw new Error('the sweep is recorded');
  const scenario = scenarioOf(e, stage);
  expect(getAt(scenario, 'cluster.pools[0].gpu')).toBe('A100-40');
  expect(getAt(scenario, 'workload.clients[0].arrivals.poisson.rate_per_s')).toBe(4);
  expect(String(getAt(scenario, 'note'))).toContain(e.source);
  expect(measuredPoints(stage, 'ttft_ms').map(([percent]) => percent)).toEqual([50, 90, 99]);
});

test('groups are in order and each experiment has a stage that represents it', () => {
  const groups = groupsOf(DATA);
  expect(groups.map((g) => g.name)).toEqual(groups.map((g) => g.name).toSorted());
  for (const e of DATA.experiments) if (e.stages.length > 0) expect(stageOf(e), e.id).toBeDefined();
});

test('each level gives its error, and rankings the number of sets that reach the target', () => {
  for (const level of DATA.levels)
    expect(headline(level, 'below'), level.level).toMatch(
      /^E2E mean of \d+ experiments below the knee, (nothing fitted|not fitted to|not seen): [\d.]+ % off in the median, [\d.]+ % at worst$/,
    );
  const others = ['distance', 'ranking', 'published'];
  const levels = SHOWN.map(([name]) => name).filter((name) => !others.includes(name));
  expect(DATA.levels.map((l) => l.level)).toEqual(levels);
  expect(rankingHeadline(DATA.rankings)).toMatch(/^τ-b of 0.8 or more in \d+ of \d+ sets, [\d.]+ in the median$/);
  expect(DATA.rankings.sets.every((s) => rankedBy(s.metric) !== '')).toBe(true);
});

test.each(REGIMES)('the list %s has the experiments of the calibrated headline, with the worst', (regime) => {
  const level = DATA.levels.find((l) => l.level === 'calibrated');
  const all = level?.groups.find((g) => g.group === 'all' && g.regime === regime && g.figure === 'e2e_ms mean');
  const listed = DATA.experiments.filter((e) => counts(e, regime));
  expect(listed.length).toBe(all?.experiments);
  expect(headline(level, regime)).toContain(` of ${listed.length} experiments `);
  expect(listed.map((e) => e.id)).toContain(all?.worst_id);
});

test('an experiment of several stages is listed with its least and its greatest error', () => {
  const stage = (error: number) => ({
    stage: 'x',
    regime: 'below',
    figures: { 'e2e_ms mean': [1, 1, error] as const },
  });
  const e = { id: 'e', group: 'E', model: '', gpu: '', tp: 1, engine: '', source: '', stages: [] };
  expect(listedError(e, [stage(0.1)])).toBe('+10.0 %');
  expect(listedError(e, [stage(0.1), stage(-0.042)])).toBe('−4.2 to +10.0 %');
});

test('the weakest evidence of all pools counts for a figure', () => {
  const part = (pool: number, basis: 'measured' | 'calibrated' | 'modelled') => ({
    pool,
    what: 'steps' as const,
    basis,
    says: `pool ${pool}`,
  });
  const evidence: Evidence = {
    parts: [part(0, 'calibrated'), part(1, 'modelled')],
    outside: ['x'],
    pools: [],
    coefficients: [],
  };
  expect(figureBasis(evidence, ['steps'])).toEqual({
    basis: 'modelled',
    says: 'Modelled: pool 1.',
    outside: 'Outside the data: x.',
  });
  expect(figureBasis(evidence, ['blocks'])).toBeUndefined();
  expect(figureBasis(undefined, ['steps'])).toBeUndefined();
});

const distance = (name: string, regime: string, median: number): Distance => ({
  distance: name,
  regime,
  figure: 'tpot_ms mean',
  n: 7,
  median,
  low: median / 2,
  high: median * 2,
  mean: median,
  worst: median * 3,
  worst_id: 'b-1',
});

test('errors by distance are shown if the data has them', () => {
  const { distances: _, ...without } = DATA;
  expect(shownOf(without).map(([name]) => name)).not.toContain('distance');
  const distances = [distance('seen', 'below', 0.02), distance('unseen GPU', 'overload', 0.3)];
  expect(shownOf({ ...without, distances }).map(([name]) => name)).toContain('distance');
});

test('each cell of the table of distances is that of its regime, whatever the name of overload', () => {
  const all = [
    distance('seen', 'below', 0.02),
    distance('seen', 'over', 0.2),
    distance('unseen GPU', 'below', 0.08),
    distance('unseen GPU', 'overload', 0.3),
  ];
  expect(distinct(all, 'distance')).toEqual(['seen', 'unseen GPU']);
  expect(regimesOf(all).map(([name]) => name)).toEqual(['below', 'overload']);
  expect(distanceAt(all, 'seen', 'overload', 'tpot_ms mean')?.median).toBe(0.2);
  expect(distanceAt(all, 'unseen GPU', 'overload', 'tpot_ms mean')?.median).toBe(0.3);
  expect(distanceAt(all, 'seen', 'near', 'tpot_ms mean')).toBeUndefined();
  expect(distanceHeadline(all)).toBe('TPOT mean below the knee: 8.0 % off in the median for unseen GPU');
  expect(distanceHeadline([])).toBe('Errors by distance');
});
