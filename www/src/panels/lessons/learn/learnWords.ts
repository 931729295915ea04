// What the list of lessons says, as text: the reader's path, how a lesson is answered, what the engine checked.
import { NBSP } from '../../../base/units.ts';
import type { LessonCard } from '../../../generated/boundary.ts';

/** Which steps of a lesson are done, and which is on screen when it is opened again. */
export type Walked = { readonly done: readonly number[]; readonly step: number };

export type CardState = 'ahead' | 'begun' | 'done';

export function stateOf(card: LessonCard, walked: Walked | undefined): CardState {
  const done = new Set(walked?.done ?? []).size;
  if (card.steps.length > 0 && done >= card.steps.length) return 'done';
  return done > 0 || (walked?.step ?? 0) > 0 ? 'begun' : 'ahead';
}

export type Chapter = { readonly title: string; readonly about: string; readonly cards: readonly LessonCard[] };

const ABOUT: Readonly<Record<string, string>> = {
  'One replica': 'where the time goes',
  'Memory and routing': 'what is where',
  'Sharing and scale': 'who waits for whom',
  'KV beyond the GPU': 'where what was read is kept',
};

/** The lessons by chapter, in their order. */
export function chaptersOf(cards: readonly LessonCard[]): readonly Chapter[] {
  const titles = [...new Set(cards.map((card) => card.chapter))];
  return titles.map((title) => ({
    title: title || 'More lessons',
    about: ABOUT[title] ?? '',
    cards: cards.filter((card) => card.chapter === title),
  }));
}

export function minutesOf(cards: readonly LessonCard[]): number {
  return cards.reduce((sum, card) => sum + card.minutes, 0);
}

export type Path = {
  readonly done: number;
  readonly of: number;
  readonly minutes: number;
  readonly minutesLeft: number;
  /** The lesson to go on with, its step from 0; nothing once all are done. */
  readonly next: { readonly card: LessonCard; readonly step: number } | undefined;
};

/** The reader's path: the lesson to go on with is the first that is begun, else the first that is ahead. */
export function pathOf(cards: readonly LessonCard[], walkedOf: (name: string) => Walked | undefined): Path {
  const states = cards.map((card) => ({ card, walked: walkedOf(card.name) }));
  const left = states.reduce((sum, { card, walked }) => {
    const share = 1 - new Set(walked?.done ?? []).size / Math.max(1, card.steps.length);
    return sum + card.minutes * Math.max(0, share);
  }, 0);
  const at = (state: CardState) => states.find(({ card, walked }) => stateOf(card, walked) === state);
  const next = at('begun') ?? at('ahead');
  return {
    done: states.filter(({ card, walked }) => stateOf(card, walked) === 'done').length,
    of: cards.length,
    minutes: minutesOf(cards),
    minutesLeft: Math.ceil(left),
    next: next && { card: next.card, step: Math.min(next.walked?.step ?? 0, next.card.steps.length - 1) },
  };
}

/** The title up to its colon, with a small first letter: "the knee". */
export function shortTitle(title: string): string {
  const words = title.split(':')[0]?.trim() ?? '';
  // Names such as KV keep their capitals.
  return /^[A-Z][a-z]/.test(words) ? words.slice(0, 1).toLowerCase() + words.slice(1) : words;
}

/** What the button of the path says. */
export function continueSaid({ next, done }: Path, begun: boolean): string {
  if (!next) return '';
  const { card, step } = next;
  if (begun) return `Continue: ${shortTitle(card.title)}, step ${step + 1} of ${card.steps.length}`;
  return done === 0 ? `Start with ${card.number || 1}` : `Go on with ${card.number}: ${shortTitle(card.title)}`;
}

const ASKED: Readonly<Record<string, string>> = {
  choose: 'choose one',
  draw: 'draw a curve',
  order: 'put in order',
  number: 'set a number',
};

/** How a lesson is answered: the way that most tells it apart, for the foot of its card. */
export function answeredBy(card: LessonCard): { readonly kind: string; readonly said: string } {
  const kind = ['draw', 'order', 'number', 'choose'].find((one) => card.asks.includes(one)) ?? '';
  return { kind, said: ASKED[kind] ?? 'read and try' };
}

/** What the runs say of all claims. */
export function checkedSaid(cards: readonly LessonCard[]): string {
  const claims = cards.flatMap((card) => card.claims);
  const [all, some, wrong] = [
    claims.filter(({ holds, held, of }) => holds && held === of),
    claims.filter(({ holds, held, of }) => holds && held < of),
    claims.filter(({ holds }) => !holds),
  ];
  if (claims.length === 0) return 'No claim was checked.';
  const hold = (n: number): string => (n === 1 ? 'claim holds' : 'claims hold');
  const parts = [`${all.length} ${hold(all.length)} on every seed.`];
  if (some.length > 0) {
    const least = some.reduce((low, claim) => (claim.held / claim.of < low.held / low.of ? claim : low));
    const those = some.length === 1 ? 'holds' : 'hold';
    parts.push(`${some.length} ${those} on at least ${least.held} of ${least.of}, and their cards say so.`);
  }
  if (wrong.length > 0) parts.push(`${wrong.length} ${wrong.length === 1 ? 'does' : 'do'} not hold.`);
  return parts.join(' ');
}

export function seedsSaid(cards: readonly LessonCard[]): string {
  const seeds = new Set(cards.map((card) => card.seeds));
  const [one] = seeds;
  return seeds.size === 1 && one !== undefined ? `${one} seeds each` : '';
}

export const minutesSaid = (n: number): string => `${n}${NBSP}min`;

/** Where a factor lies on a logarithmic scale from 0.1 to 10, as a share of its length. */
export function placeOfFactor(factor: number): number {
  return Math.min(1, Math.max(0, (Math.log10(factor) + 1) / 2));
}

/** Whether all words are in the texts of a card. */
export function isFound(card: LessonCard, words: string): boolean {
  const text = [card.name, card.title, card.about, card.chapter, ...card.steps.map((step) => step.title)];
  const all = text.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
