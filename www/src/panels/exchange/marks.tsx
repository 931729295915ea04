// The marks of a mapping: two bars exact, two waves near, one bar ignored, a question unknown, crossed bars conflict. The
// shape alone says it.
import type { JSX } from 'solid-js';
import type { Standing } from '../../sim/exchangeTypes.ts';

const PATHS: Readonly<Record<Standing, string>> = {
  exact: 'M2 4.500h8M2 8.500h8',
  near: 'M1.500 5c2-2.500 3.500-2.500 4.500-1s2.500 1.500 4.500-1M1.500 9.500c2-2.500 3.500-2.500 4.500-1s2.500 1.500 4.500-1',
  ignored: 'M3 6.500h6',
  unknown: 'M3.500 4c0-3.500 5-3.500 5-.5 0 2-2.500 2-2.500 4M6 10.500v.01',
  conflict: 'M2 4.500h8M2 8.500h8M8.500 1.500l-5 10',
  shape: '',
};

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
      <path d={PATHS[props.standing]} />
    </svg>
  );
}
