// The map of blocks as data: where each block lies, how it looks, and what changed on it.

import { BLOCKS } from '../draw/looks.ts';
import type { Picture } from '../draw/thread/paintProtocol.ts';
import type { BlockPage, Blocks } from '../generated/boundary.ts';

/** Blocks of a row of the grid, and rows of a page. */
export const ACROSS = 64;
export const ROWS = 64;

/** How a block looks. */
export const LOOK = {
  free: 0,
  used: 1,
  shared: 2,
  cached: 3,
  handedOver: 4,
  setAside: 5,
  out: 6,
  /** Held, where the colour says something else. */
  held: 7,
  /** Filled quarters: 1, 2, 3 to 7, 8 or more requests. */
  quarters: 8,
  /** A prefix group: twice its index, and one more while it is only cached; the seventh is none of them. */
  groups: 16,
  /** Sixteen ages. */
  ages: 32,
} as const;

export const NO_GROUP = 6;
const AGES = 16;

export type Colouring = 'owner' | 'group' | 'age' | 'references';

const BY_LETTER: Readonly<Record<string, number>> = {
  [BLOCKS.used.letter]: LOOK.used,
  [BLOCKS.shared.letter]: LOOK.shared,
  [BLOCKS.cached.letter]: LOOK.cached,
  [BLOCKS.held.letter]: LOOK.handedOver,
  [BLOCKS.reserved.letter]: LOOK.setAside,
  [BLOCKS.out.letter]: LOOK.out,
};

/** The look of each block of a page. */
export function looksOf(page: BlockPage, by: Colouring): Uint8Array {
  const looks = new Uint8Array(page.states.length);
  for (let i = 0; i < looks.length; i++) {
    const state = BY_LETTER[page.states[i] ?? '.'] ?? LOOK.free;
    looks[i] = state === LOOK.free || state === LOOK.out ? state : lookOf(page, i, state, by);
  }
  return looks;
}

function lookOf(page: BlockPage, i: number, state: number, by: Colouring): number {
  const cached = state === LOOK.cached;
  if (by === 'owner') return state;
  if (by === 'references') return cached ? state : LOOK.quarters + quartersOf(page.refs[i] ?? 0);
  if (by === 'age') return cached ? LOOK.ages + ageOf(page.idle_ms[i] ?? -1) : LOOK.held;
  const group = page.group[i] ?? -1;
  return LOOK.groups + 2 * (group < 0 ? NO_GROUP : group) + (cached ? 1 : 0);
}

function quartersOf(refs: number): number {
  if (refs >= 8) return 3;
  return refs >= 3 ? 2 : Math.max(0, refs - 1);
}

/** The class of an age: each is twice as long as the one before, from a quarter of a second on. */
export function ageOf(idleMs: number): number {
  return Math.min(AGES - 1, Math.max(0, Math.floor(Math.log2(1 + idleMs / 250))));
}

export type KvLayout = {
  /** Where the grid and the strip begin. */
  readonly left: number;
  readonly stripHeight: number;
  readonly gridTop: number;
  /** From one block to the next. */
  readonly pitch: number;
  readonly width: number;
  readonly height: number;
};

/** Where things lie on a map of this width, with numbers of blocks up to `largest`. */
export function kvLayout(width: number, rows: number, largest: number): KvLayout {
  const left = width < 440 ? 0 : largest < 100_000 ? 46 : 64;
  const pitch = Math.min(8, Math.max(3, Math.floor((width - left - (left === 0 ? 0 : 2)) / ACROSS)));
  const gridTop = 34;
  return { left, stripHeight: 20, gridTop, pitch, width: ACROSS * pitch, height: gridTop + rows * pitch + 2 };
}

/** The rows that a page of blocks takes. */
export const rowsOf = (blocks: number): number => Math.ceil(blocks / ACROSS);

export type Place =
  | { readonly kind: 'block'; readonly index: number }
  | { readonly kind: 'page'; readonly page: number };

/** What lies at a point of the map. */
export function placeAt(l: KvLayout, x: number, y: number, blocks: number, pages: number): Place | undefined {
  const across = x - l.left;
  if (across < 0 || across >= l.width) return undefined;
  if (y >= 0 && y < l.stripHeight)
    return { kind: 'page', page: Math.min(pages - 1, Math.floor((across * pages) / l.width)) };
  const row = Math.floor((y - l.gridTop) / l.pitch);
  const index = row * ACROSS + Math.floor(across / l.pitch);
  return row >= 0 && index < blocks ? { kind: 'block', index } : undefined;
}

/** A change to a block that is marked for a moment. */
export type KvMark = { readonly index: number; readonly kind: 'hit' | 'evicted' | 'preempted' };

/** For how long a change is marked, in milliseconds. */
export const MARKED_MS = 400;
/** Two answers further apart than this are not compared: between them the run was sought, or went too fast to follow. */
const COMPARED_US = 3_000_000;

/** What changed between two answers about one page. */
export function changesOf(before: Blocks | undefined, now: Blocks): KvMark[] {
  const isNext =
    before !== undefined &&
    before.replica === now.replica &&
    before.page === now.page &&
    before.now_us < now.now_us &&
    now.now_us - before.now_us <= COMPARED_US;
  if (!isNext) return [];
  const evictions = now.evictions - before.evictions;
  const lost = preemptedSince(before, now);
  const marks: KvMark[] = [];
  const [was, is] = [before.grid, now.grid];
  for (let index = 0; index < is.states.length; index++) {
    const kind = changeOf(was.states[index] ?? '.', is.states[index] ?? '.', was.order[index] ?? -1, evictions);
    if (kind) marks.push({ index, kind });
    else if (lost.has(was.owner[index] ?? -1) && was.owner[index] !== is.owner[index])
      marks.push({ index, kind: 'preempted' });
  }
  return marks;
}

/** The blocks at the head of the order are those that were evicted; others that left it were hit. */
function changeOf(was: string, is: string, order: number, evictions: number): KvMark['kind'] | undefined {
  if (was === 'u' && is === 's') return 'hit';
  if (was !== 'c' || is === 'c') return undefined;
  return order < evictions ? 'evicted' : 'hit';
}

function preemptedSince(before: Blocks, now: Blocks): ReadonlySet<number> {
  const fresh = now.happened.filter((event) => event.kind === 'preempted' && event.at_us > before.now_us);
  return new Set(fresh.flatMap((event) => (event.request === null ? [] : [event.request])));
}

/** The blocks of a page that belong together with one: those of its run, else those of its request. */
export function togetherWith(page: BlockPage, index: number): number[] {
  const [node, owner] = [page.node[index] ?? -1, page.owner[index] ?? -1];
  if (node < 0 && owner < 0) return [index];
  const isOne = (i: number): boolean => (node >= 0 ? page.node[i] === node : page.owner[i] === owner);
  const all: number[] = [];
  for (let i = 0; i < page.states.length; i++) if (isOne(i)) all.push(i);
  return all;
}

/** The next or previous run of blocks on a page: the first block that belongs elsewhere. */
export function runBeside(page: BlockPage, index: number, by: 1 | -1): number {
  const key = (i: number): string => `${page.node[i]} ${page.owner[i]} ${page.states[i]}`;
  let at = index;
  while (at + by >= 0 && at + by < page.states.length && key(at) === key(index)) at += by;
  return at;
}

export type KvPicture = Picture & {
  readonly of: 'kv';
  readonly layout: KvLayout;
  /** Number of the first block of the page. */
  readonly first: number;
  readonly page: number;
  readonly pages: number;
  readonly strip: readonly (readonly number[])[];
  /** Blocks outlined together. */
  readonly lit: readonly number[];
  readonly pinned: number | undefined;
  readonly pointed: number | undefined;
  readonly marks: readonly KvMark[];
  /** Until when the marks are shown, by the clock. */
  readonly markedUntil: number;
};
