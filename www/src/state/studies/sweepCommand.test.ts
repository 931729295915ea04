import { expect, test } from 'vitest';
import type { SweepElsewhere } from '../../generated/boundary.ts';
import { RefusedError } from '../../sim/client.ts';
import { caseMs, createElsewhere, type ElsewhereAsked } from './sweepCommand.ts';

const answer = (cases: number): SweepElsewhere => ({
  cases,
  seconds: cases,
  long: cases > 60,
  text: `${cases} runs`,
  command: 'tokenyard sweep',
  first: '',
  left_out: [],
});
const asked = (seeds: number): ElsewhereAsked => ({
  scenario: '{}',
  varied: ['traffic=1,2'],
  seeds,
  workers: 2,
  case_ms: undefined,
});
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test('the time of a run is that of one worker, once one has ended', () => {
  expect(caseMs(undefined)).toBeUndefined();
  expect(caseMs({ done: 0, of: 9, tookMs: 500, workers: 3 })).toBeUndefined();
  expect(caseMs({ done: 3, of: 9, tookMs: 500, workers: 3 })).toBe(500);
});

test('one question is asked at a time, and the latest sweep is answered last', async () => {
  const open: { seeds: number; resolve: (found: SweepElsewhere) => void }[] = [];
  const study = createElsewhere({
    ask: (_, { seeds }) => new Promise((resolve) => open.push({ seeds, resolve })),
  });
  for (const seeds of [1, 2, 3]) study.ask(asked(seeds));
  expect(open.map(({ seeds }) => seeds)).toEqual([1]);
  open[0]?.resolve(answer(1));
  await settled();
  expect(open.map(({ seeds }) => seeds)).toEqual([1, 3]);
  open[1]?.resolve(answer(3));
  await settled();
  expect(study.found()?.cases).toBe(3);
});

test('a sweep that is refused, or none, has no command; the next one has', async () => {
  let refuse = true;
  const study = createElsewhere({
    ask: async () => {
      if (refuse) throw new RefusedError([]);
      return answer(7);
    },
  });
  study.ask(asked(1));
  await settled();
  expect(study.found()).toBeUndefined();
  refuse = false;
  study.ask(asked(1));
  await settled();
  expect(study.found()?.cases).toBe(7);
  study.ask(undefined);
  expect(study.found()).toBeUndefined();
});
