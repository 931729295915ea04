// How things look, by what they are: a table for each kind. Canvases and pens of files read them here; styles have the dashes
// as custom properties (`--dash-NAME` in base/theme.css), and looks.test.ts holds the two together.
import type { SegmentKind } from '../generated/boundary.ts';
import type { Ink, Palette } from './inks.ts';

/** The dashes of lines and outlines by their meaning, in pixels: drawn, left out, and so on. */
export const DASHES = {
  solid: [],
  objective: [5, 3],
  /** A bound in a small picture. */
  limit: [3, 2],
  /** The second of two lines: run B, requests that wait. */
  second: [5, 3],
  /** How it was before an edit. */
  before: [4, 3],
  /** What a law says, of run A and of run B. */
  law: [4, 3],
  'law-b': [1.5, 3],
  /** An edit on a time axis; below a pennant; in a study. */
  edit: [2, 2],
  pennant: [1.5, 2.5],
  'study-edit': [2, 3],
  /** A value or an instant that is marked, such as the first token. */
  mark: [2, 2],
  /** Dashes that move with the traffic, where dots would be too close. */
  current: [5, 15],
  cursor: [3, 3],
  /** The way back that a step of the first minute shows. */
  way: [2, 3],
  'first-step': [1, 3],
  preempted: [2, 1.5],
  /** Work that was lost, that is not done yet, or of which a part is known. */
  unfinished: [3, 2],
  missing: [3, 3],
  'to-come': [2, 2],
  /** Percentiles of a handful of values. */
  few: [2, 2],
  /** Requests held at the gateway, in a chart and in a waterfall. */
  held: [4, 2],
  'at-prefill': [1.5, 2.5],
  /** The card of a replica that does not serve. */
  away: [4, 3],
  /** Blocks on their way to a tier. */
  writes: [5, 4],
  /** The branch to a replica that is down, and the pipe of further clients. */
  cut: [3, 3],
  others: [2, 3],
  /** A replica whose signals are late, and one that cannot be reached. */
  signals: [1.5, 2],
  unreachable: [3, 2],
  /** Beyond a range; true, published and nearly equal values beside simulated ones. */
  beyond: [2, 3],
  truth: [1, 3],
  published: [1.5, 2],
  near: [4, 4],
  compared: [4, 2.5],
  /** What a reader of a lesson guesses, and the place of the keys. */
  guess: [6, 4],
  'guess-key': [2, 3],
  /** The curves of a sweep after the first. */
  'sweep-1': [6, 3],
  'sweep-2': [2, 2],
  'sweep-3': [8, 3, 2, 3],
} satisfies Record<string, number[]>;

/** The dashes of lines of one kind, in order; they start again after the last. */
const SERIES: readonly number[][] = [DASHES.solid, [5, 3], [1.5, 2.5], [8, 2, 2, 2]];

/** The dash of the line at a place among lines of one kind. */
export const seriesDash = (i: number): number[] => SERIES[i % SERIES.length] ?? DASHES.solid;

/** Straight lines with a meaning. */
export const LINES = {
  objective: { ink: 'miss', width: 1, dash: DASHES.objective },
  edit: { ink: 'accent', width: 1, dash: DASHES.edit },
  /** An edit that came with the scenario. */
  scheduled: { ink: 'ink2', width: 1, dash: DASHES.edit },
  pennant: { ink: 'accent', width: 1, dash: DASHES.pennant },
  playhead: { ink: 'accent', width: 1.5, dash: DASHES.solid },
  cursor: { ink: 'ink3', width: 1, dash: DASHES.cursor },
  'first-step': { ink: 'accent', width: 1, dash: DASHES['first-step'] },
} satisfies Record<string, { readonly ink: Ink; readonly width: number; readonly dash: number[] }>;

/** Hatches: parallel lines at 45°, `step` apart, over a faint ground of the same ink. */
export const HATCHES = {
  cached: { ink: 'kvCached', step: 4, width: 1.4, ground: 0.18, crossed: false },
  /** A rank that waits for the slowest of its server. */
  wait: { ink: 'ink3', step: 4, width: 0.9, ground: 0, crossed: false },
  void: { ink: 'line', step: 6, width: 1, ground: 0, crossed: false },
  down: { ink: 'miss', step: 6, width: 0.5, ground: 0, crossed: true },
} satisfies Record<string, Hatch>;

export type Hatch = {
  readonly ink: Ink;
  readonly step: number;
  readonly width: number;
  readonly ground: number;
  readonly crossed: boolean;
};

/** How a replica's state looks in its lane: the ground in the ink of used blocks, a foot where it is degraded, and its edge. */
export type ReplicaLook = {
  readonly ground?: 'solid' | 'lower-half' | 'levels' | 'posts' | 'crosses';
  readonly foot?: boolean;
  readonly edge?: { readonly ink: Ink; readonly dash: number[] };
};

const SERVING: ReplicaLook = { ground: 'solid' };
const REPLICAS: Readonly<Record<string, ReplicaLook>> = {
  serving: SERVING,
  starting: { edge: { ink: 'ink3', dash: DASHES.solid } },
  cold: { ground: 'lower-half', edge: { ink: 'kvUsed', dash: DASHES.solid } },
  draining: { ground: 'levels' },
  slow: { ground: 'levels', foot: true },
  stuck: { ground: 'posts', foot: true },
  'transfer-link': { ground: 'solid', foot: true },
  signals: { edge: { ink: 'warn', dash: DASHES.signals } },
  unreachable: { edge: { ink: 'miss', dash: DASHES.unreachable } },
  down: { ground: 'crosses', edge: { ink: 'miss', dash: DASHES.solid } },
};

/** The look of a state of replicas, as the columns of their lanes name it. */
export const replicaLook = (state: string): ReplicaLook => REPLICAS[state] ?? SERVING;

/** How the number of replicas in a stage is drawn as a line over time. */
export type CountLook = {
  readonly ink: Ink;
  readonly width: number;
  /** Solid, rather than the next dash of its kind. */
  readonly solid: boolean;
  /** The name at its end, if the stage's is too long. */
  readonly end?: string;
};

const COUNTS: Readonly<Record<string, CountLook>> = {
  serving: { ink: 'decode', width: 1.75, solid: true },
  desired: { ink: 'ink', width: 2, solid: true },
  down: { ink: 'miss', width: 1.25, solid: true },
  degraded: { ink: 'warn', width: 1.25, solid: false, end: 'degr.' },
};

/** The look of the line of a stage. */
export const countLook = (stage: string): CountLook => COUNTS[stage] ?? { ink: 'ink3', width: 1.25, solid: false };

/** How a request looks while it waits, runs or has been preempted. */
export const REQUESTS = {
  waiting: { ink: 'lineStrong', hollow: true, dash: DASHES.solid },
  prefill: { ink: 'prefill', hollow: false, dash: DASHES.solid },
  decode: { ink: 'decode', hollow: false, dash: DASHES.solid },
  preempted: { ink: 'preempt', hollow: true, dash: DASHES.preempted },
} satisfies Record<string, { readonly ink: Ink; readonly hollow: boolean; readonly dash: number[] }>;

export type RequestLook = keyof typeof REQUESTS;

/** The bar of a phase in a waterfall: the class that its style has. */
export type PhaseBar = 'plain' | 'shelf' | 'hollow' | 'lost' | 'prefill' | 'output' | 'decode';

/** The phases of a request: how each looks in lanes, and its bar in a waterfall. */
export const PHASES: Readonly<Record<SegmentKind, { readonly look: RequestLook; readonly bar: PhaseBar }>> = {
  admission: { look: 'waiting', bar: 'plain' },
  gateway: { look: 'waiting', bar: 'shelf' },
  router: { look: 'waiting', bar: 'plain' },
  broken: { look: 'preempted', bar: 'lost' },
  'back-off': { look: 'waiting', bar: 'hollow' },
  'front-end': { look: 'waiting', bar: 'hollow' },
  delay: { look: 'waiting', bar: 'hollow' },
  queue: { look: 'waiting', bar: 'hollow' },
  'kv-load': { look: 'waiting', bar: 'hollow' },
  'adapter-load': { look: 'waiting', bar: 'hollow' },
  prefill: { look: 'prefill', bar: 'prefill' },
  room: { look: 'waiting', bar: 'hollow' },
  'first-byte': { look: 'waiting', bar: 'hollow' },
  transfer: { look: 'waiting', bar: 'plain' },
  join: { look: 'waiting', bar: 'hollow' },
  'first-token': { look: 'decode', bar: 'decode' },
  decode: { look: 'decode', bar: 'decode' },
  preempted: { look: 'preempted', bar: 'lost' },
  recompute: { look: 'prefill', bar: 'prefill' },
  streaming: { look: 'decode', bar: 'output' },
  output: { look: 'decode', bar: 'output' },
};

/** The states of blocks: their letters in frames and pages, and their paints where blocks are cells of a card. */
export const BLOCKS = {
  used: { letter: 'u', paint: (p: Palette) => p.kvUsed },
  shared: { letter: 's', paint: (p: Palette) => p.kvShared },
  cached: { letter: 'c', paint: (p: Palette) => p.cachedHatch },
  free: { letter: '.', paint: (p: Palette) => p.kvFree },
  /** Held for a home that fetches it. */
  held: { letter: 'h', paint: (p: Palette) => p.prefill },
  /** Set aside for blocks on their way; outlined on the paint of free ones. */
  reserved: { letter: 'r', paint: (p: Palette) => p.kvFree },
  out: { letter: 'x', paint: (p: Palette) => p.kvFree },
} as const;

export type BlockState = keyof typeof BLOCKS;
