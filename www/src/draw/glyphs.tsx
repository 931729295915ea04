// Small inline parts shared by charts and panels: a quantity with its unit, marks of objectives, clients and anomalies,
// icons.
import type { JSX } from 'solid-js';
import { NBSP, type Quantity } from '../base/units.ts';
import type { Basis } from '../generated/boundary.ts';

/** A number with its unit in a lighter ink. */
export function Q(props: { q: Quantity }): JSX.Element {
  return (
    <>
      {props.q.value}
      <span class="u">{props.q.unit === '' ? '' : NBSP + props.q.unit}</span>
    </>
  );
}

export type Mark = 'ok' | 'risk' | 'miss' | undefined;

/** ● met, ◆ at risk, ▲ missed: both shape and colour show it. */
export function ObjectiveMark(props: { mark: Mark }): JSX.Element {
  const name = (): string =>
    props.mark === 'ok' ? 'objective met' : props.mark === 'risk' ? 'at risk' : 'objective missed';
  const shape = (): string =>
    props.mark === 'ok'
      ? 'M5 1.5a3.500 3.500 0 1 0 .01 0z'
      : props.mark === 'risk'
        ? 'M5 .5l4.5 4.500-4.500 4.500L.5 5z'
        : 'M5 .5l4.700 8.500H.3z';
  return (
    <svg
      class={`mark ${props.mark ?? 'none'}`}
      width="10"
      height="10"
      viewBox="0 0 10 10"
      role="img"
      aria-label={props.mark ? name() : ''}
      aria-hidden={props.mark ? undefined : 'true'}
    >
      <path d={props.mark ? shape() : ''} />
    </svg>
  );
}

const BARS: Readonly<Record<Basis, number>> = { measured: 3, calibrated: 2, modelled: 1 };

/**
 * The basis of a number: three bars measured, two calibrated, one modelled; a dot past a bracket if it is outside the
 * measured range.
 */
export function EvidenceGlyph(props: { basis: Basis; outside?: boolean }): JSX.Element {
  const bar = (i: number): string => `M${i * 4 + 0.5} ${6.5 - i * 2.5}h2.5v${3 + i * 2.5}h-2.5z`;
  return (
    <svg
      class="evidence-bars"
      width={props.outside ? 26 : 12}
      height="10"
      viewBox={props.outside ? '0 0 26 10' : '0 0 12 10'}
      role="img"
      aria-label={props.outside ? `${props.basis}, outside the data` : props.basis}
    >
      {[0, 1, 2].map((i) => (
        <path classList={{ on: i < BARS[props.basis] }} d={bar(i)} />
      ))}
      {props.outside ? (
        <>
          <path class="bracket" d="M16 1h-2v8h2M19 1h2v8h-2" />
          <circle class="bracket-dot" cx="24" cy="5" r="1.8" />
        </>
      ) : undefined}
    </svg>
  );
}

const ICONS = {
  start: 'M3 2.500v9M11.500 2.500L5.500 7l6 4.500z',
  end: 'M11 2.500v9M2.500 2.500L8.500 7l-6 4.500z',
  play: 'M3.500 1.500v11l9-5.500z',
  pause: 'M4 2v10M10 2v10',
  event: 'M5.500 2.500L11 7l-5.500 4.500zM2.500 2.500v9',
  back: 'M8.500 2.500L3 7l5.500 4.500zM11.500 2.500v9',
  stop: 'M3 3h8v8H3z',
  search: 'M6 2.500a3.500 3.500 0 1 0 .01 0zM8.800 8.800l3 3',
  engine: 'M6.500 2.500L11 7l-4.500 4.500zM1.500 2.500v9M4 2.500v9',
  down: 'M4 5.500l3 3 3-3',
  up: 'M4 8.500l3-3 3 3',
  close: 'M3.500 3.500l7 7M10.500 3.500l-7 7',
  file: 'M3.500 1.500h4.500l3 3v8h-7.500zM8 1.500v3h3',
  plus: 'M7 3v8M3 7h8',
  undo: 'M5 2.500L2 5.500l3 3M2 5.500h6a3 3 0 0 1 0 6h-2.500',
  redo: 'M9 2.500l3 3-3 3M12 5.500h-6a3 3 0 0 0 0 6h2.500',
  share:
    'M9.500 4.500L4.500 7l5 2.500M4.500 7a1.500 1.500 0 1 1-3 0 1.500 1.500 0 0 1 3 0zM12.500 3.500a1.500 1.500 0 1 1-3 0 1.500 1.500 0 0 1 3 0zM12.500 10.500a1.500 1.500 0 1 1-3 0 1.500 1.500 0 0 1 3 0z',
  copy: 'M4.500 4.500h7v7h-7zM4.500 9.500h-2v-7h7v2',
  panel: 'M1.500 2.500h11v9h-11zM9 2.500v9',
} as const;

export function Icon(props: { name: keyof typeof ICONS }): JSX.Element {
  return (
    <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <path d={ICONS[props.name]} />
    </svg>
  );
}
