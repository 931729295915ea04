import { expect, test } from 'vitest';
import { wholeSeeds } from './ownLesson.ts';

const job = (step: number, seed: number) => ({ step, one: { run: 'a', seed, scenario: '', paths: [] } });

test('a seed counts once all its runs, of every step, have ended', () => {
  const jobs = [job(0, 0), job(1, 0), job(0, 1), job(1, 1), job(0, 2)];
  const [a, b, c, d] = jobs;
  if (!a || !b || !c || !d) throw new Error('jobs');
  expect(wholeSeeds(jobs, new Set())).toBe(0);
  expect(wholeSeeds(jobs, new Set([a]))).toBe(0);
  expect(wholeSeeds(jobs, new Set([a, c, d]))).toBe(0);
  expect(wholeSeeds(jobs, new Set([a, b, c]))).toBe(1);
  expect(wholeSeeds(jobs, new Set([a, b, c, d]))).toBe(2);
  expect(wholeSeeds(jobs, new Set(jobs))).toBe(Infinity);
});
