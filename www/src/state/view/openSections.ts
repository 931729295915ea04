// The sections of the form that are open. The choice stays in the browser.
import { createSignal, untrack } from 'solid-js';
import { readChoice, writeChoice } from './flags.ts';

const KEY = 'sections';
/** Where no choice was made yet. */
const FIRST = ['Workload'];

const [openSections, setSections] = createSignal<readonly string[]>(readChoice(KEY)?.split('|') ?? FIRST);

export const isSectionOpen = (title: string): boolean => openSections().includes(title);

/** Opens a section, or closes it; `kept` keeps this as the choice of the user. */
export function setSectionOpen(title: string, open: boolean, kept: 'kept' | 'for now'): void {
  // An effect that opens a section does not follow its closing.
  const before = untrack(openSections);
  if (before.includes(title) === open) return;
  const next = open ? [...before, title] : before.filter((one) => one !== title);
  setSections(next);
  if (kept === 'kept') writeChoice(KEY, next.join('|'));
}
