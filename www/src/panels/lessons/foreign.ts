// Which changes are foreign to a step.
import type { LessonStep } from '../../generated/boundary.ts';
import { type Change, isWithin } from '../../state/edits.ts';

/** The paths of the fields that a step points at. */
export function pointedFields(step: Pick<LessonStep, 'look'>): readonly string[] {
  return step.look.flatMap(({ at }) => (at.startsWith('field:') ? [at.slice('field:'.length)] : []));
}

/** The changes that a step did not ask for. A task without a field to turn leaves the choice to the reader. */
export function foreign(step: Pick<LessonStep, 'look' | 'task'>, changes: readonly Change[]): readonly Change[] {
  const fields = pointedFields(step);
  if (fields.length === 0 && step.task) return [];
  return changes.filter(
    ({ path }) =>
      !['title', 'note'].includes(path) && !fields.some((field) => isWithin(path, field) || isWithin(field, path)),
  );
}
