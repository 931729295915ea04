// The button under the switch for a model of one's own, which opens the box that reads a config.json.
import { createMemo, createSignal, createUniqueId, type JSX, lazy, Show } from 'solid-js';
import type { App } from '../../state/app.ts';

const OwnModelBox = lazy(() => import('./OwnModelBox.tsx'));

export function OwnModel(props: { app: Pick<App, 'document' | 'dialogs' | 'links'>; path: string }): JSX.Element {
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  /** What was pasted stays in the box while it is closed. */
  const opened = createMemo((before) => before || open(), false);
  return (
    <div class="own">
      <button type="button" class="btn box" aria-expanded={open()} aria-controls={id} onClick={() => setOpen(!open())}>
        Paste a config.json…
      </button>
      <div id={id} hidden={!open()}>
        <Show when={opened()}>
          <OwnModelBox app={props.app} path={props.path} />
        </Show>
      </div>
    </div>
  );
}
