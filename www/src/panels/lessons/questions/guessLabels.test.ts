import { expect, test } from 'vitest';
import type { CurvePoint, DrawQuestion, StepVerdict } from '../../../generated/boundary.ts';
import { apart, boundWords } from './claimWords.ts';
import { labelsOf, placed } from './guessLabels.ts';
import { apartOf, kneeOf, plotOf, truthOf } from './guessScale.ts';
import { guessWords, inSentence } from './guessWords.ts';

const box = { left: 40, right: 440, top: 12, bottom: 240 };
const spots = [
  { x: 100, y: 100, anchor: 'start' },
  { x: 100, y: 140, anchor: 'start' },
  { x: 430, y: 180, anchor: 'start' },
] as const;

test('a word stands in the first place where it covers nothing', () => {
  expect(placed('knee 27', spots, { points: [], taken: [], box })).toBe(spots[0]);
  expect(placed('knee 27', spots, { points: [[110, 98]], taken: [], box })).toBe(spots[1]);
});

test('it stands on no other word, and not beyond the chart', () => {
  const taken = [{ left: 90, right: 200, top: 90, bottom: 150 }];
  // Beyond the right edge is worse than on a word.
  expect(placed('knee 27.0 here', spots, { points: [], taken, box })).toBe(spots[0]);
  const free = { x: 300, y: 100, anchor: 'end' } as const;
  expect(placed('knee 27', [...spots, free], { points: [], taken, box })).toBe(free);
});

test('the words below a claim are inside and apart', () => {
  // 20 letters of claim take 132 px, 7 letters of the mean 51.4.
  const far = apart(100, '4.88 ×', 270, 'claim: under 300 ms');
  expect(far.high).toBe(280);
  expect(far.mean).toBe(100);
  const near = apart(60, '4.88 ×', 55, 'claim: over 3');
  expect(near.bound).toBeLessThan(near.mean);
  expect(near.mean - near.bound).toBeGreaterThanOrEqual(70);
});

const point = (x: number, mean: number): CurvePoint => ({ x, y: { mean, lo: mean - 5, hi: mean + 5, values: [] } });
const axis = { unit: '', log: false };
const ask: DrawQuestion = {
  question: '',
  run: 'a',
  path: 'traffic',
  values: [0, 5, 10],
  x: { ...axis, label: 'Arrivals', unit: 'req/s', from: 0, to: 10 },
  y: { ...axis, label: 'TTFT p99', unit: 'ms', from: 0, to: 100 },
  value: '',
  knee: 5,
};
const row = (x: number, guess: number, engine: number) => ({
  ...{ x, guess, engine, lo: engine - 5, hi: engine + 5, factor: engine / guess },
});
const verdict: StepVerdict = {
  ...{ seeds: 2, of: 2, claims: [], figures: {}, number: null, order: [], items: [], right: null },
  curve: { points: [point(0, 10), point(5, 20), point(10, 150)], knee: 4 },
  guess: { right: false, factor: 5, in_place: 0, rows: [row(0, 10, 10), row(5, 20, 20), row(10, 30, 150)] },
};

test('knee and dimension line stand on the drawn curves', () => {
  const plot = plotOf(ask, { left: 0, right: 100, top: 0, bottom: 100 });
  // Four fifths of the way from 10 to 20.
  expect(kneeOf(verdict.curve, plot, ask.y)).toEqual({ px: 40, py: 82, knee: 4 });
  // The engine's 150 is beyond the top.
  expect(apartOf(verdict.guess, plot, ask.y)).toEqual({ x: 100, guess: 70, engine: 0, side: -8, beyond: true });
});

test('the words say where the curve leaves, the factor, the knee, the guess and the objective', () => {
  const plot = plotOf(ask, box);
  const labels = labelsOf({
    ...{ plot, ask, now: undefined, verdict, guessName: 'your guess', slo: { y: 100, text: 'SLO 61 ms' } },
    line: [
      [0, 10],
      [10, 30],
    ],
    truth: truthOf(verdict.curve?.points ?? [], plot, ask.y),
    knee: kneeOf(verdict.curve, plot, ask.y),
    apart: apartOf(verdict.guess, plot, ask.y),
  });
  expect(labels.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
    'engine 150 ms at 10 req/s',
    '5.00 × your guess',
    'knee 4',
    'your guess',
    'SLO 61 ms',
  ]);
});

test('the alternative of the chart says no more than may be said', () => {
  const open = guessWords(ask, [[0, 10]], undefined);
  expect(open).toBe('TTFT p99 against arrivals: 1 of 3 points of your guess are drawn.');
  const said = guessWords(ask, [], verdict).replaceAll('\u00a0', ' ');
  expect(said).toContain('The engine goes from 10.0 ms at 0 req/s to 150 ms at 10 req/s.');
  expect(said).toContain('It differs most at 10 req/s: 150 ms (145–155 ms), 5.00 times your guess.');
});

test('a label loses its capital within a sentence, an abbreviation does not', () => {
  expect([inSentence('Arrivals'), inSentence('TTFT p99'), inSentence('E2E')]).toEqual(['arrivals', 'TTFT p99', 'E2E']);
});

test.each([
  [3, null, '×', 'claim: over 3'],
  [null, 50, 'ms', 'claim: under 50\u00a0ms'],
  [0.5, 0.9, '%', 'claim: 50 to 90\u00a0%'],
  [null, null, '', ''],
])('above %s and below %s in %s is "%s"', (above, below, unit, words) => {
  expect(boundWords({ above, below, unit })).toBe(words);
});
