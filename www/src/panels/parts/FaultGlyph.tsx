// The glyph of a fault beside words: a cross for a crash, a bolt for what degrades.
import type { JSX } from 'solid-js';
import { glyphPath } from '../../draw/faultMarks.ts';

export function FaultGlyph(props: { kind: string }): JSX.Element {
  return (
    <svg class="fault-glyph" width="11" height="12" viewBox="0 0 11 12" aria-hidden="true">
      <path d={glyphPath(props.kind)} />
    </svg>
  );
}
