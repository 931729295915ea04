// Notices on how to read the numbers of a run: one line beside the transport.
import { type JSX, Show } from 'solid-js';
import type { Notice } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';

export const listOf = (app: Pick<App, 'transport'>): readonly Notice[] => app.transport.throttledFrame()?.notices ?? [];

/** The first notice, the number of further ones, and a button that opens all. */
export function NoticeLine(props: { app: Pick<App, 'transport' | 'selection'> }): JSX.Element {
  const app = props.app;
  const first = (): Notice | undefined => listOf(app)[0];
  const more = (): number => listOf(app).length - 1;
  const open = (): void => {
    app.selection.setRightTab('run');
    app.selection.setDrawer(true);
    app.selection.setPhoneTab('inspector');
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
