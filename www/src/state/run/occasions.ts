// Targets of "run to": one of the core's occasions, with a number or a kind.

import { trust } from '../../base/trust.ts';
import { ANOMALY_KINDS, EVENT_KINDS, OCCASIONS, type Occasion, type OccasionChoice } from '../../generated/boundary.ts';

/** A chosen occasion, with the text of its number or kind. */
export type Wanted = { readonly choice: OccasionChoice; readonly value: string; readonly occasion: Occasion };

/** A choice with its number or kind; undefined if that is invalid. */
export function chosen(choice: OccasionChoice, value: string): Wanted | undefined {
  const completed = completion(choice, value.trim());
  if (completed === undefined) return undefined;
  // The choices have the names of the occasions, as a test in the core checks.
  const occasion = trust<Occasion>(choice.takes === 'nothing' ? choice.name : { [choice.name]: completed });
  return { choice, value: value.trim(), occasion };
}

function completion(choice: OccasionChoice, value: string): string | number | undefined {
  const number = Number(value);
  switch (choice.takes) {
    case 'nothing':
      return '';
    case 'count':
    case 'request':
      return /^\d{1,9}$/.test(value) ? number : undefined;
    case 'percent':
      return value !== '' && number >= 0 && number <= 100 ? number : undefined;
    case 'event-kind':
      return EVENT_KINDS.find((kind) => kind === value);
    case 'anomaly-kind':
      return ANOMALY_KINDS.find((kind) => kind === value);
  }
}

/** The default occasion: the first of the list. */
export function firstWanted(): Wanted {
  const [first] = OCCASIONS;
  if (!first) throw new Error('the core names no occasion');
  return { choice: first, value: '', occasion: trust<Occasion>(first.name) };
}

/** An occasion without a number or kind, by its name. */
export function wantedNamed(name: string): Wanted | undefined {
  const choice = OCCASIONS.find((one) => one.name === name);
  return choice && chosen(choice, '');
}

/** Occasions that come only where pools have roles. */
const OF_ROLES: readonly string[] = ['transfer', 'landing'];

/** The choices of a run, with roles or without. */
export const choicesOf = (roles: boolean): readonly OccasionChoice[] =>
  roles ? OCCASIONS : OCCASIONS.filter((one) => !OF_ROLES.includes(one.name));

/** `next queue above 10`. */
export function sayWanted({ choice, value }: Wanted): string {
  const unit = choice.takes === 'percent' ? ' %' : '';
  const number = choice.takes === 'request' ? `#${value}` : `${value}${unit}`;
  if (choice.takes === 'nothing') return choice.label;
  return choice.takes.endsWith('kind') ? value.replaceAll('-', ' ') : `${choice.label} ${number}`;
}
