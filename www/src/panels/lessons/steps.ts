// What is done in a lesson, and the way on.
import { untrack } from 'solid-js';
import type { LessonStep } from '../../generated/boundary.ts';
import { guesses, lesson, lessonStep, setLearning } from '../../state/lessons/lesson.ts';
import { closeLesson, goStep, keptName, type LessonApp } from '../../state/lessons/lessonOpening.ts';
import { markDone, progressOf } from '../../state/lessons/lessonProgress.ts';

/** Whether nothing of a step waits for an answer: a prediction comes before its truth. */
export function isAnswered(step: LessonStep | undefined, index: number): boolean {
  return !step?.ask || guesses()[index] !== undefined;
}

/** Whether a step is done: its question answered, its task reached, or read. */
export const isDone = (index: number): boolean => progressOf(keptName()).done.includes(index);

/** Goes on to the next step; after the last one, to the view of all lessons. A step that asks nothing is done now. */
export function finish(app: LessonApp): void {
  const [open, index] = [untrack(lesson), untrack(lessonStep)];
  const step = open?.read.lesson.steps[index];
  if (!open || !step || !untrack(() => isAnswered(step, index))) return;
  if (!step.task) markDone(keptName(), index);
  if (index < open.read.lesson.steps.length - 1) void goStep(app, index + 1);
  else {
    closeLesson(app);
    setLearning(true);
  }
}
