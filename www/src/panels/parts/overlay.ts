// Shared code of the comparison and the panel of measured runs. Both overlay the page between the top bar and the
// timeline.
import { onCleanup, onMount } from 'solid-js';
import './overlay.css';

/** The parts that an overlay hides. */
const COVERED = '.page > :is(.left, .mid, .right)';

/**
 * Gives an overlay the focus while it is open, and closes it at Escape. The hidden parts cannot be reached meanwhile.
 * At the end the focus returns to the control that opened it, unless something else has taken it.
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
