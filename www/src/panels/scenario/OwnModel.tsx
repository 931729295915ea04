// The button under the switch for a custom model. It opens the box that reads a config.json.
import { createMemo, createSignal, createUniqueId, type JSX, lazy, Show } from 'solid-js';
import type { App } from '../../state/app.ts';

const OwnModelBox = lazy(() => import('./OwnModelBox.tsx'));

export function OwnModel(props: { app: Pick<App, 'document' | 'dialogs' | 'links'>; path: string }): JSX.Element {
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  /** The pasted text stays while the box is closed. */
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
