// The presets as cards, each with a picture of its run drawn by the simulator. Loaded when the gallery opens.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { trust } from '../../base/trust.ts';
import { EvidenceGlyph } from '../../draw/glyphs.tsx';
import type { Card } from '../../generated/boundary.ts';
import rawCards from '../../generated/gallery.json';
import type { App } from '../../state/app.ts';
import { isLinkText } from '../../state/links/linkText.ts';
import { openToPlay } from '../../state/run/firstPlay.ts';
import { presetNamed } from '../../state/run/presets.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { CloseButton, Modal } from '../parts/Modal.tsx';
import { Picture } from '../parts/Picture.tsx';
import { basisOf } from '../parts/trustWords.ts';
import './gallery.css';

const CARDS = trust<readonly Card[]>(rawCards);
const TAGS: readonly string[] = [...new Set(CARDS.flatMap((card) => card.tags))];

export default function Gallery(props: {
  app: Pick<App, 'document' | 'dialogs' | 'links' | 'transport'>;
}): JSX.Element {
  const app = props.app;
  const [tag, setTag] = createSignal<string>();
  const [wanted, setWanted] = createSignal('');
  const shown = createMemo(() => CARDS.filter((card) => isTagged(card, tag()) && isFound(card, wanted())));
  const close = (): void => {
    app.dialogs.setGallery(false);
  };
  const open = (name: string): void => {
    const preset = presetNamed(name);
    if (!preset) return;
    close();
    void openToPlay(app, preset);
  };

  return (
    <Modal class="gallery-place" label="Presets" onClose={close} first={currentCard} last={menuButton}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is typed anywhere goes to the search field */}
      <div class="gallery" onKeyDown={toSearch}>
        <header class="gallery-head">
          <h2 class="gallery-title">Presets</h2>
          <span class="s wide">each opens seconds before the main event</span>
          <span class="grow" />
          <OpenFile app={app} close={close} />
          <CloseButton />
        </header>
        <div class="gallery-filters">
          <fieldset class="tags">
            <legend class="visually-hidden">Show presets about</legend>
            <Chip name="all" count={CARDS.length} on={tag() === undefined} choose={() => setTag(undefined)} />
            <For each={TAGS}>
              {(name) => (
                <Chip
                  name={name}
                  count={CARDS.filter((card) => isTagged(card, name)).length}
                  on={tag() === name}
                  choose={() => setTag(name)}
                />
              )}
            </For>
          </fieldset>
          <input
            class="in gallery-find"
            type="search"
            placeholder="Find a preset"
            aria-label="Find a preset"
            value={wanted()}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </div>
        <ul class="cards" aria-label="Presets">
          <For each={shown()}>
            {(card) => (
              <li>
                <button
                  type="button"
                  class="card"
                  data-preset={card.name}
                  aria-current={app.document.presetName() === card.name ? 'true' : undefined}
                  onClick={() => open(card.name)}
                >
                  <Picture picture={card.picture} />
                  <b class="card-title">{card.title}</b>
                  <span class="card-look">
                    <For each={card.look.split('*')}>
                      {(words, i) => (
                        <Show when={i() % 2 === 1} fallback={words}>
                          <b>{words}</b>
                        </Show>
                      )}
                    </For>
                  </span>
                  <span class="card-foot">
                    <For each={card.tags}>{(name) => <span class="tag">{name}</span>}</For>
                    <span class="grow" />
                    <span class="s">opens at {card.opens_s} s</span>
                  </span>
                  <Show when={card.evidence}>
                    <span class="card-trust" classList={{ wa: card.class === 'guessed' }}>
                      <span aria-hidden="true">
                        <EvidenceGlyph basis={basisOf(card.class)} />
                      </span>
                      {card.evidence}
                    </span>
                  </Show>
                </button>
              </li>
            )}
          </For>
          <Own app={app} close={close} />
        </ul>
        <p class="empty" role="status">
          {shown().length === 0 ? 'No preset has these words. Clear the search, or choose another tag.' : ''}
        </p>
      </div>
    </Modal>
  );
}

function OpenFile(props: { app: Pick<App, 'document'>; close: () => void }): JSX.Element {
  return (
    <FileButton
      class="btn box"
      label="Open file…"
      takes="Trace, scenario or benchmark file"
      onFile={(file) => {
        props.close();
        void props.app.document.openFile(file);
      }}
    >
      Open file…
    </FileButton>
  );
}

/** The last card: opens the user's own file or link. */
function Own(props: { app: Pick<App, 'document' | 'dialogs' | 'links'>; close: () => void }): JSX.Element {
  const [wrong, setWrong] = createSignal(false);
  const open = (text: string): void => {
    const link = text.trim();
    setWrong(link !== '' && !isLinkText(link));
    if (!isLinkText(link)) return;
    props.close();
    void props.app.links.open(link);
  };
  return (
    <li>
      <div class="own">
        <b class="card-title">Your own</b>
        <span class="card-look">
          Drop a scenario or a trace on the page, or paste a link. Nothing leaves this page.
        </span>
        <span class="own-acts">
          <OpenFile app={props.app} close={props.close} />
          <button
            type="button"
            class="btn box"
            onClick={() => {
              props.close();
              void props.app.links.open('#default');
            }}
          >
            Blank scenario
          </button>
        </span>
        <input
          class="in"
          type="text"
          placeholder="Paste a link"
          aria-label="Paste a link"
          aria-invalid={wrong()}
          aria-describedby={wrong() ? 'own-link-wrong' : undefined}
          onPaste={(event) => {
            event.preventDefault();
            event.currentTarget.value = event.clipboardData?.getData('text/plain').trim() ?? '';
            open(event.currentTarget.value);
          }}
          onKeyDown={(event) => event.key === 'Enter' && open(event.currentTarget.value)}
        />
        <span id="own-link-wrong" role="alert">
          {wrong() ? 'Not a link: a link contains a #, such as #chat-4xh100;t=50, and no spaces.' : ''}
        </span>
      </div>
    </li>
  );
}

/** What is typed on a card is searched for. */
function toSearch(event: KeyboardEvent): void {
  const isField = event.target instanceof HTMLInputElement;
  if (isField || event.ctrlKey || event.metaKey || event.altKey || event.key === ' ' || event.key.length > 1) return;
  document.querySelector<HTMLInputElement>('.gallery-find')?.focus();
}

/** Takes the focus when the gallery opens. */
function currentCard(): HTMLElement | null {
  return document.querySelector('.card[aria-current]') ?? document.querySelector('.card');
}

/** Takes the focus when the gallery closes. */
function menuButton(): HTMLElement | null {
  return document.querySelector('.top .preset-name')?.closest('button') ?? document.querySelector('.top button');
}

function Chip(props: { name: string; count: number; on: boolean; choose: () => void }): JSX.Element {
  return (
    <button type="button" class="chip" aria-pressed={props.on} onClick={() => props.choose()}>
      {props.name} {props.count}
    </button>
  );
}

function isTagged(card: Card, tag: string | undefined): boolean {
  return tag === undefined || card.tags.includes(tag);
}

function isFound(card: Card, words: string): boolean {
  const text = [card.name, card.title, card.look, ...card.tags].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
