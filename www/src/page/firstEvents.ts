// What the first hover, the first focus, a paste or a request of the page wakes: the glossary, and the dialogs of
// configuration of other programs.
import { begin } from '../panels/glossary/begin.tsx';
import type { App } from '../state/app.ts';
import { EXCHANGE, type Exchange } from '../state/files/exchange.ts';
import { isLinkText } from '../state/links/linkText.ts';

/** Where pasted text belongs to what has the focus. */
const TAKES_TEXT = 'input, textarea, select, [contenteditable], [data-writes]';

/** Handles an event of the window; `pasted` is the text that it brings. */
export function handleFirst(app: App, event: Event, pasted: string | undefined): void {
  if (event instanceof CustomEvent && event.type === EXCHANGE) void open(app, event.detail);
  else if (event.type !== 'paste') begin(app, event);
  else if (pasted?.trim() && !(event.target as Element).closest?.(TAKES_TEXT) && !app.dialogs.covered()) {
    if (isLinkText(pasted.trim())) void app.links.open(pasted.trim());
    else void open(app, { kind: 'import', texts: [{ name: 'pasted', text: pasted }] });
  }
}

async function open(app: App, asked: Exchange): Promise<void> {
  const { openExchange } = await import('../panels/exchange/open.tsx');
  openExchange(app, asked);
}
