// The hatch of blocks that are kept, for pictures in SVG; and the marks of their keys.
import type { JSX } from 'solid-js';
import './keptPattern.css';

/** What a shape is filled with. */
export const KEPT = 'url(#kept)';

export function KeptPattern(): JSX.Element {
  return (
    <defs>
      <pattern id="kept" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="4" height="4" class="kept-ground" />
        <rect width="1.6" height="4" class="kept-line" />
      </pattern>
    </defs>
  );
}

/** A mark with its name, in the row above a picture. */
export function KeyMark(props: {
  look: 'held' | 'kept' | 'below' | 'evicted' | 'chosen' | 'turn' | 'computed' | 'wanted' | 'fetched';
  children: JSX.Element;
}): JSX.Element {
  return <span class={`key-mark ${props.look}`}>{props.children}</span>;
}
