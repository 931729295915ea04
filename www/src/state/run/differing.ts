// The fields that differ between two documents, as the simulation says.
import { type Accessor, createComputed, createSignal } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import { type Client, ignoreLost } from '../../sim/client.ts';
import type { Change } from '../edits/edits.ts';

/** Two documents: the first as it is in force at an instant, or without its edits. */
export type Compared = { readonly from: Json; readonly to: Json; readonly fromUs?: number | undefined };

/** The fields that differ between two documents: those of the former two, or undefined, until the answer comes. */
export function createDiffering(
  client: () => Client,
  asked: () => Compared | undefined,
): Accessor<readonly Change[] | undefined> {
  const [found, setFound] = createSignal<readonly Change[]>();
  let latest = 0;
  createComputed(() => {
    const both = asked();
    latest += 1;
    const turn = latest;
    if (!both || both.from === both.to) {
      setFound([]);
      return;
    }
    const { from, to, fromUs } = both;
    // A long seed stays the text that the page has, unless the document is read as a scenario.
    const written = fromUs === undefined ? (document: Json) => JSON.stringify(document) : writeDocument;
    const query = { from: written(from), to: written(to), from_us: fromUs };
    client()
      .ask('differences', query)
      .then((all) => turn === latest && setFound(trust<readonly Change[]>(all)), ignoreLost);
  });
  return found;
}
