// Where KV flows between the cards: ribbons whose width is what flows, and a wedge on each for a transfer. No drawing.
import type { PairFrame, ReplicaFrame, SplitFrame, TransferFrame } from '../generated/boundary.ts';
import { bezier } from './dots.ts';
import type { Card, SplitLayout } from './splitLayout.ts';

/** One ribbon: its first edge at both ends, across the cards, and its width. */
export type Ribbon = {
  readonly pair: PairFrame;
  readonly width: number;
  readonly start: number;
  readonly end: number;
  /** 0 to 2 are steps of lightness, 3 is amber. */
  readonly step: 0 | 1 | 2 | 3;
};

export type Wedge = { readonly transfer: TransferFrame; readonly x: number; readonly y: number };

/** A port: its bar across the card's edge, and the part that is used. */
export type PortBar = {
  readonly replica: number;
  readonly card: Card;
  readonly length: number;
  readonly filled: number;
  readonly used: number;
};

export type Ribbons = {
  readonly ribbons: readonly Ribbon[];
  readonly wedges: readonly Wedge[];
  readonly ports: readonly PortBar[];
  /** The two ends along the way of the KV. */
  readonly from: number;
  readonly to: number;
};

/** The three steps of lightness, and amber, by how full the fuller port is. */
export function stepOf(fullness: number): Ribbon['step'] {
  if (fullness >= 0.9) return 3;
  if (fullness >= 0.75) return 2;
  return fullness >= 0.5 ? 1 : 0;
}

/** Distance of the ends of ribbons from the ports' middle line. */
const REACH = 5;
const THINNEST = 0.75;

export function ribbonsOf(split: SplitFrame, replicas: readonly ReplicaFrame[], layout: SplitLayout): Ribbons {
  const cards = new Map<number, Card>();
  replicas.forEach((r, i) => {
    const card = layout.cards[i];
    if (card) cards.set(r.id, card);
  });
  const ends = { prefill: 0, decode: 0 };
  for (const card of layout.cards) ends[card.side] = card.port.along;
  const scale = scaleOf(replicas, layout);
  const sums = new Map<string, number>();
  const widthOf = (pair: PairFrame): number =>
    pair.bytes_per_s > 0 || pair.flows > 0 ? Math.max(THINNEST, pair.bytes_per_s * scale) : 0;
  const shown = split.pairs.filter((pair) => cards.has(pair.from) && cards.has(pair.to) && widthOf(pair) > 0);
  for (const pair of shown)
    for (const key of [`o${pair.from}`, `i${pair.to}`]) sums.set(key, (sums.get(key) ?? 0) + widthOf(pair));
  const next = new Map<string, number>();
  const place = (key: string, replica: number, width: number): number => {
    const middle = cards.get(replica)?.port.across ?? 0;
    const at = next.get(key) ?? middle - (sums.get(key) ?? 0) / 2;
    next.set(key, at + width);
    return at;
  };
  const ribbons = shown.map((pair): Ribbon => {
    const width = widthOf(pair);
    const start = place(`o${pair.from}`, pair.from, width);
    const end = place(`i${pair.to}`, pair.to, width);
    return { pair, width, start, end, step: stepOf(pair.fullness) };
  });
  const from = ends.prefill + REACH;
  const to = ends.decode - REACH;
  const wedges = split.transfers.flatMap((transfer): Wedge[] => {
    const ribbon = ribbons.find(({ pair }) => pair.from === transfer.from && pair.to === transfer.to);
    return ribbon ? [wedgeOn(ribbon, transfer, { from, to }, layout.vertical)] : [];
  });
  return { ribbons, wedges, ports: portBars(replicas, layout, scale), from, to };
}

/** Pixels for a byte per second: the largest port has the full length. */
function scaleOf(replicas: readonly ReplicaFrame[], layout: SplitLayout): number {
  let most = 0;
  for (const r of replicas) most = Math.max(most, r.split?.out.capacity ?? 0, r.split?.into.capacity ?? 0);
  return most > 0 ? layout.portLength / most : 0;
}

function portBars(replicas: readonly ReplicaFrame[], layout: SplitLayout, scale: number): PortBar[] {
  return replicas.flatMap((r, i): PortBar[] => {
    const card = layout.cards[i];
    const port = card?.side === 'prefill' ? r.split?.out : r.split?.into;
    if (!card || !port || r.split?.role === 'mixed') return [];
    const length = Math.max(4, port.capacity * scale);
    const filled = Math.min(length, port.capacity * scale * port.used);
    return [{ replica: r.id, card, length, filled, used: port.used }];
  });
}

function wedgeOn(
  ribbon: Ribbon,
  transfer: TransferFrame,
  { from, to }: Pick<Ribbons, 'from' | 'to'>,
  vertical: boolean,
): Wedge {
  const t = Math.min(1, Math.max(0, transfer.share));
  const middle = (from + to) / 2;
  const along = bezier(t, from, middle, middle, to);
  const [a, b] = [ribbon.start + ribbon.width / 2, ribbon.end + ribbon.width / 2];
  const across = bezier(t, a, a, b, b);
  return vertical ? { transfer, x: across, y: along } : { transfer, x: along, y: across };
}

/** The wedge at a point: of several the nearest. */
export function wedgeAt({ wedges }: Ribbons, x: number, y: number, reach: number): TransferFrame | undefined {
  let best: TransferFrame | undefined;
  let least = reach * reach;
  for (const wedge of wedges) {
    const far = (wedge.x - x) ** 2 + (wedge.y - y) ** 2;
    if (far > least) continue;
    least = far;
    best = wedge.transfer;
  }
  return best;
}

/** The ribbon at a point: of several that cross there, the one whose middle is nearest. */
export function ribbonAt(all: Ribbons, vertical: boolean, x: number, y: number): Ribbon | undefined {
  const [along, across] = vertical ? [y, x] : [x, y];
  if (along < all.from || along > all.to) return undefined;
  const t = parameterAt(along, all.from, all.to);
  let found: Ribbon | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const ribbon of all.ribbons) {
    const { start, end, width } = ribbon;
    const far = Math.abs(bezier(t, start, start, end, end) + width / 2 - across);
    if (far > Math.max(width, THICK) / 2 || far >= least) continue;
    least = far;
    found = ribbon;
  }
  return found;
}
/** A thinner ribbon is as easy to point at as one of this width. */
const THICK = 6;

/** Where the curve from one end to the other has gone so far along. */
function parameterAt(along: number, from: number, to: number): number {
  const middle = (from + to) / 2;
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const t = (low + high) / 2;
    if (bezier(t, from, middle, middle, to) < along) low = t;
    else high = t;
  }
  return (low + high) / 2;
}
