// How the thread of links is made. The file is kept small, because a page opened by a link loads it first.
import type { AskedWorker } from './asking.ts';
import type { LinkQuestion } from './linkProtocol.ts';
import script from './links.ts?worker&url';
import { early, thread } from './thread.ts';

export type LinkWorker = AskedWorker<LinkQuestion>;

/** The real worker. */
export function spawnLinks(): LinkWorker {
  return early<LinkWorker>(thread(script, 'links'));
}
