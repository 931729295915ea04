// The shapes of clients and of anomalies, as marks in a line of text.
import type { JSX } from 'solid-js';
import { shapeOf } from '../base/anomalies.ts';
import type { AnomalyKind } from '../generated/boundary.ts';

/** The shape of a client: ● ■ ▲ ✚ ◗ ⬟, then a letter. */
export function ClientShape(props: { client: number }): JSX.Element {
  const SHAPES = [
    'M4 .6a3.4 3.4 0 1 0 .01 0z',
    'M.8.8h6.4v6.4H.8z',
    'M4 .5l3.8 7H.2z',
    'M3 .5h2V3h2.500v2H5v2.500H3V5H.5V3H3z',
    'M2.500.6a3.4 3.4 0 0 1 0 6.800z',
    'M4 .4l3.700 2.700-1.400 4.400H1.700L.3 3.100z',
  ];
  return (
    <svg class="who" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
      <path d={SHAPES[props.client % SHAPES.length] ?? ''} />
    </svg>
  );
}

/** The shape of a kind of anomaly, as on the timeline. */
export function AnomalyGlyph(props: { readonly kind: AnomalyKind }): JSX.Element {
  return (
    <svg
      class="anomaly-glyph"
      classList={{ worst: props.kind === 'livelock' }}
      width="9"
      height="9"
      viewBox="0 0 9 9"
      aria-hidden="true"
    >
      <path d={shapeOf(props.kind).path} />
    </svg>
  );
}
