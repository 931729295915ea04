import { expect, test } from 'vitest';
import { type RaceAsked, readStudyText, STUDY_MOST, type SweepAsked, studyText } from './studyText.ts';

const RACE: RaceAsked = {
  kind: 'race',
  of: 'Routers',
  chosen: ['random', 'weighted'],
  own: [{ name: 'Mine, 5 → 2', set: { 'cluster.routing': { weighted: { profile: 'llm-d' } } } }],
  seeds: 5,
  by: 'ttft-p99',
};
const SWEEP: SweepAsked = {
  kind: 'sweep',
  path: 'traffic',
  from: '0.5',
  to: '2.5',
  steps: 6,
  seeds: 3,
  routers: ['random'],
};

test.each([RACE, SWEEP])('a study travels as letters that a link takes', (asked) => {
  const text = studyText(asked) ?? '';
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(readStudyText(text)).toEqual(asked);
});

test('a study that is too long has no text, and a text that is too long is none', () => {
  const long = {
    ...RACE,
    own: Array.from({ length: 32 }, (_, i) => ({ name: `entrant ${i}`, set: { a: 'x'.repeat(80) } })),
  };
  expect(studyText(long)).toBeUndefined();
  expect(readStudyText('e'.repeat(STUDY_MOST + 1))).toBeUndefined();
});

test('what is no study is none, and values out of bounds are brought within', () => {
  const of = (value: unknown): string => btoa(JSON.stringify(value));
  for (const text of ['', '!', of(7), of({ kind: 'other' }), of(null)]) expect(readStudyText(text)).toBeUndefined();
  expect(readStudyText(of({ kind: 'race', seeds: 9999, by: 'x', own: 'y', chosen: [4] }))).toEqual({
    ...RACE,
    chosen: [''],
    own: [],
    seeds: 10,
    by: 'met-share',
  });
  expect(readStudyText(of({ kind: 'sweep', steps: 1e9, seeds: -1 }))).toMatchObject({ steps: 15, seeds: 1, from: '' });
});
