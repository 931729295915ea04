// What the comparison and the panel of measured runs share: both lie over the page, between the top bar and the timeline.
import { onCleanup, onMount } from 'solid-js';
import './overlay.css';

/** What an overlay hides. */
const COVERED = '.page > :is(.left, .mid, .right)';

/**
 * Lets an overlay take the focus while it is open and leave at Escape. What it hides cannot be reached meanwhile; at the end the
 * focus goes back to what opened it, if nothing else has taken it.
 */
export function overlay(host: () => HTMLElement | undefined, leave: () => void): void {
  const opener = document.activeElement;
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) leave();
  };
  onMount(() => {
    for (const part of document.querySelectorAll<HTMLElement>(COVERED)) part.inert = true;
    host()?.focus();
    window.addEventListener('keydown', key);
  });
  onCleanup(() => {
    window.removeEventListener('keydown', key);
    const own = host();
    const others = [...document.querySelectorAll('.overlay')].filter((other) => other !== own);
    if (others.length === 0) for (const part of document.querySelectorAll<HTMLElement>(COVERED)) part.inert = false;
    if (opener instanceof HTMLElement && own?.contains(document.activeElement)) queueMicrotask(() => opener.focus());
  });
}
