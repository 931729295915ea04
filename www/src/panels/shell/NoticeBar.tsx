// The notice above the transport, and the list of problems that a notice or a dialog shows.
import { createEffect, For, type JSX, onCleanup, Show } from 'solid-js';
import { clock } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { Diagnostic } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { explain, type Notice } from '../../state/notices/notices.ts';
import { save } from '../parts/save.ts';

const INFO_MS = 10_000;

export function Problems(props: { list: readonly Diagnostic[] }): JSX.Element {
  return (
    <ul class="problems">
      <For each={props.list.slice(0, 50)}>
        {(d) => <li classList={{ mild: d.severity === 'warning' }}>{explain(d)}</li>}
      </For>
      <Show when={props.list.length > 50}>
        <li>and {props.list.length - 50} more</li>
      </Show>
    </ul>
  );
}

/** One line above the transport. It overlays the page, so nothing moves. */
export function NoticeBar(props: { app: Pick<App, 'dialogs'> }): JSX.Element {
  const app = props.app;
  // A notice of success disappears after a while; a problem stays until it is dismissed.
  createEffect(() => {
    const notice = app.dialogs.notice();
    if (notice?.kind !== 'info' || notice.diagnostics.length > 0) return;
    const timer = setTimeout(() => app.dialogs.setNotice(undefined), INFO_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <Show when={app.dialogs.notice()}>
      {(notice) => (
        <div
          class="notice"
          role="status"
          classList={{ bad: notice().kind === 'crash' || notice().kind === 'problem', long: isLong(notice()) }}
        >
          <div class="notice-text">{said(app)}</div>
          <Show when={crashOf(app)}>
            {(crash) => (
              <button type="button" class="btn box" onClick={() => save('reproduction.json', crash().scenario)}>
                Download the reproduction
              </button>
            )}
          </Show>
          <Show when={asks(notice())}>
            {(ask) => (
              <button
                type="button"
                class="btn box"
                onClick={() => {
                  app.dialogs.setNotice(undefined);
                  ask().run();
                }}
              >
                {ask().action}
              </button>
            )}
          </Show>
          <button type="button" class="btn sq" aria-label="Dismiss" onClick={() => app.dialogs.setNotice(undefined)}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </Show>
  );
}

/** Whether the notice is too long for the line of the controls. */
function isLong(notice: Notice): boolean {
  return notice.kind === 'info' && notice.diagnostics.length > 0;
}

function asks(notice: Notice) {
  return notice.kind === 'ask' ? notice : undefined;
}

function crashOf(app: Pick<App, 'dialogs'>) {
  const notice = app.dialogs.notice();
  return notice?.kind === 'crash' ? notice.crash : undefined;
}

function said(app: Pick<App, 'dialogs'>): JSX.Element {
  const notice = app.dialogs.notice();
  if (notice?.kind === 'crash') {
    const { againUs, message, nowUs } = notice.crash;
    const after =
      againUs === undefined
        ? 'It could not be rebuilt.'
        : `The same run was rebuilt up to ${clock(againUs)} s, with its edits.`;
    return `The simulation stopped at ${clock(nowUs)} s: ${message}. ${after}`;
  }
  if (notice?.kind === 'info') {
    return (
      <>
        {notice.text}
        <Show when={notice.diagnostics.length > 0}>
          <Problems list={notice.diagnostics} />
        </Show>
      </>
    );
  }
  return notice?.text ?? '';
}
