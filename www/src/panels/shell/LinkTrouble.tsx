// The dialog of a link that could not be opened completely, or that needs the file of its trace.
import { type JSX, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import { PRESETS } from '../../state/run/presets.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { Sheet } from '../parts/Sheet.tsx';
import { Problems } from './NoticeBar.tsx';
import './share.css';

export default function LinkTrouble(props: { app: Pick<App, 'document' | 'links'> }): JSX.Element {
  const { links } = props.app;
  const close = (): void => {
    links.setTrouble(undefined);
  };
  /** Whether the link names a lesson that is none: then nothing of it is on screen. */
  const isLesson = (): boolean => links.trouble()?.problems[0]?.path === 'lesson';
  const openDefault = (): void => {
    close();
    const [first] = PRESETS;
    if (first) void props.app.document.openPreset(first);
  };
  return (
    <Show when={links.trouble()}>
      {(trouble) => (
        <Sheet
          open
          onClose={close}
          title={trouble().waits ? 'This link replays a trace' : 'Not all of this link could be opened'}
        >
          <Show when={trouble().waits?.trace}>
            {(trace) => (
              <p class="say">
                It replays {trace().name}, {trace().rows.toLocaleString('en')} rows, with digest{' '}
                <code>{trace().digest}</code>. Links do not contain traces: choose the file, or drop it on the page. It
                stays on this computer.
              </p>
            )}
          </Show>
          <Show when={trouble().problems.length > 0}>
            <Show when={!trouble().waits && !isLesson()}>
              <p class="say">The listed values are those of the preset. Everything else in the link is on screen.</p>
            </Show>
            <Problems list={trouble().problems} />
          </Show>
          <div class="link-actions">
            <Show
              when={trouble().waits}
              fallback={
                <button type="button" class="btn pri" onClick={close}>
                  Keep the opened run
                </button>
              }
            >
              <FileButton
                class="btn pri"
                takes="Trace of the link"
                onFile={(file) => void props.app.document.openFile(file)}
              >
                Choose the file
              </FileButton>
            </Show>
            <button type="button" class="btn box" onClick={openDefault}>
              Open the default instead
            </button>
          </div>
        </Sheet>
      )}
    </Show>
  );
}
