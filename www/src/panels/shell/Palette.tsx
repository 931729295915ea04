// The list of commands: everything that the page can do, found by typing. Loaded when it is opened.
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import { type Command, found } from '../../state/commands/commands.ts';
import { Modal } from '../parts/Modal.tsx';
import { allCommands } from './soughtCommands.ts';
import './palette.css';

export default function Palette(props: { app: App }): JSX.Element {
  const { app } = props;
  const id = createUniqueId();
  let field: HTMLInputElement | undefined;
  let list: HTMLDivElement | undefined;
  const [words, setWords] = createSignal('');
  const [at, setAt] = createSignal(0);
  const sought = createMemo(() => words().trim() !== '');
  /** Made with the first letter. */
  const all = createMemo(() => allCommands(app, sought()));
  const shown = createMemo(() => found(all(), words()));
  createEffect(on(words, () => setAt(0)));
  createEffect(() => list?.children[at()]?.scrollIntoView({ block: 'nearest' }));
  const close = (): void => void app.dialogs.setPalette(false);
  const choose = (command: Command | undefined): void => {
    if (!command) return;
    close();
    // The dialog gives the focus back first: a command may take it.
    setTimeout(() => command.action(app));
  };
  const key = (event: KeyboardEvent): void => {
    const last = shown().length - 1;
    const to = {
      ArrowDown: at() >= last ? 0 : at() + 1,
      ArrowUp: at() <= 0 ? last : at() - 1,
      PageDown: Math.min(last, at() + 8),
      PageUp: Math.max(0, at() - 8),
    }[event.key];
    if (event.key === 'Enter') choose(shown()[at()]);
    else if (to !== undefined) setAt(Math.max(0, to));
    else return;
    event.preventDefault();
  };
  return (
    <Modal class="sheet-place palette-place" label="Commands" onClose={close} first={() => field}>
      <div class="sheet palette">
        <input
          ref={field}
          class="in"
          type="text"
          role="combobox"
          placeholder="Find a command, a field, a preset or a word"
          aria-label="Find a command"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={shown().length > 0 ? `${id}-${at()}` : undefined}
          autocomplete="off"
          value={words()}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={key}
        />
        <div ref={list} id={id} role="listbox" aria-label="Commands" class="palette-list">
          <For each={shown()}>
            {(command, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys of the list
              <div
                id={`${id}-${i()}`}
                role="option"
                tabIndex={-1}
                class="palette-item"
                aria-selected={i() === at()}
                onPointerMove={() => setAt(i())}
                onClick={() => choose(command)}
              >
                <span class="s">{command.group}</span>
                <span>{command.does}</span>
                <Show when={command.keys}>
                  <kbd>{command.keys}</kbd>
                </Show>
              </div>
            )}
          </For>
        </div>
        <p class="visually-hidden" role="status">
          {shown().length === 0 ? 'No command matches' : `${shown().length} commands`}
        </p>
        <Show when={shown().length === 0}>
          <p class="s palette-none">No command matches</p>
        </Show>
      </div>
    </Modal>
  );
}
