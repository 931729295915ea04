// The requests that run on a replica now, each a way to it.
import { For, type JSX, Show } from 'solid-js';
import { count } from '../../base/units.ts';
import type { ReplicaFrame } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Block } from '../parts/Block.tsx';

/** The most requests listed of a batch. */
const MOST_SHOWN = 48;

export function BatchBlock(props: { app: Pick<App, 'selection'>; replica: ReplicaFrame }): JSX.Element {
  const r = (): ReplicaFrame => props.replica;
  return (
    <Block title="In its batch" remark={`${batchRemark(r())}context tokens`}>
      <Show when={r().running > 0} fallback={<p class="say">Nothing is running here now.</p>}>
        <div class="chips">
          <For each={r().batch.requests.slice(0, MOST_SHOWN)}>
            {(request) => (
              <button
                type="button"
                class="link"
                onClick={() => props.app.selection.select({ request, replica: r().id })}
              >
                #{request} <span class="m">{count(r().batch.contexts[r().batch.requests.indexOf(request)] ?? 0)}</span>
              </button>
            )}
          </For>
        </div>
      </Show>
    </Block>
  );
}

/** Which of its requests are listed, if not all. */
function batchRemark(r: ReplicaFrame): string {
  const shown = Math.min(r.batch.requests.length, MOST_SHOWN);
  return shown < r.running ? `the first ${count(shown)} of ${count(r.running)} · ` : '';
}
