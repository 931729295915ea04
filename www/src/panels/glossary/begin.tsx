// The glossary on the page: a popover at each word and at each number. Loaded at the first hover over one, or with the
// first focus.
import { createRoot, lazy, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { isPhone } from '../../base/media.ts';
import type { App } from '../../state/app.ts';
import { isLabel, keepMarked, moveBetweenLabels } from './labels.ts';
import { close, follow, leaveLater, listed, openAt, openLater, setListed, stay, term } from './popover.ts';
import { TermPopover } from './TermPopover.tsx';
import './glossary.css';

const AllWords = lazy(() => import('./AllWords.tsx'));

/** When the listeners began; earlier events come through `begin`. */
let begunAt: number | undefined;

/** Begins with the first event, and handles it; later events find their own listeners. */
export function begin(app: App, event: Event): void {
  if (begunAt === undefined) {
    const host = document.createElement('div');
    document.body.append(host);
    createRoot(() => {
      render(
        () => (
          <>
            <TermPopover app={app} />
            <Show when={listed() !== undefined}>
              <AllWords app={app} />
            </Show>
          </>
        ),
        host,
      );
    });
    keepMarked(follow);
    listen();
    begunAt = performance.now();
  }
  if (event.timeStamp < begunAt) {
    if (event.type === 'pointerover' && event instanceof PointerEvent) over(event);
    if (event.type === 'click' && event instanceof MouseEvent) clicked(event);
    if (event instanceof FocusEvent) focused(event);
  }
  if (event.type === 'glossary') setListed(event instanceof CustomEvent ? String(event.detail ?? '') : '');
}

function listen(): void {
  document.addEventListener('pointerover', over);
  document.addEventListener('focusin', focused);
  document.addEventListener('focusout', blurred);
  document.addEventListener('click', clicked);
  window.addEventListener('keydown', key, true);
}

/** The latest key: one that acts may move the focus by what it does, which opens nothing. */
let latestKey = '';
const ACTING: readonly string[] = ['Enter', ' ', 'Escape'];

/** The word at the target of an event, unless a control in it is meant. */
function wordAt(event: Event): HTMLElement | undefined {
  const { target } = event;
  const hit = target instanceof Element ? target.closest<HTMLElement>('[data-term], button, a, input, select') : null;
  if (hit) return hit.dataset['term'] === undefined ? undefined : hit;
  // A number has the word of its label.
  const row = target instanceof Element ? target.closest('.kpi > div, .blk dl > div') : null;
  const meant = event.type === 'click' && !isPhone() ? null : row?.querySelector<HTMLElement>('[data-term]');
  return meant ?? undefined;
}

const inPopover = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.term-popover') !== null;

function over(event: PointerEvent): void {
  if (event.pointerType === 'touch') return;
  const anchor = wordAt(event);
  const open = term();
  stay();
  if (anchor && anchor !== open?.anchor) {
    if (!open?.pinned) openLater(anchor);
  } else if (!anchor && !inPopover(event.target) && open && !open.pinned && open.anchor !== document.activeElement)
    leaveLater();
}

function focused(event: FocusEvent): void {
  const anchor = wordAt(event);
  if (ACTING.includes(latestKey)) return;
  if (anchor && anchor !== term()?.anchor && anchor.matches(':focus-visible') && !isPhone()) openAt(anchor, false);
}

function blurred(event: FocusEvent): void {
  const open = term();
  if (!open || open.pinned || event.target !== open.anchor || inPopover(event.relatedTarget)) return;
  // An anchor that is replaced loses the focus to nothing; `follow` finds the new one.
  if (event.relatedTarget !== null) close();
}

function clicked(event: MouseEvent): void {
  const anchor = wordAt(event);
  if (anchor) pin(anchor);
  else if (term() && !inPopover(event.target)) close();
}

function pin(anchor: HTMLElement): void {
  openAt(anchor, true);
  queueMicrotask(() => document.querySelector<HTMLElement>('.term-popover')?.focus());
}

function key(event: KeyboardEvent): void {
  latestKey = event.key;
  const open = term();
  const at = event.target;
  if (event.key === 'Escape' && open && document.querySelector('dialog:modal') === null) {
    if (inPopover(document.activeElement)) open.anchor.focus();
    close();
  } else if (event.key === 'Enter' && at instanceof HTMLElement && isLabel(at)) pin(at);
  else if (!moveBetweenLabels(event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
