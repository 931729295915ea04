// Replaced by the canvas stage; until then the replicas as a list.
import { For, type JSX } from 'solid-js';
import type { StageProps } from '../base/view.ts';

export function Stage(props: StageProps): JSX.Element {
  return (
    <ul>
      <For each={props.frame?.replicas ?? []}>
        {(r) => (
          <li>
            r{r.id}: {r.waiting} waiting, {r.running} running
          </li>
        )}
      </For>
    </ul>
  );
}
