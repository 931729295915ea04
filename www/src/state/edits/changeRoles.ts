// Changes of the replicas of each role. Rust makes the edit; loaded with the first change.
import { readDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import type { SplitAsked } from '../../generated/boundary.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type { App } from '../app.ts';
import type { Edit } from './edits.ts';

type Page = {
  readonly document: Pick<App['document'], 'inForce' | 'applyEdit'>;
  readonly links: Pick<App['links'], 'split'>;
  readonly dialogs: Pick<App['dialogs'], 'setNotice'>;
};

/** The change under way: keys come faster than edits, and each change starts from the document of the one before. */
let last: Promise<unknown> = Promise.resolve();

/** Changes the replicas of each role by one edit. Returns whether it was made; a notice says why it is refused. */
export function changeRoles(app: Page, asked: SplitAsked): Promise<boolean> {
  const next = last.then(() => change(app, asked));
  last = next.catch(() => undefined);
  return next;
}

async function change({ document, links, dialogs }: Page, asked: SplitAsked): Promise<boolean> {
  try {
    const edit = trust<Edit>(readDocument(await links.split(document.inForce(), asked)));
    return await document.applyEdit(edit, 'cluster.pools');
  } catch (error) {
    if (error instanceof LostError) return false;
    if (!(error instanceof RefusedError)) throw error;
    dialogs.setNotice({ kind: 'info', text: 'The replicas stay as they are.', diagnostics: error.diagnostics });
    return false;
  }
}
