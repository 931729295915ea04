// The popover of a word, in the browser's top layer; on a phone a sheet from below.
import { createEffect, createMemo, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import { Portal } from 'solid-js/web';
import { titled } from '../../base/keyWords.ts';
import { createMedia, PHONE } from '../../base/media.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { EntryCard } from './EntryCard.tsx';
import { placeOf } from './place.ts';
import { leave, type OpenTerm, setListed, term } from './popover.ts';

export function TermPopover(props: { app: App }): JSX.Element {
  /** Outside of the dialog that its word is in, it could not be reached. */
  const mount = createMemo(() => term()?.anchor.closest('dialog') ?? document.body);
  return (
    <Show when={term()}>
      {(open) => (
        <Portal mount={mount()}>
          <Popover app={props.app} open={open()} />
        </Portal>
      )}
    </Show>
  );
}

function Popover(props: { app: App; open: OpenTerm }): JSX.Element {
  let box: HTMLDivElement | undefined;
  const phone = createMedia(PHONE);
  const entry = createMemo(() => props.open.entry);
  const place = (): void => {
    if (!box) return;
    const own = { width: box.offsetWidth, height: box.offsetHeight };
    // A key figure keeps its number in sight.
    const anchor = props.open.anchor.closest('.kpi > div') ?? props.open.anchor;
    const at = placeOf(anchor.getBoundingClientRect(), own, { width: innerWidth, height: innerHeight });
    box.style.left = phone() ? '' : `${at.left}px`;
    box.style.top = phone() ? '' : `${at.top}px`;
  };
  onMount(() => {
    box?.showPopover();
    place();
    const sized = new ResizeObserver(place);
    if (box) sized.observe(box);
    sized.observe(document.documentElement);
    onCleanup(() => sized.disconnect());
  });
  createEffect(on([() => props.open.anchor, phone], place));
  return (
    <div
      ref={box}
      class="term-popover"
      classList={{ 'term-sheet': phone() }}
      popover="manual"
      role="dialog"
      aria-modal="false"
      aria-labelledby="term-word"
      aria-describedby="term-said"
      tabIndex={-1}
    >
      <div class="term-head">
        <h2 id="term-word">{titled(entry().word)}</h2>
        <span class="m">{unitSaid(entry().quantity?.unit)}</span>
        <span class="grow" />
        <button type="button" class="btn sq" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </div>
      <EntryCard app={props.app} entry={entry()} said="term-said" />
      <div class="term-foot">
        <button
          type="button"
          class="link"
          onClick={() => {
            const { word } = entry();
            leave();
            setListed(word);
          }}
        >
          All words
        </button>
      </div>
    </div>
  );
}

const unitSaid = (unit: string | undefined): string => (unit === '%' ? 'a share, in %' : (unit ?? ''));
