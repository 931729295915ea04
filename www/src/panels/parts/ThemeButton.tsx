// The button that changes between the light and the dark theme.
import type { JSX } from 'solid-js';
import { setTheme, theme } from '../../base/theme.ts';

export function ThemeButton(): JSX.Element {
  return (
    <button
      type="button"
      class="btn sq"
      aria-label={theme() === 'dark' ? 'Light theme' : 'Dark theme'}
      onClick={() => setTheme(theme() === 'dark' ? 'light' : 'dark')}
    >
      <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <circle cx="7" cy="7" r="5.5" />
        <path class="solid" d="M7 1.500a5.500 5.500 0 0 1 0 11z" />
      </svg>
    </button>
  );
}
