// The glyph of a fault beside words: a cross for a crash, a bolt for what degrades.
import type { JSX } from 'solid-js';
import { isCrash } from '../../draw/faultMarks.ts';

export function FaultGlyph(props: { kind: string }): JSX.Element {
  return (
    <svg class="fault-glyph" width="11" height="12" viewBox="0 0 11 12" aria-hidden="true">
      <path d={isCrash(props.kind) ? 'M1.5 2.5l7 7m0-7l-7 7' : 'M5.5.5L1 6.5h3l-1 5 5-6.5H4.8l.7-4.5z'} />
    </svg>
  );
}
