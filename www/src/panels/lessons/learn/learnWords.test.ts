import { expect, test } from 'vitest';
import type { LessonCard } from '../../../generated/boundary.ts';
import {
  answeredBy,
  chaptersOf,
  checkedSaid,
  continueSaid,
  isFound,
  pathOf,
  placeOfFactor,
  shortTitle,
  stateOf,
  type Walked,
} from './learnWords.ts';

const card = (name: string, number: number, minutes: number, steps = 3): LessonCard => ({
  ...{ name, number, minutes, chapter: number < 3 ? 'One replica' : 'Memory and routing' },
  title: `The ${name}: why`,
  about: `About ${name}`,
  seeds: 20,
  steps: Array.from({ length: steps }, (_, i) => ({ kind: 'do', title: `Step ${i}` })),
  asks: ['choose', 'draw'],
  claims: [],
  picture: { caption: '', range: '', shapes: [] },
});
const cards = [card('first', 1, 2), card('second', 2, 3), card('third', 3, 3)];
const walks = (all: Record<string, Walked>) => (name: string) => all[name];

test('a lesson is ahead, begun or done by its steps', () => {
  expect(stateOf(card('a', 1, 2), undefined)).toBe('ahead');
  expect(stateOf(card('a', 1, 2), { done: [], step: 0 })).toBe('ahead');
  expect(stateOf(card('a', 1, 2), { done: [0], step: 0 })).toBe('begun');
  expect(stateOf(card('a', 1, 2), { done: [], step: 1 })).toBe('begun');
  expect(stateOf(card('a', 1, 2), { done: [0, 1, 1], step: 2 })).toBe('begun');
  expect(stateOf(card('a', 1, 2), { done: [2, 0, 1], step: 2 })).toBe('done');
});

test('the path goes on with what is begun, then with what is ahead', () => {
  const none = pathOf(cards, () => undefined);
  expect(none).toMatchObject({ done: 0, of: 3, minutes: 8, minutesLeft: 8, next: { step: 0 } });
  expect(continueSaid(none, false)).toBe('Start with 1');
  const some = pathOf(cards, walks({ first: { done: [0, 1, 2], step: 2 }, third: { done: [0], step: 1 } }));
  // 3 minutes of the second, and two thirds of 3 of the third.
  expect(some).toMatchObject({ done: 1, minutesLeft: 5, next: { card: { name: 'third' }, step: 1 } });
  expect(continueSaid(some, true)).toBe('Continue: the third, step 2 of 3');
  const one = pathOf(cards, walks({ first: { done: [0, 1, 2], step: 2 } }));
  expect(continueSaid(one, false)).toBe('Go on with 2: the second');
  const all = pathOf(cards, () => ({ done: [0, 1, 2], step: 2 }));
  expect(all).toMatchObject({ done: 3, minutesLeft: 0, next: undefined });
  expect(continueSaid(all, false)).toBe('');
});

test('chapters keep the order of their lessons', () => {
  expect(chaptersOf(cards).map(({ title, cards: of }) => [title, of.length])).toEqual([
    ['One replica', 2],
    ['Memory and routing', 1],
  ]);
});

test('names keep their capitals', () => {
  expect(shortTitle('The knee: why 90 % busy is too busy')).toBe('the knee');
  expect(shortTitle('KV blocks')).toBe('KV blocks');
});

test('the way to answer that tells most comes first', () => {
  expect(answeredBy(cards[0] as LessonCard)).toEqual({ kind: 'draw', said: 'draw a curve' });
  expect(answeredBy({ ...card('a', 1, 2), asks: [] }).said).toBe('read and try');
});

test('the check counts claims that hold on every seed, on most, and not', () => {
  const with3 = { ...card('a', 1, 2) };
  const every = { held: 20, of: 20, holds: true };
  expect(checkedSaid([{ ...with3, claims: [every, every] }])).toBe('2 claims hold on every seed.');
  expect(checkedSaid([{ ...with3, claims: [every, { held: 19, of: 20, holds: true }] }])).toBe(
    '1 claim holds on every seed. 1 holds on at least 19 of 20, and their cards say so.',
  );
  expect(checkedSaid([{ ...with3, claims: [{ held: 3, of: 20, holds: false }] }])).toBe(
    '0 claims hold on every seed. 1 does not hold.',
  );
  expect(checkedSaid([with3])).toBe('No claim was checked.');
});

test('a factor of 1 lies in the middle, others within the scale', () => {
  expect([0.01, 0.1, 1, 10, 99].map(placeOfFactor)).toEqual([0, 0, 0.5, 1, 1]);
});

test('a search looks at title, text and steps', () => {
  expect(isFound(cards[0] as LessonCard, 'FIRST why')).toBe(true);
  expect(isFound(cards[0] as LessonCard, 'step 2')).toBe(true);
  expect(isFound(cards[0] as LessonCard, 'prefix')).toBe(false);
});
