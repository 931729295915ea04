// Links: the one in the address bar follows the screen, given ones are opened, and others are made for sharing.

import { createSignal, onCleanup } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type { DescribedModel, ExpressionReading, OpenedLink, SplitAsked } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import type { DeskWorker } from '../../sim/desks.ts';
import type { RunWords } from '../run/runState.ts';
import { createEntries, createFollowing, createWriting } from './address.ts';
import { createMaking } from './linkMaking.ts';
import { createLinkOpening } from './linkOpening.ts';
import type { PageState } from './linkPage.ts';

export type Links = ReturnType<typeof createLinks>;

export function createLinks(spawn: () => DeskWorker, page: PageState) {
  const thread = new Asking('links', spawn);
  const [sharing, setSharing] = createSignal(false);
  const making = createMaking(thread, page);
  const opening = createLinkOpening(thread, page, making.result);
  const writing = createWriting(making, page, opening.embed);
  const following = createFollowing(writing, page, opening.embed);
  onCleanup(() => thread.end());
  return {
    entering: createEntries(writing, following, page, opening.embed, opening.open),
    /** The errors of an expression, and completions for the word at the caret. */
    readExpression: (text: string, caret: number): Promise<ExpressionReading> =>
      thread.ask('read-expression', { text, caret }),
    /** A scorer of a weighted router as an expression; `null` if it has none. */
    asExpression: (weighted: Json, index: number): Promise<string | null> =>
      thread.ask('as-expression', { weighted: JSON.stringify(weighted), index }),
    /** The edit, JSON text, that a change of roles needs in a document. */
    split: (document: Json, asked: SplitAsked): Promise<string> =>
      thread.ask('split', { scenario: writeDocument(document), asked }),
    /** The shape of the model that a Hugging Face config.json describes. */
    architecture: (text: string): Promise<DescribedModel> => thread.ask('architecture', text),
    make: making.make,
    linked: making.linked,
    result: making.result,
    /** A report under the words of the page, from one that was made under others; `null` if that is not possible. */
    renamed: (report: string, { title, note }: RunWords) =>
      thread.ask('renamed', { report, scenario: writeDocument(page.document()), title, note }),
    /** The contents of a link, without opening it. */
    read: (text: string): Promise<OpenedLink> => thread.ask('open', text),
    ...opening,
    sharing,
    setSharing,
    follow: following.follow,
  };
}
