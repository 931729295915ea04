import { expect, test } from 'vitest';
import type { CaseFigures, LessonCase, LessonStep, Question, StepType } from '../../generated/boundary.ts';
import { guesses } from './lesson.ts';
import {
  askedBeforeOf,
  chartStepOf,
  forgetGuesses,
  guessAgain,
  handedIn,
  handIn,
  hideAnswer,
  isOpen,
  isRevealed,
  ordinal,
  takeGuesses,
} from './lessonGuess.ts';
import { wholeSeeds } from './lessonRuns.ts';

const axis = { label: '', unit: '', from: 0, to: 1, log: false };
const draw: Question = {
  draw: { question: '', run: 'a', path: 'p', values: [1, 2, 3], x: axis, y: axis, value: 'run.x', knee: 0 },
};
const choose: Question = { choose: { question: '', answers: [] } };
const step = (kind: StepType, ask: Question | null = null): LessonStep => ({
  ...{ kind, ask, title: '', text: '', open: '', look: [], task: null, hints: [], figures: {}, claims: [] },
});

test('a step that sees or explains shows the chart of the question before it', () => {
  const steps = [step('predict', draw), step('do'), step('see'), step('why'), step('predict', choose), step('see')];
  expect(steps.map((_, i) => chartStepOf(steps, i))).toEqual([0, undefined, 0, 0, undefined, undefined]);
  expect(steps.map((_, i) => askedBeforeOf(steps, i))).toEqual([undefined, undefined, 0, 0, undefined, 4]);
  expect(chartStepOf([step('see')], 0)).toBeUndefined();
});

test('nothing is revealed before the guess, nor while it is made again', () => {
  forgetGuesses();
  expect([isOpen(0), isRevealed(0)]).toEqual([true, false]);
  handIn(0, { number: 3 });
  expect([isOpen(0), isRevealed(0), ordinal(0)]).toEqual([false, true, 'first']);
  guessAgain(0);
  expect([isOpen(0), isRevealed(0)]).toEqual([true, false]);
  expect(guesses()[0]).toEqual({ number: 3 });
  handIn(0, { number: 4 });
  expect([isRevealed(0), ordinal(0), handedIn()[0]]).toEqual([true, 'second', 2]);
  hideAnswer(0, true);
  expect(isRevealed(0)).toBe(false);
});

test('the taker of a guess gets it before it is set', () => {
  const seen: unknown[] = [];
  const stop = takeGuesses(7, (guess) => seen.push(guess, guesses()[7]));
  handIn(7, { choose: 1 });
  stop();
  handIn(7, { choose: 2 });
  expect(seen).toEqual([{ choose: 1 }, undefined]);
});

test('only whole seeds are judged, once the first is whole', () => {
  const cases = [0, 0, 1, 1].map((seed, i): LessonCase => ({ run: `r${i % 2}`, seed, scenario: '', paths: [] }));
  const ended = new Map<number, CaseFigures>();
  const end = (i: number): void => {
    ended.set(i, { run: `r${i % 2}`, seed: i < 2 ? 0 : 1, values: [i] });
  };
  end(0);
  expect(wholeSeeds(cases, ended).map(({ values }) => values[0])).toEqual([0]);
  end(2);
  end(1);
  expect(wholeSeeds(cases, ended).map(({ values }) => values[0])).toEqual([0, 1]);
  end(3);
  expect(wholeSeeds(cases, ended).length).toBe(4);
});
