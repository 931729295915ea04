// Which changes are foreign to a step.
import type { LessonStep } from '../../generated/boundary.ts';
import { type Change, isWithin } from '../../state/edits/edits.ts';

type Asking = Pick<LessonStep, 'look' | 'task' | 'open'>;

/** The paths of the fields that a step points at. */
export function pointedFields(step: Pick<LessonStep, 'look'>): readonly string[] {
  return step.look.flatMap(({ at }) => (at.startsWith('field:') ? [at.slice('field:'.length)] : []));
}

/**
 * The changes that the step `index` and those before it on the same scenario did not ask for. A task without a field to
 * turn leaves the choice to the reader.
 */
export function foreign(steps: readonly Asking[], index: number, changes: readonly Change[]): readonly Change[] {
  const before = steps.slice(0, index + 1);
  const asking = before.slice(
    Math.max(
      0,
      before.findLastIndex(({ open }) => open.trim() !== ''),
    ),
  );
  if (asking.some((step) => step.task && pointedFields(step).length === 0)) return [];
  const fields = asking.flatMap(pointedFields);
  return changes.filter(
    ({ path }) =>
      !['title', 'note'].includes(path) && !fields.some((field) => isWithin(path, field) || isWithin(field, path)),
  );
}
