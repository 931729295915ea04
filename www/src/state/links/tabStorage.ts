// Storage of scenarios that have no link, or none yet: they are kept until the tab is closed.
import type { Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import type { LinkView } from '../../generated/boundary.ts';

/** The stores: the tab's storage, and an entry of its history. */
export const KEPT = 'scenario';

/** Runs an action that the browser may forbid. */
export function unlessDenied<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // Storage and history can be forbidden or full: the scenario then lasts until the page is left.
    return undefined;
  }
}

/** Keeps a scenario that the address does not describe, with that address. */
export function keep(text: string | undefined): void {
  unlessDenied(() => {
    if (text === undefined) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, `${location.hash}\n${text}`);
  });
}

/** A scenario without a link, or without one yet, and its view. */
export type Kept = {
  readonly scenario: string;
  readonly view: LinkView;
  readonly name: string;
  readonly original: string;
};

/** The kept content of a history entry or of the storage. */
export function keptIn(text: unknown): Kept | undefined {
  if (typeof text !== 'string') return undefined;
  return unlessDenied(() => {
    const [scenario, view, name, original] = trust<[Json, LinkView, string, Json]>(JSON.parse(text));
    return { scenario: writeDocument(scenario), view, name, original: writeDocument(original) };
  });
}

/** The kept scenario that the address does not describe. */
export function kept(): Kept | undefined {
  return unlessDenied(() => {
    const text = sessionStorage.getItem(KEPT);
    if (text === null) return undefined;
    const end = text.indexOf('\n');
    return text.slice(0, end) === location.hash ? keptIn(text.slice(end + 1)) : undefined;
  });
}
