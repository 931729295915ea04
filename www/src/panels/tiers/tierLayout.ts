// Where the tiers stand: a row a replica with its layers, the stores beside them, and ribbons of what moves between.
import type { StorePart, TierFlow, TierLayer, Tiers } from '../../generated/boundary.ts';

export type Rect = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

export type LayerBar = Rect & {
  readonly layer: TierLayer;
  /** Widths of what requests hold and of what is kept. */
  readonly held: number;
  readonly kept: number;
  /** Width of the outline of the request's blocks; 0 if none is here. */
  readonly chosen: number;
};

export type TierRow = Rect & { readonly replica: number; readonly inHand: number; readonly bars: readonly LayerBar[] };

export type StoreBox = Rect & {
  readonly store: StorePart;
  /** The middle of its ports to readers and from writers. */
  readonly out: number;
  readonly in: number;
};

export type TierRibbon = {
  readonly key: string;
  readonly path: string;
  readonly width: number;
  readonly isWrite: boolean;
  readonly isChosen: boolean;
  /** Where its words stand, and its rate. */
  readonly at: { readonly x: number; readonly y: number };
  readonly gbPerS: number;
  readonly source: number | undefined;
};

export type TierPlan = {
  readonly height: number;
  readonly labels: number;
  readonly rows: readonly TierRow[];
  readonly stores: readonly StoreBox[];
  readonly ribbons: readonly TierRibbon[];
};

const TOP = 26;
const GAP = 8;
/** The heights of layers in order; further ones are as low as the last. */
const HIGH = [14, 10, 6];
const PITCH = 21;
const PAD = 14;
/** The height of a row with one layer: its name and what is below it. */
const LOWEST = 54;
/** Below this width names are short and stores narrow. */
const NARROW = 620;
/** Pixels of a ribbon for each GB/s. */
const PER_GB = 1.2;
const WIDEST = 24;

const highOf = (layer: number): number => HIGH[Math.min(layer, HIGH.length - 1)] ?? 6;

/** The part of a layer that is full, 0 to 1; of one without an end nothing. */
export const filled = ({ total, held, kept }: TierLayer): number | undefined =>
  total ? Math.min(1, (held + kept) / total) : undefined;

export function planTiers(tiers: Tiers, width: number, request: number | undefined): TierPlan {
  const narrow = width < NARROW;
  const hasStores = tiers.stores.length > 0;
  const pulls = tiers.flows.some((flow) => flow.source !== null);
  const storeW = hasStores ? (narrow ? 76 : 190) : 0;
  const gutter = hasStores ? (narrow ? 64 : 190) : pulls ? 90 : 0;
  const w = Math.max(180, width - storeW - gutter);
  const labels = narrow ? 116 : 150;
  const rows = rowsOf(tiers, w, labels);
  const bottom = rows.at(-1);
  const height = bottom ? bottom.y + bottom.h : TOP + 60;
  const stores = storesOf(tiers.stores, { x: w + gutter, y: TOP, w: storeW, h: height - TOP });
  return { height: height + 2, labels, rows, stores, ribbons: ribbonsOf(tiers, rows, stores, request) };
}

function rowsOf(tiers: Tiers, w: number, labels: number): readonly TierRow[] {
  let y = TOP;
  return tiers.replicas.map(({ replica, in_hand, layers }) => {
    const tall = (layers.length - 1) * PITCH + 14;
    const h = Math.max(LOWEST, PAD * 2 + tall);
    const first = y + (h - tall) / 2;
    const x = labels;
    const room = Math.max(20, w - labels - 54);
    const bars = layers.map((layer, i): LayerBar => {
      const full = layer.total ?? Math.max(1, layer.held + layer.kept);
      const part = (blocks: number): number => Math.min(room, (blocks / Math.max(1, full)) * room);
      const high = highOf(i);
      return {
        layer,
        x,
        y: first + i * PITCH + (14 - high) / 2,
        w: room,
        h: high,
        held: part(layer.held),
        kept: layer.total ? part(layer.kept) : 0,
        chosen: layer.chosen > 0 ? Math.max(6, part(layer.chosen)) : 0,
      };
    });
    const row = { x: 0, y, w, h, replica, inHand: in_hand, bars };
    y += h + GAP;
    return row;
  });
}

function storesOf(stores: readonly StorePart[], { x, y, w, h }: Rect): readonly StoreBox[] {
  const high = Math.max(120, (h - GAP * (stores.length - 1)) / Math.max(1, stores.length));
  return stores.map((store, i) => {
    const top = y + i * (high + GAP);
    return { store, x, y: top, w, h: high, out: top + high * 0.36, in: top + high * 0.74 };
  });
}

type Sum = { readonly flow: TierFlow; gbPerS: number; isChosen: boolean };

/** What moves, put together by its ends. */
function summed(flows: readonly TierFlow[], request: number | undefined): ReadonlyMap<string, Sum> {
  const all = new Map<string, Sum>();
  for (const flow of flows) {
    if (flow.tier === 'fs') continue;
    const isWrite = flow.kind === 'write';
    const key = `${isWrite ? 'w' : 'r'} ${flow.tier} ${flow.replica} ${flow.source ?? ''}`;
    const sum = all.get(key) ?? { flow, gbPerS: 0, isChosen: false };
    sum.gbPerS += flow.gb_per_s;
    sum.isChosen ||= request !== undefined && flow.request === request;
    all.set(key, sum);
  }
  return all;
}

function ribbonsOf(
  tiers: Tiers,
  rows: readonly TierRow[],
  stores: readonly StoreBox[],
  request: number | undefined,
): readonly TierRibbon[] {
  const rowOf = (replica: number): TierRow | undefined => rows.find((row) => row.replica === replica);
  const ribbons: TierRibbon[] = [];
  for (const [key, { flow, gbPerS, isChosen }] of summed(tiers.flows, request)) {
    const row = rowOf(flow.replica);
    if (!row || gbPerS <= 0) continue;
    const isWrite = flow.kind === 'write';
    const [x, y] = [row.w, row.y + row.h / 2];
    const store = stores.find((box) => box.store.name === flow.tier);
    const from = flow.source === null ? undefined : rowOf(flow.source);
    const line = store
      ? toStore(x, y, store, isWrite)
      : from && { path: pull(x, y, from), at: { x: x + 40, y: (y + from.y + from.h / 2) / 2 } };
    if (!line) continue;
    const source = flow.source ?? undefined;
    const width = Math.min(WIDEST, Math.max(1.5, gbPerS * PER_GB));
    ribbons.push({ key, ...line, width, isWrite, isChosen, gbPerS, source });
  }
  return ribbons;
}

function toStore(x: number, y: number, store: StoreBox, isWrite: boolean) {
  const end = isWrite ? store.in : store.out;
  const middle = (x + store.x) / 2;
  return {
    path: `M${x} ${y}C${middle} ${y} ${middle} ${end} ${store.x} ${end}`,
    at: { x: middle, y: (y + end) / 2 },
  };
}

/** A pull from another replica, in the gutter. */
function pull(x: number, y: number, from: TierRow): string {
  const start = from.y + from.h / 2;
  return `M${x} ${start}C${x + 54} ${start} ${x + 54} ${y} ${x} ${y}`;
}
