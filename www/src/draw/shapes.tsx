// The shapes of clients and of anomalies, as marks in a line of text.
import type { JSX } from 'solid-js';
import { shapeOf } from '../base/anomalies.ts';
import type { AnomalyKind } from '../generated/boundary.ts';
import { CLIENT_SHAPES } from './clients.ts';

/** The shape of a client. */
export function ClientShape(props: { client: number }): JSX.Element {
  return (
    <svg class="who" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
      <path d={CLIENT_SHAPES[props.client % CLIENT_SHAPES.length]?.path ?? ''} />
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
