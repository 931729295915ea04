import { expect, test } from 'vitest';
import type { Around, SpanFigures } from '../generated/boundary.ts';
import { differenceSaid, isFewOf, pairOf, pairSaid, spansSaid } from './editFigureWords.ts';

const ecdf = { ms: [], percent: [], count: 0, percentiles_ms: [null, null, null], within: null } as const;
const side = (fromS: number, toS: number, n: number, p99: number): SpanFigures => {
  const percentiles = { count: n, p50_us: p99 / 3, p90_us: p99 / 2, p99_us: p99 };
  return {
    from_us: fromS * 1e6,
    to_us: toS * 1e6,
    arrived: n,
    ttft: percentiles,
    tpot: percentiles,
    e2e: percentiles,
    met_percent: null,
    preemptions: 0,
    cached_percent: null,
    ttft_ecdf: { ...ecdf, ms: [], percent: [], percentiles_ms: [null, null, null] },
    e2e_ecdf: { ...ecdf, ms: [], percent: [], percentiles_ms: [null, null, null] },
  };
};
const around = (n: number): Around => ({
  before: side(36, 96, n, 1.2e6),
  after: side(96, 131.25, 210, 3.24e6),
  ttft_us: [12_000, 40_000, 2.04e6],
  tpot_us: [null, null, null],
  e2e_us: [-900, null, null],
  met_points: null,
});

test('both spans are named with their requests', () => {
  expect(spansSaid(around(190))).toBe('36–96 s, n = 190 → 96–131.3 s, n = 210');
});

test('differences carry their sign, and a side without requests is a dash', () => {
  expect([2.04e6, -900, 0, null, undefined].map(differenceSaid).map((s) => s.replace('\u00a0', ' '))).toEqual([
    '+2.04 s',
    '−0.90 ms',
    '0 ms',
    '–',
    '–',
  ]);
});

test('a p99 of few values says of how many', () => {
  const said = pairSaid('TTFT', around(37), pairOf(around(37), 'ttft'));
  expect(said.replaceAll('\u00a0', ' ')).toBe(
    'Distribution of TTFT before and after the edit, 36–96 s, n = 37 → 96–131.3 s, n = 210: p50 +12.0 ms, p99 +2.04 s; of 37 and 210 values.',
  );
  expect(isFewOf(pairOf(around(190), 'ttft'))).toBe(false);
});
