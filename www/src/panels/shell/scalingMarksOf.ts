// The marks of scaling decisions on the timeline.
import type { ScalingRow } from '../../generated/boundary.ts';
import type { ScalingMark } from '../../state/run/scalingMarks.ts';

/** The decisions that changed the wanted number. */
export function marksOf(rows: readonly Pick<ScalingRow, 'at_us' | 'current' | 'desired'>[]): readonly ScalingMark[] {
  return rows.flatMap(({ at_us, current, desired }) =>
    current === desired ? [] : [{ us: at_us, more: desired > current }],
  );
}
