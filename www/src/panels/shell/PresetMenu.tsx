// The menu of presets: a search, the commands, and the presets by what they are about. Loaded when it is opened.
import { createMemo, createSignal, createUniqueId, For, type JSX, onMount, Show } from 'solid-js';
import { trust } from '../../base/trust.ts';
import type { Card } from '../../generated/boundary.ts';
import rawCards from '../../generated/gallery.json';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { chooseFile } from '../../state/files/chooseFile.ts';
import { setLearning } from '../../state/lessons/lesson.ts';
import { PRESETS, type Preset, presetNamed } from '../../state/run/presets.ts';
import { setTitleEdited } from '../../state/view/titleEdited.ts';
import './presetMenu.css';

const CARDS = trust<readonly Card[]>(rawCards);
/** What a preset without a card is about. */
const OTHER = 'other';

/** The presets by the first of their tags, in the order of the gallery. */
function groupsOf(words: string): readonly (readonly [tag: string, presets: readonly Preset[]])[] {
  const wanted = words.trim().toLowerCase();
  const found = PRESETS.filter(
    ({ name, title }) =>
      `${name} ${title}`.toLowerCase().includes(wanted) || cardOf(name)?.tags.some((tag) => tag.includes(wanted)),
  );
  return [...Map.groupBy(found, ({ name }) => cardOf(name)?.tags[0] ?? OTHER)];
}

function cardOf(name: string): Card | undefined {
  return CARDS.find((card) => card.name === name);
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export default function PresetMenu(props: {
  app: Pick<App, 'document' | 'dialogs' | 'studies'>;
  onDone: () => void;
}): JSX.Element {
  const { app } = props;
  const id = createUniqueId();
  let field: HTMLInputElement | undefined;
  let list: HTMLDivElement | undefined;
  const [words, setWords] = createSignal('');
  const groups = createMemo(() => groupsOf(words()));
  onMount(() => field?.focus());
  const choose = (act: () => void): void => {
    props.onDone();
    act();
  };
  const open = (name: string): void => {
    const preset = presetNamed(name);
    if (preset) choose(() => void app.document.openPreset(preset));
  };
  const items = (): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const key = (event: KeyboardEvent): void => {
    const all = items();
    const now = all.findIndex((item) => item.matches(':focus'));
    const inField = event.target === field;
    const to = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      ...(inField ? {} : { Home: 0, End: all.length - 1 }),
    }[event.key];
    if (event.key === 'Enter' && inField) {
      event.preventDefault();
      if (words().trim() !== '') all[0]?.click();
      return;
    }
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (to < 0) field?.focus();
    else all[Math.min(to, all.length - 1)]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the field and of the items in it
    <div class="preset-menu" onKeyDown={key}>
      <input
        ref={field}
        class="in"
        type="search"
        placeholder="Find a preset"
        aria-label="Find a preset"
        aria-controls={id}
        value={words()}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <div ref={list} id={id} role="menu" aria-label="Presets" class="preset-list">
        <Show when={words().trim() === ''}>
          {/* biome-ignore lint/a11y/useSemanticElements: a group of a menu */}
          <div role="group" aria-label="Commands" class="preset-commands">
            <Item
              value="*gallery"
              title={tooltip('Gallery of presets', 'gallery')}
              onChoose={() => choose(() => app.dialogs.setGallery(true))}
            >
              Gallery: all with pictures…
            </Item>
            <Item value="*lessons" onChoose={() => choose(() => setLearning(true))}>
              Lessons…
            </Item>
            <Item
              value="*compare"
              title={tooltip('Compare this run with another on the same requests', 'compare')}
              onChoose={() => choose(() => app.studies.setComparing(true))}
            >
              Compare with a second run…
            </Item>
            <Item
              value="*title"
              title={tooltip('Edit the title', 'rename')}
              onChoose={() => choose(() => setTitleEdited(true))}
            >
              Edit the title…
            </Item>
            <Item value="*file" onChoose={() => choose(() => chooseFile(app))}>
              Open a trace, scenario or benchmark file…
            </Item>
          </div>
        </Show>
        <For each={groups()} fallback={<p class="s preset-none">No preset matches</p>}>
          {([tag, presets]) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of a menu
            <div role="group" aria-label={sentence(tag)} class="preset-group">
              <span class="s" aria-hidden="true">
                {sentence(tag)}
              </span>
              <For each={presets}>
                {(preset) => (
                  <Item
                    value={preset.name}
                    current={preset.name === app.document.presetName()}
                    onChoose={() => open(preset.name)}
                  >
                    {preset.title || preset.name}
                  </Item>
                )}
              </For>
            </div>
          )}
        </For>
      </div>
    </div>
  );
}

function Item(props: {
  value: string;
  title?: string;
  current?: boolean;
  onChoose: () => void;
  children: JSX.Element;
}): JSX.Element {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class="menu-item"
      data-value={props.value}
      aria-current={props.current ? 'true' : undefined}
      title={props.title}
      onFocus={(event) => {
        event.currentTarget.dataset.highlighted = '';
      }}
      onBlur={(event) => {
        delete event.currentTarget.dataset.highlighted;
      }}
      onClick={() => props.onChoose()}
    >
      {props.children}
    </button>
  );
}
