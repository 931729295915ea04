// The edges of the first view: their whole height is the button that opens the panel behind it; an open one has a handle.
import type { JSX } from 'solid-js';
import { tooltip } from '../../state/commands/shortcuts.ts';

export function CalmEdge(props: {
  side: 'left' | 'right';
  name: string;
  shortcut: 'scenario' | 'why';
  onOpen: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="calm-edge"
      data-side={props.side}
      aria-expanded={false}
      title={tooltip(`Open ${props.name}`, props.shortcut)}
      onClick={() => props.onOpen()}
    >
      <svg class="icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={props.side === 'left' ? 'M4 2l4 4-4 4' : 'M8 2L4 6l4 4'} />
      </svg>
      <span>{props.name}</span>
    </button>
  );
}

export function CalmFold(props: { side: 'left' | 'right'; name: string; onClose: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class="calm-fold"
      data-side={props.side}
      aria-label={`Close the ${props.name}`}
      title={`Close the ${props.name}`}
      onClick={() => props.onClose()}
    >
      <svg class="icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={props.side === 'left' ? 'M8 2L4 6l4 4' : 'M4 2l4 4-4 4'} />
      </svg>
    </button>
  );
}
