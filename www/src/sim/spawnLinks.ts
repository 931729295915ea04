// How the thread of links is made, and no more: a page that is opened by a link starts it first.
import type { AskedWorker } from './asking.ts';
import type { LinkQuestion } from './linkProtocol.ts';
import script from './links.ts?worker&url';
import { early, thread } from './thread.ts';

export type LinkWorker = AskedWorker<LinkQuestion>;

/** The real worker. */
export function spawnLinks(): LinkWorker {
  return early<LinkWorker>(thread(script, 'links'));
}
