// The layout of a stage with prefill and decode apart: two columns of cards with the ports between, or on a phone two
// rows, prefill above. From sizes and roles alone.

import { queueAbove, queueBeside, queueOver } from './bands.ts';
import { type Box, barPitch, chipSlots, type Hit, type StageLayout } from './layout.ts';
import {
  cellPlaces,
  columnOfUnits,
  type Placed,
  rowOfUnits,
  type ServerBox,
  type Unit,
  unitsOf,
} from './rankLayout.ts';

/** What is drawn of a replica: a prefill replica sends, the others receive. */
export type Side = 'prefill' | 'decode';
/** `rank`: a cell in the box of its server. */
export type Size = 'tall' | 'mid' | 'small' | 'rank';

/** One card and the places in it. */
export type Card = {
  readonly side: Side;
  readonly size: Size;
  readonly box: Box;
  /** Base line of the name. */
  readonly titleY: number;
  readonly wait: Box;
  readonly batch: Box;
  readonly kv: Box;
  /** Right end of the figure at the right: KV use of a prefill replica, time between tokens of another. */
  readonly right: number;
  /** Where the role is changed. */
  readonly role: Box;
  /** The middle of its port: across the cards, and along the way of the KV. */
  readonly port: { readonly across: number; readonly along: number };
  /** Of a rank: its place among the replicas, and where its part of the step is. */
  readonly at?: number;
  readonly time?: Box;
};

export type SplitLayout = {
  /** KV flows down, not to the right. */
  readonly vertical: boolean;
  /** By place of the replica. */
  readonly cards: readonly Card[];
  /** The boxes of servers whose ranks stand in them. */
  readonly servers: readonly ServerBox[];
  /** Length of a port of full capacity. */
  readonly portLength: number;
  /** The columns of cards, or the rows. */
  readonly prefill: Box;
  readonly decode: Box;
  /** The room for the ratio of the two. */
  readonly ratio: Box;
  /** Middle of the router, if it is drawn. */
  readonly router: { readonly x: number; readonly y: number } | undefined;
  /** The way of requests that are prefilled at home, below the cards. */
  readonly localY: number | undefined;
  /** The strip of decisions; undefined without room. */
  readonly decider: Box | undefined;
};

const EDGE = 12;
const HEAD = 52;
/** Room below the cards: the way of local requests with the legend, and the strip of decisions. */
const FOOT = { local: 22, decider: 46 } as const;
/** Left of the cards: arrivals and router; and with a gateway's queue. */
const LEFT = { plain: 112, queue: 262 } as const;
const GAP = 6;
const PITCH = { least: 24, most: 150 } as const;
/** The least height of a stage with a strip of decisions. */
const DECIDER_FROM = 300;
const TALL = 90;
const MID = 50;
/** Widths of the mock-up's columns: prefill, ports, decode. */
const WIDTHS = { prefill: 226, ports: 162, decode: 310 } as const;
const PHONE = { edge: 8, head: 26, prefill: 92, ports: 112, decode: 96, gap: 6, least: 62, foot: 84 } as const;

/** What the layout is made of, by place of the replica: roles, and the numbers of servers whose ranks step together. */
type Kinds = { readonly sides: readonly Side[]; readonly servers: readonly (number | undefined)[] };

/**
 * The layout of replicas with these roles, in order; undefined if not all have their role, one side is empty of prefill
 * replicas and of decode replicas alike, or there are too many to be told apart.
 */
export function splitLayout(
  width: number,
  height: number,
  roles: readonly (string | undefined)[],
  bands = 0,
  servers: readonly (number | undefined)[] = [],
): StageLayout | undefined {
  const sides = roles.map((role): Side => (role === 'prefill' ? 'prefill' : 'decode'));
  if (roles.length === 0 || roles.some((role) => role === undefined)) return undefined;
  const kinds = { sides, servers };
  return width < 760 ? vertical(width, height, kinds, bands) : beside(width, height, kinds, bands);
}

/** The height that a vertical stage needs so that only the page scrolls. */
export function splitNeeds(
  roles: readonly (string | undefined)[],
  width: number,
  bands = 0,
  servers: readonly (number | undefined)[] = [],
): number {
  const layout = width > 0 && width < 760 ? splitLayout(width, 0, roles, bands, servers) : undefined;
  return layout?.height ?? 0;
}

const countOf = (sides: readonly Side[], side: Side): number => sides.filter((one) => one === side).length;

/** The replicas and servers of one side. */
const unitsOn = ({ sides, servers }: Kinds, side: Side): Unit[] =>
  unitsOf(
    sides.flatMap((one, at) => (one === side ? [at] : [])),
    servers,
  );

const hasServers = (units: readonly Unit[]): boolean => units.some(({ server }) => server !== undefined);

function beside(width: number, height: number, kinds: Kinds, bands: number): StageLayout | undefined {
  const { sides } = kinds;
  const left = bands > 0 ? LEFT.queue : LEFT.plain;
  const strip = height >= DECIDER_FROM ? FOOT.decider : 0;
  const h = height - HEAD - FOOT.local - strip - 4;
  const units = { prefill: unitsOn(kinds, 'prefill'), decode: unitsOn(kinds, 'decode') };
  for (const side of ['prefill', 'decode'] as const)
    if (!hasServers(units[side]) && h / Math.max(1, countOf(sides, side)) < PITCH.least) return undefined;
  const whole = WIDTHS.prefill + WIDTHS.ports + WIDTHS.decode;
  const scale = (width - left - EDGE) / whole;
  const prefillW = Math.round(WIDTHS.prefill * scale);
  const decodeW = Math.round(WIDTHS.decode * scale);
  const prefill = { x: left, y: HEAD, w: prefillW, h };
  const decode = { x: width - EDGE - decodeW, y: HEAD, w: decodeW, h };
  const columns = { prefill: sideOf(prefill, units.prefill), decode: sideOf(decode, units.decode) };
  if (!columns.prefill || !columns.decode) return undefined;
  const all = [...columns.prefill, ...columns.decode];
  const cards = cardsOf(kinds, all, wideCard, wideRank);
  const from = prefill.x + prefill.w;
  const split: SplitLayout = {
    vertical: false,
    cards,
    servers: serversIn(kinds, all),
    portLength: Math.min(44, ...all.map(({ unit, box }) => portRoom(unit, box.h, 6))),
    prefill,
    decode,
    ratio: { x: from + 6, y: 2, w: decode.x - from - 12, h: 40 },
    router: { x: bands > 0 ? left - 18 : left - 32, y: HEAD + h / 2 },
    localY: HEAD + h + 13,
    decider: strip > 0 ? { x: left, y: height - strip + 2, w: width - left - EDGE, h: strip - 6 } : undefined,
  };
  const queue = bands > 0 ? queueBeside(height - strip, bands) : undefined;
  return { ...plain(width, height, split), flow: left, queue, narrow: false, axisY: HEAD + h / 2 };
}

/** The fields of every layout. */
function plain(
  width: number,
  height: number,
  split: SplitLayout,
): Omit<StageLayout, 'flow' | 'queue' | 'narrow' | 'axisY'> {
  const none = { x: 0, w: 0 };
  return {
    detail: 'rows',
    stacked: false,
    width,
    height,
    head: { x: split.prefill.x, right: split.decode.x + split.decode.w, y: 42 },
    boxes: split.cards.map((card) => card.box),
    columns: { id: none, wait: none, batch: none, kv: none, now: none },
    branches: [],
    marks: 0,
    split,
  };
}

/** The boxes of one side: servers with their ranks, or equal boxes. */
function sideOf(area: Box, units: readonly Unit[]): Placed[] | undefined {
  if (hasServers(units)) return columnOfUnits(area, units);
  return columnOf(area, units.length).map((box, i) => ({ unit: units[i] ?? NO_UNIT, box, cells: [] }));
}
const NO_UNIT: Unit = { server: undefined, places: [] };

/** The room for a port of each replica of a unit along its edge. */
const portRoom = ({ server, places }: Unit, edge: number, margin: number): number =>
  server === undefined ? edge - margin : Math.max(3, edge / places.length - 2);

type MakeCard = (side: Side, box: Box) => Card;
type MakeRank = (side: Side, cell: Box, server: Box, place: { readonly i: number; readonly n: number }) => Card;

/** The card of each replica, in order of the replicas. */
function cardsOf({ sides }: Kinds, all: readonly Placed[], plainCard: MakeCard, rankCard: MakeRank): Card[] {
  const cards: Card[] = [];
  for (const { unit, box, cells } of all)
    unit.places.forEach((at, i) => {
      const side = sides[at] ?? 'decode';
      const cell = cells[i];
      const n = unit.places.length;
      cards[at] = cell ? { ...rankCard(side, cell, box, { i, n }), at } : plainCard(side, box);
    });
  return cards;
}

function serversIn({ sides }: Kinds, all: readonly Placed[]): ServerBox[] {
  return all.flatMap(({ unit, box }) => {
    const side = sides[unit.places[0] ?? -1] ?? 'decode';
    const { server: id, places: ranks } = unit;
    return id === undefined ? [] : [{ id, side, box, titleY: box.y + 15, ranks }];
  });
}

/** Ports of ranks stand along the edge of their server, one after the other. */
const wideRank: MakeRank = (side, cell, server, { i, n }) => ({
  ...rankCell(side, cell),
  port: {
    across: server.y + ((i + 0.5) * server.h) / n,
    along: side === 'prefill' ? server.x + server.w + 1 : server.x - 1,
  },
});

const phoneRank: MakeRank = (side, cell, server, { i, n }) => ({
  ...rankCell(side, cell),
  port: {
    across: server.x + ((i + 0.5) * server.w) / n,
    along: side === 'prefill' ? server.y + server.h + 5 : server.y - 5,
  },
});

function rankCell(side: Side, box: Box): Omit<Card, 'port'> {
  const none = { x: box.x, y: box.y, w: 0, h: 0 };
  return { side, size: 'rank', box, ...cellPlaces(box), wait: none, role: none };
}

/** Equal boxes one below the other, in the middle of their column. */
function columnOf(area: Box, n: number): Box[] {
  if (n === 0) return [];
  const pitch = Math.min(PITCH.most, Math.floor((area.h + GAP) / n));
  const gap = pitch >= 40 ? GAP : 3;
  const top = area.y + Math.floor((area.h - (n * pitch - gap)) / 2);
  return Array.from({ length: n }, (_, i) => ({ x: area.x, y: top + i * pitch, w: area.w, h: pitch - gap }));
}

function wideCard(side: Side, box: Box): Card {
  const size: Size = box.h >= TALL ? 'tall' : box.h >= MID ? 'mid' : 'small';
  const out = side === 'prefill';
  const base = {
    side,
    size,
    box,
    titleY: size === 'small' ? Math.round(box.y + box.h / 2) + 4 : box.y + 19,
    right: box.x + box.w - 12,
    port: { across: box.y + box.h / 2, along: out ? box.x + box.w + 1 : box.x - 1 },
    role: { x: box.x + 36, y: size === 'small' ? box.y : box.y + 4, w: 22, h: size === 'small' ? box.h : 22 },
  };
  return { ...base, ...(out ? prefillPlaces(box, size) : decodePlaces(box, size)) };
}

type Places = Pick<Card, 'wait' | 'batch' | 'kv'>;

function prefillPlaces(box: Box, size: Size): Places {
  const { x, y, w, h } = box;
  if (size === 'tall') {
    const kvX = x + Math.max(92, Math.round(w * 0.42));
    return {
      wait: { x: x + 10, y: y + 45, w: 70, h: Math.min(42, h - 78) },
      batch: { x: x + 26, y: y + h - 28, w: 56, h: 19 },
      kv: { x: kvX, y: y + 30, w: x + w - 12 - kvX, h: h - 41 },
    };
  }
  const [top, foot] = size === 'mid' ? [26, 8] : [5, 5];
  const from = size === 'mid' ? x + 10 : x + 82;
  const batchX = from + (size === 'mid' ? 48 : 0);
  const kvX = batchX + 48;
  return {
    wait: { x: from, y: y + top, w: size === 'mid' ? 41 : 0, h: h - top - foot },
    batch: { x: batchX, y: y + top, w: 40, h: h - top - foot },
    kv: { x: kvX, y: y + top, w: Math.max(20, x + w - (size === 'mid' ? 12 : 48) - kvX), h: h - top - foot },
  };
}

function decodePlaces(box: Box, size: Size): Places {
  const { x, y, w, h } = box;
  const room = w - 24 - 52 - 3 * 12;
  const [top, foot] = size === 'small' ? [5, 5] : [26, 8];
  const batchX = x + (size === 'small' ? 90 : 78);
  const waits = size === 'small' ? 0 : 56;
  const kvW = Math.max(24, Math.round((room - 60) * 0.5));
  const kvX = x + w - 12 - 62 - kvW;
  return {
    wait: {
      x: x + 12,
      y: y + top + (size === 'small' ? 0 : 4),
      w: waits,
      h: h - top - foot - (size === 'small' ? 0 : 4),
    },
    batch: { x: batchX, y: y + top, w: Math.max(24, kvX - 14 - batchX), h: h - top - foot },
    kv: { x: kvX, y: y + top, w: kvW, h: h - top - foot },
  };
}

/** Prefill above, decode below. */
function vertical(width: number, height: number, kinds: Kinds, bands: number): StageLayout | undefined {
  const w = width - 2 * PHONE.edge;
  const units = { prefill: unitsOn(kinds, 'prefill'), decode: unitsOn(kinds, 'decode') };
  for (const side of ['prefill', 'decode'] as const)
    if ((w + PHONE.gap) / Math.max(1, units[side].length) < PHONE.least + PHONE.gap) return undefined;
  const y = queueAbove(bands, true) + (bands > 0 ? 8 : 0);
  const above = rowOn({ x: PHONE.edge, y: y + PHONE.head, w, h: PHONE.prefill }, units.prefill);
  if (!above) return undefined;
  const prefill = { x: PHONE.edge, y: y + PHONE.head, w, h: above[0]?.box.h ?? PHONE.prefill };
  const below = rowOn({ x: PHONE.edge, y: prefill.y + prefill.h + PHONE.ports, w, h: PHONE.decode }, units.decode);
  if (!below) return undefined;
  const decode = { x: PHONE.edge, y: prefill.y + prefill.h + PHONE.ports, w, h: below[0]?.box.h ?? PHONE.decode };
  const all = [...above, ...below];
  const cards = cardsOf(kinds, all, phoneCard, phoneRank);
  const bottom = decode.y + decode.h;
  const split: SplitLayout = {
    vertical: true,
    cards,
    servers: serversIn(kinds, all),
    portLength: Math.min(44, ...all.map(({ unit, box }) => portRoom(unit, box.w, 8))),
    prefill,
    decode,
    ratio: { x: width / 2 - 76, y: y + 1, w: 152, h: PHONE.head - 2 },
    router: undefined,
    localY: undefined,
    decider: undefined,
  };
  const needed = bottom + PHONE.foot;
  const bare = plain(width, Math.max(height, needed), split);
  const queue = bands > 0 ? queueOver({ x: PHONE.edge, y: 0, w }, bands, true) : undefined;
  return { ...bare, flow: 0, queue, narrow: true, axisY: 0 };
}

/** The boxes of one side side by side: servers with their ranks, or equal boxes. */
function rowOn(area: Box, units: readonly Unit[]): Placed[] | undefined {
  if (hasServers(units)) return rowOfUnits(area, units);
  return rowOf(area, units.length).map((box, i) => ({ unit: units[i] ?? NO_UNIT, box, cells: [] }));
}

function rowOf(area: Box, n: number): Box[] {
  const pitch = (area.w + PHONE.gap) / Math.max(1, n);
  return Array.from({ length: n }, (_, i) => {
    const x = Math.round(area.x + i * pitch);
    return { x, y: area.y, w: Math.round(area.x + (i + 1) * pitch - PHONE.gap) - x, h: area.h };
  });
}

function phoneCard(side: Side, box: Box): Card {
  const out = side === 'prefill';
  const { x, y, w, h } = box;
  const kvTop = out ? y + 44 : y + 24;
  const kvH = out ? h - 52 : 30;
  return {
    side,
    size: 'small',
    box,
    titleY: y + 17,
    wait: { x: x + 6, y: y + 24, w: 0, h: 14 },
    batch: out ? { x: x + w - 40, y: y + 22, w: 34, h: 16 } : { x: x + 6, y: y + 58, w: w - 12, h: 14 },
    kv: { x: x + 6, y: kvTop, w: w - 12, h: kvH },
    right: x + w - 6,
    role: { x: x + 28, y: y + 1, w: 22, h: 22 },
    port: { across: x + w / 2, along: out ? y + h + 5 : y - 5 },
  };
}

/** Distance of the bars of a batch in a card: few prefills are far apart, many decoders close. */
export function cardBars(card: Card, bars: number): ReturnType<typeof barPitch> {
  const wide = card.side === 'prefill' ? Math.min(8, card.batch.w / Math.max(1, bars)) : 0;
  if (wide <= 2) return barPitch({ x: card.batch.x, w: card.batch.w }, bars);
  return { pitch: wide, bar: wide - 2, shown: Math.min(bars, Math.floor((card.batch.w + 1) / wide)) };
}

/** What is under a point of a card: as on a full row. */
export function cardHit(card: Card, replica: number, x: number, y: number, bars: number): Hit {
  const { wait, batch } = card;
  const slots = chipSlots(wait, wait.h);
  const [column, row] = [Math.floor((x - wait.x) / 14.2), Math.floor((y - wait.y) / 14.2)];
  const chip =
    wait.w === 0 || column < 0 || column >= slots.columns || row < 0 || row >= slots.rows
      ? -1
      : row * slots.columns + column;
  const { pitch, shown } = cardBars(card, bars);
  const at = Math.floor((x - batch.x) / pitch);
  const inside = y >= batch.y - 4 && y < batch.y + batch.h + 4 && at >= 0 && at < shown;
  return { replica, chip, bar: inside ? at : -1 };
}
