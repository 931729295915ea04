// The triangle before the name of a part that opens and closes.
import type { JSX } from 'solid-js';

export function Disclosure(props: { open: boolean }): JSX.Element {
  return (
    <svg class="tw" viewBox="0 0 8 8" aria-hidden="true">
      <path d={props.open ? 'M1 2.500l3 3 3-3' : 'M2.500 1l3 3-3 3'} />
    </svg>
  );
}
