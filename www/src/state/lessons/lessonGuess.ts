// The guess that is being made at a question of the open lesson: shared by the card and the chart. What is handed in stands
// in `guesses` of state/lessons/lesson.ts.
import { createSignal } from 'solid-js';
import type { DrawQuestion, Guess, LessonStep } from '../../generated/boundary.ts';
import { guesses, lesson, lessonStep, setGuesses } from './lesson.ts';

/** Points of a curve by their horizontal place, in rising order. */
export type Points = readonly (readonly [x: number, y: number])[];

/** The curve that is being drawn, by step. */
const [drafts, setDrafts] = createSignal<Readonly<Record<number, Points>>>({});
/** Steps whose guess is being made again; the answer stays hidden meanwhile. */
const [again, setAgain] = createSignal<Readonly<Record<number, boolean>>>({});
/** How many guesses were handed in, by step. */
const [handedIn, setHandedIn] = createSignal<Readonly<Record<number, number>>>({});
/** Counts the requests to draw by keys: the chart takes the focus. */
const [keysAsked, setKeysAsked] = createSignal(0);

export { handedIn, keysAsked };

/** For a new lesson. */
export function forgetGuesses(): void {
  setDrafts({});
  setAgain({});
  setHandedIn({});
  setHidden({});
}

/** The curve being drawn at a step. */
export const draftOf = (step: number): Points => drafts()[step] ?? [];

export function setDraft(step: number, points: Points): void {
  setDrafts((all) => ({ ...all, [step]: points }));
}

/** Whether the reader still answers: there is no guess, or it is being made again. */
export const isOpen = (step: number): boolean => guesses()[step] === undefined || again()[step] === true;

/** Starts over. The guess handed in before stays until the next one. */
export function guessAgain(step: number): void {
  setDraft(step, []);
  setAgain((all) => ({ ...all, [step]: true }));
}

/** What takes the guess of a step when it is handed in, on the chart too. */
const takers = new Map<number, (guess: Guess) => void>();

/** `take` gets the guesses of a step until the function returned is called. */
export function takeGuesses(step: number, take: (guess: Guess) => void): () => void {
  takers.set(step, take);
  return () => {
    if (takers.get(step) === take) takers.delete(step);
  };
}

/** The guess is handed in; it cannot be edited. */
export function handIn(step: number, guess: Guess): void {
  takers.get(step)?.(guess);
  setHandedIn((all) => ({ ...all, [step]: (all[step] ?? 0) + 1 }));
  setAgain((all) => ({ ...all, [step]: false }));
  setGuesses((all) => ({ ...all, [step]: guess }));
}

/** `first`, `second` and so on, of the guess handed in last. */
export function ordinal(step: number): string {
  const n = handedIn()[step] ?? 1;
  return ['first', 'second', 'third', 'fourth', 'fifth'][n - 1] ?? `${n}th`;
}

/** Key G: the guess is drawn by keys. */
export function guessByKeys(): void {
  setKeysAsked((n) => n + 1);
}

/** The question for a curve of a step, if it has one. */
export function drawOf(step: LessonStep | undefined): DrawQuestion | undefined {
  return step?.ask && 'draw' in step.ask ? step.ask.draw : undefined;
}

/** At a step that sees or explains, the step of the latest question before it. */
export function askedBeforeOf(steps: readonly LessonStep[], now: number): number | undefined {
  const step = steps[now];
  if (!step || step.ask || (step.kind !== 'see' && step.kind !== 'why')) return undefined;
  const before = steps.slice(0, now).findLastIndex((earlier) => earlier.ask !== null);
  return before < 0 ? undefined : before;
}

/** The step whose chart is shown beside the step `now`: its own curve, or that of the question before it. */
export function chartStepOf(steps: readonly LessonStep[], now: number): number | undefined {
  const at = askedBeforeOf(steps, now) ?? now;
  return drawOf(steps[at]) ? at : undefined;
}

const stepsNow = (): readonly LessonStep[] => lesson()?.read.lesson.steps ?? [];

/** The same for the lesson that is open. */
export const askedBefore = (): number | undefined => askedBeforeOf(stepsNow(), lessonStep());
export const chartStep = (): number | undefined => chartStepOf(stepsNow(), lessonStep());

/** Steps whose answer stays hidden until it is asked for. */
const [hidden, setHidden] = createSignal<Readonly<Record<number, boolean>>>({});
export function hideAnswer(step: number, on: boolean): void {
  setHidden((all) => ({ ...all, [step]: on }));
}

/** Whether the engine's answer may be shown: the reader has handed in a guess, or is past the question. */
export function isRevealed(step: number): boolean {
  if (hidden()[step]) return false;
  return step < lessonStep() ? !again()[step] : !isOpen(step);
}
