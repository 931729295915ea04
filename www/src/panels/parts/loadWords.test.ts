import { expect, test } from 'vitest';
import { LOAD_WORDS } from './loadWords.ts';

test('each verdict has a word, a shape and a colour of its own', () => {
  const all = Object.values(LOAD_WORDS);
  for (const of of ['word', 'shape', 'tone'] as const) expect(new Set(all.map((words) => words[of])).size).toBe(4);
  expect(LOAD_WORDS.overloaded).toEqual({ word: 'overloaded', shape: '▲', tone: 'miss' });
});
