// The charts on one clock: their lines, the styles of the lines, and their descriptions in a sentence.
import { count, durationMs, plain, ratePerS, text } from '../base/units.ts';
import { lastSpan, type Place, type ViewColumns } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import { DASHES, seriesDash } from '../draw/looks.ts';
import { type Frame, PERCENTILES, type ReplicaFrame, type View } from '../generated/boundary.ts';
import type { Lanes } from './timePicture.ts';

export type Line = {
  /** Number of its column. */
  readonly column: number;
  readonly name: string;
  /** Label at its end, if its name is too long. */
  readonly end?: string;
  readonly dash: (focus: number | undefined) => number[];
  readonly stroke: (p: Palette, focus: number | undefined) => string;
  readonly width: (focus: number | undefined) => number;
  /** The replica of the line. */
  readonly replica: number | undefined;
  /** A high percentile: drawn thin and dashed where it is of few values. */
  readonly tail?: boolean;
  /** Frames do not have its present value: it has none beside the title but that under the cursor. */
  readonly quiet?: boolean;
};

export type TimeSpec = {
  readonly view: View;
  readonly title: string;
  readonly unit: (top: number, frame?: Frame) => string;
  readonly log: boolean;
  readonly stepped: boolean;
  /** Share of the height. */
  readonly share: number;
  /** Least upper end of a linear axis; a fixed one where `fixed` is set. */
  readonly top: number;
  readonly fixed: boolean;
  readonly lines: (data: ViewColumns) => Line[];
  /** A value beside the title that is no line, in its own unit. */
  readonly aside?: { readonly line: Line; readonly show: (value: number) => string };
  /** The sum of all replicas stands beside the title at rest. */
  readonly sum?: (frame: Frame) => number;
  /** Shown only where all charts together are at least this high. */
  readonly from?: number;
  /** Pairs of lines, by their places in the list, with a band between. */
  readonly bands: readonly (readonly [upper: number, lower: number])[];
  readonly band: (p: Palette, i: number) => string;
  /** How opaque bands are; 1 if missing. */
  readonly bandAlpha?: number;
  /** As the first view has it: without stretches of anomalies and the hatch of the time to come. */
  readonly plain?: boolean;
  readonly slo: (frame: Frame) => number;
  readonly show: (value: number) => string;
  /** The present value of a line, and its span: the figures of the frame, as everywhere on the page. */
  readonly now: (frame: Frame, line: Line, data?: ViewColumns) => number;
  /** For percentiles of the latest seconds: of how many values they are now. */
  readonly samples?: (frame: Frame, data: ViewColumns | undefined) => number;
  readonly span: (frame: Frame) => string;
  readonly tick: (value: number, top: number) => string;
  readonly empty: string;
  /** What is drawn in lanes; lines of counts are drawn where its view has no rows. */
  readonly lanes?: {
    readonly view: View;
    readonly of: (data: ViewColumns | undefined, stacked: boolean, focus: number | undefined) => Lanes | undefined;
    /** The states at an instant that are said under the cursor. */
    readonly said: (lanes: Lanes | undefined, timeS: number) => readonly (readonly [name: string, state: string])[];
    /** Whether a line is drawn over lanes that stand on each other. */
    readonly over: (line: Line) => boolean;
  };
  /** The kind of latency shown, if any. */
  readonly of?: Place['of'];
};

/** Requests held at the gateway: a line beside those of the replicas. */
const GATEWAY = 'gateway';

export function percentiles(ink: (p: Palette) => string): (data: ViewColumns) => Line[] {
  const widths = [1.25, 1, 2];
  return () =>
    PERCENTILES.map((name, i) => ({
      column: i + 1,
      name,
      dash: () => DASHES.solid,
      stroke: ink,
      width: () => widths[i] ?? 1,
      replica: undefined,
      tail: name === 'p99',
    }));
}

const AT_PREFILL = 'prefill';
/** The median as prefill replicas have it, where pools have roles. */
function atPrefill(data: ViewColumns): Line[] {
  const column = data.names.indexOf('prefill_p50_ms');
  if (column < 0) return [];
  const line = { column, name: AT_PREFILL, dash: () => DASHES['at-prefill'], width: () => 1, replica: undefined };
  return [{ ...line, stroke: (p: Palette) => p.ink3 }];
}

function atPrefillNow(f: Frame): number {
  const p = f.split?.ttft_prefill;
  return p && p.count > 0 ? p.p50_us / 1000 : Number.NaN;
}

/**
 * Replicas by dash and end label; the one in focus in ink. Beyond sixteen the columns are least, median and most. The
 * gateway comes last, if it held requests.
 */
function replicas(data: ViewColumns): Line[] {
  const single = data.names[1]?.startsWith('r') ?? false;
  const all = data.names.slice(1);
  const lines = all.filter((name) => name !== GATEWAY).map((name, i) => lineOf(name, i, single));
  const gateway = {
    end: 'gate',
    ...lineOf(GATEWAY, all.length - 1, false),
    dash: () => DASHES.held,
    stroke: (p: Palette) => p.ink2,
    width: () => 1.25,
  };
  return all.length > lines.length ? [...lines, gateway] : lines;
}

export function lineOf(name: string, i: number, single: boolean): Line {
  return {
    column: i + 1,
    name,
    dash: (focus) => (single && focus === i ? DASHES.solid : seriesDash(single ? i : 2 - i)),
    stroke: (p, focus) =>
      (single ? focus === i : name === 'max') ? p.ink : focus === undefined && single ? p.ink2 : p.ink3,
    width: (focus) => ((single ? focus === i : name === 'max') ? 1.75 : focus === undefined && single ? 1.25 : 1),
    replica: single ? i : undefined,
  };
}

export const milliseconds = {
  unit: (top: number): string => (top >= 1000 ? 's, log' : 'ms, log'),
  tick: (v: number, top: number): string => (top >= 1000 ? plain(v / 1000) : plain(v)),
  show: (v: number): string => text(durationMs(v)),
};
/** Percentiles of the latest seconds, in milliseconds. */
export const latestOf = (which: Place['of'] | 'itl') => ({
  samples: (f: Frame): number => f.key[which].count,
  now: (f: Frame, line: Line): number => {
    const p = f.key[which];
    const us = [p.p50_us, p.p90_us, p.p99_us][line.column - 1] ?? Number.NaN;
    return p.count > 0 ? us / 1000 : Number.NaN;
  },
  span: lastSpan,
});

export const latest = (of: Place['of']) => ({ of, ...latestOf(of) });

/** The present gauge of each replica; for many replicas the least, the median and the most, as in the columns. */
export const gauge = (of: (r: ReplicaFrame) => number) => ({
  now: (f: Frame, line: Line): number => {
    if (line.name === GATEWAY) return f.counts.held;
    const r = line.replica === undefined ? undefined : f.replicas[line.replica];
    if (line.replica !== undefined) return r ? of(r) : Number.NaN;
    const all = Float64Array.from(f.replicas, of).sort();
    return all[{ min: 0, median: all.length >> 1 }[line.name] ?? all.length - 1] ?? Number.NaN;
  },
  span: (): string => 'now',
});
export const whole = {
  tick: (v: number): string => (v < 10_000 ? plain(v) : `${plain(v / 1000)}k`),
  show: (v: number): string => count(v),
};
/** A linear axis of what is now, without bands and objective: most charts change little of it. */
export const PLAIN = {
  unit: () => '',
  log: false,
  stepped: false,
  share: 0.2,
  top: 2,
  fixed: false,
  bands: [],
  band: () => '',
  slo: () => 0,
  span: () => 'now',
  empty: 'nothing has arrived yet',
} satisfies Partial<TimeSpec>;

/** A line of a column. */
export const lineOfColumn = (
  column: number,
  name: string,
  stroke: (p: Palette) => string,
  dash: number[],
  width: number,
): Line => ({ column, name, dash: () => dash, stroke, width: () => width, replica: undefined });

/** How many a replica runs at most, where that is the same of all. */
function ofMost(f: Frame | undefined): string {
  const most = new Set(f?.pools.map((pool) => pool.max_num_seqs));
  const [one] = most;
  return most.size === 1 && one !== undefined ? `of ${count(one)}` : 'requests';
}

/** The charts that every run opens with; `moreSpecs.ts` has the others. */
export const TIME_SPECS: readonly TimeSpec[] = [
  {
    view: 'ttft-over-time',
    title: 'TTFT',
    log: true,
    stepped: false,
    share: 0.36,
    top: 0,
    fixed: false,
    lines: (data) => [...percentiles((p) => p.prefill)(data), ...atPrefill(data)],
    bands: [
      [1, 0],
      [2, 1],
    ],
    band: (p, i) => (i === 0 ? p.band1 : p.band2),
    slo: (f) => f.key.slo_ttft_us / 1000,
    empty: 'no first token yet',
    ...milliseconds,
    ...latest('ttft'),
    now: (f, line) => (line.name === AT_PREFILL ? atPrefillNow(f) : latest('ttft').now(f, line)),
  },
  {
    ...PLAIN,
    ...whole,
    ...gauge((r) => (100 * r.kv.used) / Math.max(1, r.kv.total)),
    view: 'kv-use',
    title: 'KV in use',
    unit: () => '%',
    top: 10,
    lines: replicas,
  },
  {
    ...PLAIN,
    ...whole,
    ...gauge((r) => r.waiting),
    view: 'queue-depth',
    title: 'Waiting',
    unit: () => 'requests',
    stepped: true,
    lines: replicas,
    sum: (f) => f.counts.waiting + f.counts.held,
  },
  {
    ...PLAIN,
    ...whole,
    ...gauge((r) => r.running),
    view: 'running',
    title: 'Running',
    unit: (_, f) => ofMost(f),
    lines: replicas,
    sum: (f) => f.counts.running,
  },
  {
    ...PLAIN,
    view: 'throughput',
    title: 'Requests',
    unit: () => 'a second',
    top: 1,
    lines: () => [
      lineOfColumn(1, 'arrived', (p) => p.ink3, seriesDash(1), 1),
      lineOfColumn(2, 'done', (p) => p.ink, DASHES.solid, 1.75),
    ],
    show: (v) => ratePerS(v).value,
    now: (f, line) => (line.column === 1 ? f.key.offered_per_s : f.key.completed_per_s),
    span: lastSpan,
    tick: (v) => plain(v),
    empty: 'no requests finished yet',
  },
];

/** The present value of each line, from the frame alone; without events in its span there is none. */
export function valueNow(spec: TimeSpec, line: Line, frame: Frame | undefined, data?: ViewColumns): number {
  return frame ? spec.now(frame, line, data) : Number.NaN;
}

/** The chart in one sentence. */
export function describeLines(spec: TimeSpec, data: ViewColumns | undefined, frame: Frame | undefined): string {
  const unit = spec.log ? '' : spec.unit(0, frame);
  if (!data && frame) return `${spec.title} over time: waits for the simulation.`;
  if (!data || !frame || (data.columns[0]?.length ?? 0) === 0) return `${spec.title} over time: ${spec.empty}.`;
  const parts = spec
    .lines(data)
    .filter((line) => !line.quiet)
    .slice(0, 8)
    .map((line) => {
      const value = valueNow(spec, line, frame, data);
      return `${line.name} ${Number.isFinite(value) ? spec.show(value) : 'none'}`;
    });
  if (spec.aside) parts.push(`${spec.aside.line.name} ${spec.aside.show(valueNow(spec, spec.aside.line, frame))}`);
  const span = spec.span(frame);
  const told = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  return `${spec.title} over time${unit === '' ? '' : ` in ${unit}`}${span === '' ? '' : `, ${span}`}${told}.`;
}
