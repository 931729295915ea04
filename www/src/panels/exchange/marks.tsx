// The marks of a mapping: two bars exact, two waves near, one bar ignored, a question unknown, crossed bars conflict. The
// shape alone says it.
import type { JSX } from 'solid-js';
import type { Standing } from '../../sim/exchangeTypes.ts';
import { STANDINGS } from './standings.ts';

export function MappingMark(props: { standing: Standing; hidden?: boolean }): JSX.Element {
  return (
    <svg
      class={`mapping ${props.standing}`}
      width="12"
      height="13"
      viewBox="0 0 12 13"
      role="img"
      aria-label={props.hidden ? undefined : props.standing}
      aria-hidden={props.hidden ? 'true' : undefined}
    >
      <path d={STANDINGS[props.standing].mark} />
    </svg>
  );
}
