// The menu of the stage, what can break in a replica among it: where it is open. A separate file, so that the stage opens it and its code,
// which is loaded later, closes it.
import { createSignal } from 'solid-js';
import type { App } from '../app.ts';

/** What the menu is asked for: a replica and a request, if any, and a point of the stage if it was asked for there. */
export type BreakAsked = {
  readonly replica: number | undefined;
  readonly request?: number | undefined;
  readonly at?: { readonly x: number; readonly y: number };
};

export const [breakAsked, setBreakAsked] = createSignal<BreakAsked>();

/** Opens the menu of the selected replica, or of the one that has the selected request. */
export function breakSelected(app: Pick<App, 'selection' | 'dialogs'>): void {
  const replica = app.selection.selected().replica ?? app.selection.detail()?.replica;
  if (replica === undefined) app.dialogs.tell('Select a replica first.');
  else setBreakAsked({ replica });
}
