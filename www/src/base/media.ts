// Properties of the window as signals.
import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** A phone held upright, or a page at 200 %: the first view in one column. */
export const NARROW_PHONE = '(max-width: 720px) and (min-height: 341px)';
/** Four tabs instead of panels side by side, as in each folder's `narrow.css`. */
export const PHONE = '(max-width: 720px), (max-height: 480px)';

/** Whether the page has four tabs now. */
export function isPhone(): boolean {
  return matchMedia(PHONE).matches;
}

/** Whether a media query holds. */
export function createMedia(query: string): Accessor<boolean> {
  const list = matchMedia(query);
  const [holds, setHolds] = createSignal(list.matches);
  const tell = (): void => {
    setHolds(list.matches);
  };
  list.addEventListener('change', tell);
  onCleanup(() => list.removeEventListener('change', tell));
  return holds;
}
