import { expect, test } from 'vitest';
import type { LoadState } from '../../generated/boundary.ts';
import { loadWords } from './loadWords.ts';

const STATES: readonly LoadState[] = ['stable', 'backlogged', 'overloaded', 'too-short'];

test('each verdict has a word, a shape and a colour of its own', () => {
  const all = STATES.map(loadWords);
  for (const of of ['word', 'shape', 'tone'] as const) expect(new Set(all.map((words) => words[of])).size).toBe(4);
  expect(loadWords('overloaded')).toEqual({ word: 'overloaded', shape: '▲', tone: 'miss' });
});
