// Replaced by the linked charts; until then the names of the columns that arrived.
import { For, type JSX } from 'solid-js';
import { type ChartsProps, VIEWS } from '../base/view.ts';

export function Charts(props: ChartsProps): JSX.Element {
  return (
    <ul>
      <For each={VIEWS}>
        {(view) => (
          <li>
            {view}: {props.data[view]?.columns[0]?.length ?? 0} points
          </li>
        )}
      </For>
    </ul>
  );
}
