import { expect, test } from 'vitest';
import { stepColumns, stepsSentence } from './steps.ts';

const points = {
  running: [1, 4, 4],
  ms: [10, 14, 30],
  chunk: [false, false, true],
  line: [
    [1, 2],
    [10, 11],
  ],
  steps: 5,
};

test('steps are columns, and a sentence with the number of those with a part of a prompt', () => {
  const { names, columns } = stepColumns({ ...points, line: [[], []] });
  expect(names).toEqual(['running', 'ms', 'with_a_chunk']);
  expect(columns.map((c) => [...c])).toEqual([points.running, points.ms, [0, 0, 1]]);
  expect(stepColumns(undefined).columns.map((c) => c.length)).toEqual([0, 0, 0]);
  expect(stepsSentence({ ...points, line: [[], []] }, 2)).toBe(
    'Step time by running requests of replica 2: the latest 3 of 5 steps, 1 of them with a part of a prompt.',
  );
  expect(stepsSentence(undefined)).toBe('Step time by running requests: no step in this span.');
});
