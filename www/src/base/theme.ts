// Light or dark, and the tokens' values for canvases, which cannot read CSS by themselves.
import { createSignal } from 'solid-js';

export type Theme = 'dark' | 'light';

const read = (): Theme => (document.documentElement.dataset.theme === 'light' ? 'light' : 'dark');
const [theme, setSignal] = createSignal<Theme>(read());

/** The theme in force. Reading it in an effect redraws when it changes. */
export { theme };

/** Switches the theme and remembers it. */
export function setTheme(next: Theme): void {
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem('theme', next);
  } catch {
    // Storage can be forbidden; the choice then lasts until the page closes.
  }
  setSignal(next);
}

/** The value of a token such as `--ink`. Tracks the theme. */
export function token(name: `--${string}`): string {
  theme();
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
