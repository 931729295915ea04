// All notices on how to read the numbers of a run, in the Run tab.
import { For, type JSX, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import { listOf } from './Notices.tsx';

/** Why the run cannot go on, if it cannot, and all notices, with advice. */
export function NoticeBlock(props: { app: Pick<App, 'transport'> }): JSX.Element {
  return (
    <>
      <Show when={props.app.transport.frame()?.trouble}>{(trouble) => <p class="blk say wa">{trouble()}</p>}</Show>
      <Notices app={props.app} />
    </>
  );
}

function Notices(props: { app: Pick<App, 'transport'> }): JSX.Element {
  return (
    <Show when={listOf(props.app).length > 0}>
      <div class="blk">
        <div class="blk-head">
          <h2>Before you read the numbers</h2>
          <span class="m">{listOf(props.app).length}</span>
        </div>
        <ul class="notes">
          <For each={listOf(props.app)}>
            {(notice) => (
              <li>
                <p>{notice.text}</p>
                <p class="m">
                  <Show when={notice.path !== ''}>
                    <code>{notice.path}</code>:{' '}
                  </Show>
                  {notice.remedy}.
                </p>
              </li>
            )}
          </For>
        </ul>
      </div>
    </Show>
  );
}
