// What a long list of choices shows: the matching options, their groups, the next one by key, and its place.

export type Offered = {
  readonly tag: string;
  readonly label: string;
  readonly group: string;
  readonly description: string;
};

/** The most options of a list without a search field and without headings. */
export const SHORT = 8;

/** The options with every word of `query` in their label, group or description; those by label first. */
export function matching(options: readonly Offered[], query: string): readonly Offered[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  if (words.length === 0) return options;
  const named = options.filter((o) => has(o.label));
  return [...named, ...options.filter((o) => !has(o.label) && has(`${o.label} ${o.group} ${o.description}`))];
}

/** The options by group, in the order in which the groups first occur. */
export function grouped(options: readonly Offered[]): readonly (readonly [string, readonly Offered[]])[] {
  const groups = [...new Set(options.map((o) => o.group))];
  return groups.map((group) => [group, options.filter((o) => o.group === group)]);
}

/** The option that a key leads to from `tag`, in the order on screen; undefined for other keys. */
export function stepIn(options: readonly Offered[], tag: string, key: string): string | undefined {
  const order = grouped(options).flatMap(([, of]) => of.map((o) => o.tag));
  const at = order.indexOf(tag);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 5, PageUp: at - 5, Home: 0, End: order.length - 1 }[
    key
  ];
  if (to === undefined || order.length === 0) return undefined;
  return order[Math.max(0, Math.min(order.length - 1, to))];
}

/** The next option after `tag` whose name begins with a typed letter; undefined without one. */
export function byLetter(options: readonly Offered[], tag: string, letter: string): string | undefined {
  if ([...letter].length !== 1) return undefined;
  const after = options.findIndex((o) => o.tag === tag) + 1;
  const order = [...options.slice(after), ...options.slice(0, after)];
  return order.find((o) => o.label.toLowerCase().startsWith(letter.toLowerCase()))?.tag;
}

const GAP = 4;
const EDGE = 8;
const WIDTH = 300;
/** It is no taller than this, and no shorter where the window allows it. */
const TALL = 520;

type Rect = { readonly left: number; readonly top: number; readonly bottom: number };

/** The place of a list as tall as `tall`: under what opened it, moved up where there is too little room below. */
export function roomFor(
  at: Rect,
  { width, height, tall = TALL }: { readonly width: number; readonly height: number; readonly tall?: number },
): { left: number; top: number; maxHeight: number } {
  const maxHeight = Math.min(tall, TALL, height - 2 * EDGE);
  const left = Math.max(EDGE, Math.min(at.left, width - WIDTH - EDGE));
  const top = Math.max(EDGE, Math.min(at.bottom + GAP, height - EDGE - maxHeight));
  return { left, top, maxHeight };
}
