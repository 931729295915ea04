// What the reader must know to read a run's numbers right: one line beside the transport, all of it in the Run tab.
import { For, type JSX, Show } from 'solid-js';
import type { Notice } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';

const listOf = (app: App): readonly Notice[] => app.throttledFrame()?.notices ?? [];

/** The first of them, and how many more there are; a way to all of them. */
export function NoticeLine(props: { app: App }): JSX.Element {
  const app = props.app;
  const first = (): Notice | undefined => listOf(app)[0];
  const more = (): number => listOf(app).length - 1;
  const open = (): void => {
    app.setRightTab('run');
    app.setDrawer(true);
    app.setPhoneTab('inspector');
  };
  return (
    <span class="noted" role="status">
      <Show when={first()}>
        {(notice) => (
          <button
            type="button"
            class="btn note-line"
            title={`${notice().text} ${more() > 0 ? 'Open all' : ''}`}
            onClick={open}
          >
            <span class="wa">{more() > 0 ? `${more() + 1} notes` : 'Note'}</span> {notice().text}
          </button>
        )}
      </Show>
    </span>
  );
}

/** All of them, with what to do. */
export function NoticeBlock(props: { app: App }): JSX.Element {
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
