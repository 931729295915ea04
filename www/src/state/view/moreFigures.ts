// Whether all key figures are shown, or the first four. The choice stays in the browser.
import { createSignal } from 'solid-js';
import { readChoice, writeChoice } from './flags.ts';

const KEY = 'figures';

const [moreFigures, setMore] = createSignal(readChoice(KEY) === 'all');

export { moreFigures };

export function setMoreFigures(shown: boolean): void {
  setMore(shown);
  writeChoice(KEY, shown ? 'all' : 'four');
}
