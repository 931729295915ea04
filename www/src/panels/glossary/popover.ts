// What the glossary shows: the word of the popover with its anchor, and the list of all words.
import { createSignal } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import type { GlossaryEntry } from '../../generated/boundary.ts';
import { successor } from './labels.ts';
import { entryOf } from './words.ts';

/** How long the pointer rests on a word before its popover opens, and how long the popover stays once it left. */
const REST_MS = 300;
const LEAVE_MS = 250;

export type OpenTerm = {
  readonly entry: GlossaryEntry;
  readonly anchor: HTMLElement;
  /** Where the anchor was when it was last there. */
  readonly at: DOMRect;
  /** Whether it stays until it is closed: after a click, or on a phone. */
  readonly pinned: boolean;
};

export const [term, setTerm] = createSignal<OpenTerm>();
/** The list of all words, with the word that it opens at; empty for none. */
export const [listed, setListed] = createSignal<string>();

let timer: ReturnType<typeof setTimeout> | undefined;

/** Stops what was to happen later. */
export function stay(): void {
  clearTimeout(timer);
}

export function openLater(anchor: HTMLElement): void {
  stay();
  const [word, at] = [anchor.dataset['term'] ?? '', anchor.getBoundingClientRect()];
  timer = setTimeout(() => {
    // A label may have been drawn anew meanwhile.
    const there = anchor.isConnected ? anchor : successor(word, at);
    if (there) openAt(there, false);
  }, REST_MS);
}

export function leaveLater(): void {
  stay();
  timer = setTimeout(close, LEAVE_MS);
}

export function openAt(anchor: HTMLElement, pinned: boolean): void {
  stay();
  const entry = entryOf(anchor.dataset['term'] ?? '');
  if (!entry) return;
  mark(anchor);
  setTerm({ entry, anchor, at: anchor.getBoundingClientRect(), pinned: pinned || isPhone() });
}

export function close(): void {
  stay();
  mark(undefined);
  setTerm(undefined);
}

/** Closes the popover and gives the focus back to its word. */
export function leave(): void {
  const anchor = term()?.anchor;
  close();
  anchor?.focus();
}

/** The anchor of the open popover says so; the one before no longer. */
function mark(anchor: HTMLElement | undefined): void {
  const before = term()?.anchor;
  if (before && before !== anchor) {
    before.classList.remove('term-open');
    before.removeAttribute('aria-describedby');
    if (before.tagName === 'BUTTON') before.setAttribute('aria-expanded', 'false');
  }
  if (!anchor) return;
  anchor.classList.add('term-open');
  anchor.setAttribute('aria-describedby', 'term-said');
  if (anchor.tagName === 'BUTTON') anchor.setAttribute('aria-expanded', 'true');
}

/** Parts of the page are made anew while it plays: the popover goes to the label that took the place of its anchor. */
export function follow(): void {
  const open = term();
  if (!open || open.anchor.isConnected) return;
  const next = successor(open.anchor.dataset['term'] ?? '', open.at);
  if (!next) {
    close();
    return;
  }
  mark(next);
  // The focus went with the label that had it.
  if (document.activeElement === document.body && !open.pinned && next.tabIndex >= 0) next.focus();
  setTerm({ ...open, anchor: next, at: next.getBoundingClientRect() });
}
