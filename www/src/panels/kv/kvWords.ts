// The words of the view of blocks: sums, states, events, ages.

import { count, DASH, durationMs, durationUs, sig3, text } from '../../base/units.ts';
import type { BlockEvent, Blocks, GroupBelief, PrefixNode } from '../../generated/boundary.ts';
import { BLOCK_COLOURS, type BlockColour } from '../../state/view/closeup.ts';

const COLOUR_NAMES: Readonly<Record<BlockColour, string>> = {
  owner: 'Owner',
  group: 'Prefix group',
  age: 'Age',
  references: 'References',
};
export const COLOURS = BLOCK_COLOURS.map((colour) => [colour, COLOUR_NAMES[colour]] as const);

/** The kinds of events by which the list is filtered. */
export const EVENT_KINDS = ['hit', 'evicted', 'preempted', 'cpu'] as const;
export type EventFilter = 'all' | (typeof EVENT_KINDS)[number];

const FILTER_NAMES: Readonly<Record<EventFilter, string>> = {
  all: 'All',
  hit: 'Hits',
  evicted: 'Evicted',
  preempted: 'Preempted',
  cpu: 'CPU tier',
};
export const filterName = (filter: EventFilter): string => FILTER_NAMES[filter];

export const isOf = (event: BlockEvent, filter: EventFilter): boolean =>
  filter === 'all' || event.kind === filter || (filter === 'cpu' && event.kind.endsWith('-cpu'));

const EVENT_WORDS: Readonly<Record<string, (blocks: string) => string>> = {
  hit: (blocks) => `${blocks} found in the cache`,
  evicted: (blocks) => `${blocks} evicted`,
  preempted: () => 'preempted',
  'to-cpu': (blocks) => `${blocks} written to the CPU tier`,
  'from-cpu': (blocks) => `${blocks} loaded from the CPU tier`,
};

/** What happened, without the request. */
export function eventWords(event: BlockEvent): string {
  const blocks = event.blocks === null ? DASH : blocksOf(event.blocks);
  return EVENT_WORDS[event.kind]?.(blocks) ?? event.kind;
}

export const blocksOf = (n: number): string => `${count(n)} ${n === 1 ? 'block' : 'blocks'}`;

export type Term = { readonly name: string; readonly blocks: number };

/** The terms of the sum that must hold. */
export const terms = (b: Pick<Blocks, 'own' | 'shared' | 'cached' | 'free'>): readonly Term[] => [
  { name: 'used', blocks: b.own + b.shared },
  { name: 'cached', blocks: b.cached },
  { name: 'free', blocks: b.free },
];

/** The sentence of the sum, for those who do not see the tick. */
export function sumSaid(b: Blocks): string {
  const sum = terms(b)
    .map((term) => `${term.name} ${count(term.blocks)}`)
    .join(' + ');
  return `${sum} = ${count(b.total)} blocks: ${b.conserved ? 'the sum holds' : 'the sum does not hold'}`;
}

const STATES: Readonly<Record<string, string>> = {
  u: 'held by one request',
  s: 'shared',
  c: 'cached',
  '.': 'free',
  h: 'held for a hand-over',
  r: 'set aside for KV on its way',
  x: 'out of service',
};

export const stateName = (letter: string): string => STATES[letter] ?? STATES['.'] ?? '';

/** A block of the page in one sentence: what a screen reader hears as the keys move. */
export function blockSaid(b: Blocks, index: number): string {
  const { grid } = b;
  const letter = grid.states[index] ?? '.';
  const refs = grid.refs[index] ?? 0;
  const node = b.tree[grid.node[index] ?? -1];
  const parts = [`Block ${count(grid.first + index)}`, letter === 's' ? `shared by ${count(refs)}` : stateName(letter)];
  if (node) parts.push(runName(node));
  const order = grid.order[index] ?? -1;
  const idle = grid.idle_ms[index] ?? -1;
  if (order >= 0) parts.push(`${count(order)} cached blocks go before it`);
  if (letter === 'c' && idle >= 0) parts.push(`not held for ${text(durationMs(idle))}`);
  return parts.join(', ');
}

/** The name of a run: its letter and its text, or the request. */
export const runName = (node: PrefixNode): string => (node.mark === '' ? node.label : `${node.mark} ${node.label}`);

/** Whether the router's picture of a run differs from the truth. */
export const differs = (node: Pick<PrefixNode, 'believed' | 'cached'>): boolean =>
  node.believed !== null && node.believed !== node.cached;

/** What the router believes of a group beside what is true. */
export function beliefSaid(group: GroupBelief): string {
  const of = (n: number): string => `${count(n)} of ${count(group.blocks)}`;
  return group.believed === null
    ? `${of(group.cached)} cached`
    : `believed ${of(group.believed)}, cached ${of(group.cached)}`;
}

/** From where the router knows what is cached. */
export function pictureSaid(picture: string): string {
  if (picture === 'asked') return 'The router asks the replica: it believes what is true';
  if (picture === 'remembered') return 'The router remembers the prompts that it sent here';
  return 'The router does not look at caches';
}

/** The ages of the legend: from the youngest class to the oldest. */
export const AGE_ENDS: readonly [string, string] = ['under 0.25 s', 'over 2 h'];

export const idleSaid = (idleUs: number | null): string => (idleUs === null ? DASH : text(durationUs(idleUs)));

const GIB = 2 ** 30;
const MIB = 2 ** 20;

/** Bytes in binary units, as memory is sold and set. */
export const memorySaid = (bytes: number): string =>
  bytes >= GIB ? `${sig3(bytes / GIB)}\u00a0GiB` : `${sig3(bytes / MIB)}\u00a0MiB`;
