// The mark and the name of the page.
import type { JSX } from 'solid-js';

export function Logo(): JSX.Element {
  return (
    <span class="logo">
      <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
        <path class="logo-lines" d="M2 10h4c4 0 4-6 8-6h4M6 10h12M6 10c4 0 4 6 8 6h4" />
        <circle class="logo-dot" cx="4" cy="10" r="2.4" />
      </svg>
      <span class="wide">Tokenyard</span>
    </span>
  );
}
