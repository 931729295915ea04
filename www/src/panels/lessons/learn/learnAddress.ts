// The address bar while the list of lessons is open: `#learn`, with an entry of the browser's history, so that the
// browser's way back closes the list.

import { LEARN } from '../../../state/links/linkText.ts';
import { unlessDenied } from '../../../state/links/tabStorage.ts';

/** Writes the address; `leave` closes the list when the reader goes back. Returns what to do once it is closed. */
export function showAddress(leave: () => void): () => void {
  const before = location.hash === LEARN ? '' : location.href;
  if (before !== '') unlessDenied(() => history.pushState(history.state, '', LEARN));
  const went = (): void => {
    if (location.hash !== LEARN) leave();
  };
  window.addEventListener('popstate', went);
  return () => {
    window.removeEventListener('popstate', went);
    if (location.hash !== LEARN) return;
    // The address of the run is written again once it changes.
    const back = before === '' ? location.pathname + location.search : before;
    unlessDenied(() => history.replaceState(history.state, '', back));
  };
}
