// The lesson that is open: its step, the reader's answers, and what the engine says of them. The player in
// `panels/lessons` changes it; a page without a lesson loads nothing else of lessons.
import { createSignal } from 'solid-js';
import type { Guess, LessonRead, StepVerdict } from '../../generated/boundary.ts';

export type OpenLesson = {
  /** Its name in links: that of its file for the lessons of the page, else empty. */
  readonly name: string;
  /** The lesson as JSON text, for the thread that judges it. */
  readonly text: string;
  readonly read: LessonRead;
};

export const [lesson, setLesson] = createSignal<OpenLesson>();
/** The step on screen, from 0. */
export const [lessonStep, setLessonStep] = createSignal(0);
/** The link of the step, while the scenario is as the step opened it. */
export const [lessonLink, setLessonLink] = createSignal<string>();
/** The reader's answers by step. */
export const [guesses, setGuesses] = createSignal<Readonly<Record<number, Guess>>>({});
/** What the engine found by step: of the seeds that have run so far. */
export const [verdicts, setVerdicts] = createSignal<Readonly<Record<number, StepVerdict>>>({});
/** Whether the page is laid out for a projector. */
export const [projector, setProjector] = createSignal(false);
/** Whether the chart of a guess stands beside the charts. */
export const [chartBeside, setChartBeside] = createSignal(false);
/** Whether the truth is hidden until it is asked for, as a teacher wants it. */
export const [hideAnswers, setHideAnswers] = createSignal(false);
/** Whether the view of all lessons is open. */
export const [learning, setLearning] = createSignal(false);
/** A file of a lesson that the view of lessons shall check and play. */
export const [ownFile, setOwnFile] = createSignal<{ readonly name: string; readonly text: string }>();
