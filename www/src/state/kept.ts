// What the address does not say: a scenario that no link holds, or none yet, is kept until the tab is closed.
import type { Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import { trust } from '../base/trust.ts';
import type { LinkView } from '../generated/boundary.ts';

/** Where it is kept: in the tab's storage, and in an entry of its history. */
export const KEPT = 'scenario';

/** Does what the browser may forbid. */
export function unlessDenied<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // Storage and history can be forbidden or full: the scenario then lasts until the page is left.
    return undefined;
  }
}

/** Keeps what the address does not say, with the address that it goes with. */
export function keep(text: string | undefined): void {
  unlessDenied(() => {
    if (text === undefined) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, `${location.hash}\n${text}`);
  });
}

/** A scenario that no link holds, or none yet, and how it was looked at. */
export type Kept = {
  readonly scenario: string;
  readonly view: LinkView;
  readonly name: string;
  readonly original: string;
};

/** What an entry of the history or the storage holds. */
export function keptIn(text: unknown): Kept | undefined {
  if (typeof text !== 'string') return undefined;
  return unlessDenied(() => {
    const [scenario, view, name, original] = trust<[Json, LinkView, string, Json]>(JSON.parse(text));
    return { scenario: writeDocument(scenario), view, name, original: writeDocument(original) };
  });
}

/** What was kept that the address does not say. */
export function kept(): Kept | undefined {
  return unlessDenied(() => {
    const text = sessionStorage.getItem(KEPT);
    if (text === null) return undefined;
    const end = text.indexOf('\n');
    return text.slice(0, end) === location.hash ? keptIn(text.slice(end + 1)) : undefined;
  });
}
