// The rows of attempts that broke in a waterfall.
import { expect, test } from 'vitest';
import type { AttemptDetail, RequestDetail, Segment } from '../../generated/boundary.ts';
import { bracketsOf, phasesOf } from './attemptRows.ts';

const segment = (kind: Segment['kind'], from_us: number, to_us: number): Segment => ({
  kind,
  from_us,
  to_us,
  tokens: 0,
  open: false,
});
const crashed: AttemptDetail = {
  replica: 2,
  routed_us: 100,
  scheduled_us: 500,
  broke_us: 900,
  reason: 'crash',
  wait: 'Queue',
  prefilled_tokens: 64,
  shown_tokens: 0,
};
const of = (segments: readonly Segment[], attempts: readonly AttemptDetail[]): RequestDetail =>
  ({ segments, attempts }) as unknown as RequestDetail;

test('an attempt that broke has its wait, its work in vain and its break, and the next one follows its back-off', () => {
  const rows = phasesOf(
    of(
      [
        segment('router', 0, 100),
        segment('broken', 100, 900),
        segment('back-off', 900, 920),
        segment('queue', 920, 1000),
        segment('prefill', 1000, 1500),
      ],
      [crashed],
    ),
  );
  expect(
    rows.map(({ name, segment: s, attempt, drawn }) => [name ?? s.kind, s.from_us, s.to_us, attempt, drawn]),
  ).toEqual([
    ['router', 0, 100, undefined, undefined],
    ['Queue r2', 100, 500, 1, undefined],
    ['Prefill r2', 500, 900, 1, 'wasted'],
    ['Broken r2', 900, 900, 1, 'broken'],
    ['back-off', 900, 920, 1, undefined],
    ['queue', 920, 1000, 2, undefined],
    ['prefill', 1000, 1500, 2, undefined],
  ]);
  expect(bracketsOf(rows)).toEqual([
    { attempt: 1, from: 1, rows: 4 },
    { attempt: 2, from: 5, rows: 2 },
  ]);
});

test('an answer that was lost ends with its break', () => {
  const lost = { ...crashed, shown_tokens: 3 };
  const rows = phasesOf(of([segment('queue', 100, 500), segment('decode', 500, 900)], [lost]));
  expect(rows.map(({ name, segment: s, value }) => [name ?? s.kind, value])).toEqual([
    ['queue', undefined],
    ['decode', undefined],
    ['Broken r2', 'crash'],
  ]);
});

test('an attempt that was refused at once is its break, before its back-off', () => {
  const { scheduled_us: _, ...never } = crashed;
  const refused: AttemptDetail = { ...never, broke_us: 100, reason: 'refused' };
  const rows = phasesOf(of([segment('back-off', 100, 130)], [refused, { ...refused, routed_us: 130, broke_us: 130 }]));
  expect(rows.map(({ name, segment: s, attempt }) => [name ?? s.kind, s.from_us, attempt])).toEqual([
    ['Broken r2', 100, 1],
    ['back-off', 100, 1],
    ['Broken r2', 130, 2],
  ]);
});

test('a request whose attempts all held has no bracket', () => {
  const rows = phasesOf({ segments: [segment('queue', 0, 5)] } as unknown as RequestDetail);
  expect(bracketsOf(rows)).toEqual([]);
});
