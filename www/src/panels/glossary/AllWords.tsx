// All words of the glossary, with a search. Loaded when it is opened.
import { createMemo, createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { titled } from '../../base/keyWords.ts';
import { count } from '../../base/units.ts';
import type { GlossaryEntry } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Sheet } from '../parts/Sheet.tsx';
import { EntryCard } from './EntryCard.tsx';
import { listed, setListed } from './popover.ts';
import { ENTRIES, searched } from './words.ts';

export default function AllWords(props: { app: Pick<App, 'selection' | 'transport'> }): JSX.Element {
  const [wanted, setWanted] = createSignal('');
  const [chosen, setChosen] = createSignal(listed() ?? '');
  const shown = createMemo(() => searched(wanted()));
  let list: HTMLDivElement | undefined;
  const buttons = (): readonly HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>('.word-name') ?? [])];
  const key = (event: KeyboardEvent): void => {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || (at < 0 && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    if (to < 0) list?.parentElement?.querySelector('input')?.focus();
    else all[to]?.focus();
  };
  onMount(() => {
    const open = (): void => list?.querySelector('[aria-expanded=true]')?.scrollIntoView({ block: 'center' });
    if (chosen() !== '') setTimeout(open, 100);
  });
  return (
    <Sheet open onClose={() => setListed(undefined)} title="Glossary" large aside={`${count(ENTRIES.length)} words`}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys go through the list, as Tab does */}
      <div class="words" onKeyDown={key}>
        <input
          class="in"
          type="search"
          placeholder="Find a word"
          aria-label="Find a word"
          autocomplete="off"
          value={wanted()}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <p class="visually-hidden" role="status">
          {shown().length === 1 ? '1 word' : `${count(shown().length)} words`}
        </p>
        <div ref={list} class="words-list">
          <For each={shown()} fallback={<p class="say">No word matches.</p>}>
            {(entry) => (
              <Word
                app={props.app}
                entry={entry}
                open={chosen() === entry.word}
                onTurn={() => setChosen(chosen() === entry.word ? '' : entry.word)}
              />
            )}
          </For>
        </div>
      </div>
    </Sheet>
  );
}

function Word(props: {
  app: Pick<App, 'selection' | 'transport'>;
  entry: GlossaryEntry;
  open: boolean;
  onTurn: () => void;
}): JSX.Element {
  return (
    <div class="word" classList={{ open: props.open }}>
      <button type="button" class="word-name" aria-expanded={props.open} onClick={() => props.onTurn()}>
        <b>{titled(props.entry.word)}</b>
        <Show when={!props.open}>
          <span>{props.entry.meaning}</span>
        </Show>
      </button>
      <Show when={props.open}>
        <div class="word-card">
          <EntryCard app={props.app} entry={props.entry} said={`word-${props.entry.word.replace(/\W/g, '')}`} />
        </div>
      </Show>
    </div>
  );
}
