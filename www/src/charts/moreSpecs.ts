// The charts that not every run opens with: replicas, E2E, throughput, and those of the gateway's queue and of hand-overs. Loaded when
// one of them is shown.
import { count, minus, plain, ratePerS, text } from '../base/units.ts';
import { lastSpan, type ViewColumns } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import { countLook, DASHES, seriesDash } from '../draw/looks.ts';
import type { Frame, LifePhase } from '../generated/boundary.ts';
import { latestAt, rowAt } from './latestAt.ts';
import { lanesOf, statesAt } from './replicaLanes.ts';
import {
  gauge,
  type Line,
  latest,
  latestOf,
  lineOf,
  lineOfColumn,
  milliseconds,
  PLAIN,
  percentiles,
  type TimeSpec,
  whole,
} from './specs.ts';

/** The stages of replicas: their columns, and the phase that a frame calls so. */
const LIVES: readonly (readonly [column: string, phase: LifePhase | undefined])[] = [
  ['serving', undefined],
  ['cold', 'cold'],
  ['starting', 'starting'],
  ['draining', 'draining'],
];
const DESIRED = 'desired';

/** Replicas by stage, those without a replica left out, and the wanted number in steps over them. */
function lives(data: ViewColumns): Line[] {
  return data.names.flatMap((name, column): Line[] => {
    const isWanted = name === DESIRED;
    if (column === 0 || !(name === 'serving' || isWanted || data.columns[column]?.some((n) => n > 0))) return [];
    const { ink, width, solid, end } = countLook(name);
    return [
      {
        column,
        name,
        ...(end !== undefined && { end }),
        dash: () => (solid ? DASHES.solid : seriesDash(column - 1)),
        stroke: (p) => p[ink],
        width: () => width,
        replica: undefined,
        quiet: isWanted,
      },
    ];
  });
}

function livesNow(f: Frame, line: Line): number {
  if (line.name === 'down' || line.name === 'degraded') return f.key.faults?.[line.name] ?? 0;
  const life = LIVES.find(([column]) => column === line.name);
  if (!life) return Number.NaN;
  return f.replicas.filter((r) =>
    life[1] === undefined ? r.serving && r.life === undefined : r.life?.phase === life[1],
  ).length;
}

const ENDS: Readonly<Record<string, string>> = {
  prefilling: 'prefill',
  transferring: 'moving',
  decoding: 'decode',
  under_way: '',
};

/** Columns of counts, each a line by dash. */
function counted(data: ViewColumns): Line[] {
  return data.names.slice(1).map((name, i) => ({
    column: i + 1,
    name: name.replaceAll('_', ' '),
    end: ENDS[name] ?? name,
    dash: () => seriesDash(i),
    stroke: (p: Palette) => (i < 2 ? p.ink : i < 4 ? p.ink2 : p.ink3),
    width: () => (i === 0 ? 1.75 : 1.25),
    replica: undefined,
    quiet: true,
  }));
}

/** The replicas that send, by their numbers. */
function senders(data: ViewColumns): Line[] {
  return data.names.slice(1).map((name, i) => {
    const id = Number(name.slice(1));
    const single = !Number.isNaN(id);
    const line = lineOf(name, i, single);
    const focused = (focus: number | undefined): number | undefined =>
      focus === id ? i : focus === undefined ? focus : -1;
    return single
      ? {
          ...line,
          replica: id,
          dash: (f) => line.dash(focused(f)),
          stroke: (p, f) => line.stroke(p, focused(f)),
          width: (f) => line.width(focused(f)),
        }
      : line;
  });
}

/** The bands of the gateway's queue by dash, the most urgent first. */
function bandLines(data: ViewColumns): Line[] {
  const bands = data.names.flatMap((name, column) =>
    name.startsWith(BAND) ? [{ column, priority: Number(name.slice(BAND.length)) }] : [],
  );
  bands.sort((a, b) => b.priority - a.priority);
  return bands.map(({ column, priority }, i) => ({
    column,
    name: BAND + minus(priority),
    end: minus(priority),
    dash: () => seriesDash(i),
    stroke: (p) => (i === 0 ? p.ink : p.ink2),
    width: () => (i === 0 ? 1.75 : 1.25),
    replica: undefined,
  }));
}
const BAND = 'band ';
const SATURATION: Line = {
  column: 1,
  name: 'saturation',
  end: '',
  dash: () => DASHES.solid,
  stroke: (p) => p.ink,
  width: () => 1.75,
  replica: undefined,
};

const saturationNow = (f: Frame): number => 100 * (f.gateway?.saturation ?? Number.NaN);

function waitingIn(f: Frame, line: Line): number {
  return f.gateway?.bands.find((band) => BAND + minus(band.priority) === line.name)?.waiting ?? Number.NaN;
}

/** The value of a column in its latest row up to now. */
const ofRow = (f: Frame, line: Line, data?: ViewColumns): number =>
  data?.columns[line.column]?.[rowAt(data, f.now_us)] ?? Number.NaN;

/** Three percentiles on a logarithmic axis, with a band between each two. */
const SPREAD = {
  ...PLAIN,
  log: true,
  top: 0,
  bands: [
    [1, 0],
    [2, 1],
  ],
  band: (p: Palette): string => p.shade,
} satisfies Partial<TimeSpec>;

/** Waiting times are no key figures: the present ones are those of the chart's row of now. */
const WAIT = {
  samples: (f: Frame, data: ViewColumns | undefined): number => latestAt(data, f.now_us)?.count ?? 0,
  now: (f: Frame, line: Line, data?: ViewColumns): number => {
    const p = latestAt(data, f.now_us);
    return (p ? ([p.p50_us, p.p90_us, p.p99_us][line.column - 1] ?? Number.NaN) : Number.NaN) / 1000;
  },
  span: lastSpan,
};

export const MORE_SPECS: readonly TimeSpec[] = [
  {
    ...PLAIN,
    ...whole,
    view: 'replicas',
    title: 'Replicas',
    stepped: true,
    share: 0.32,
    lines: lives,
    now: livesNow,
    lanes: { view: 'replica-lanes', of: lanesOf, said: statesAt, over: (line) => line.name === DESIRED },
    empty: 'nothing has started yet',
  },
  {
    ...SPREAD,
    view: 'e2e-over-time',
    title: 'E2E',
    lines: percentiles((p) => p.ink2),
    slo: (f) => f.key.slo_e2e_us / 1000,
    empty: 'no requests finished yet',
    ...milliseconds,
    ...latest('e2e'),
  },
  {
    ...SPREAD,
    view: 'itl-over-time',
    title: 'ITL',
    lines: percentiles((p) => p.decode),
    empty: 'no second token yet',
    ...milliseconds,
    ...latestOf('itl'),
  },
  {
    ...SPREAD,
    view: 'wait-over-time',
    title: 'Waiting time',
    lines: percentiles((p) => p.ink),
    empty: 'no request in a batch yet',
    ...milliseconds,
    ...WAIT,
  },
  {
    ...PLAIN,
    view: 'goodput-over-time',
    title: 'Goodput',
    unit: () => 'req/s, last 10 s',
    share: 0.24,
    top: 1,
    lines: () => [
      lineOfColumn(1, 'arrived', (p) => p.ink3, seriesDash(1), 1),
      lineOfColumn(2, 'good', (p) => p.ink, DASHES.solid, 1.75),
      lineOfColumn(3, '95 %', (p) => p.warn, seriesDash(2), 1.25),
    ],
    bands: [[2, 1]],
    band: (p) => p.miss,
    bandAlpha: 0.18,
    show: (v) => ratePerS(v).value,
    now: ofRow,
    tick: (v) => plain(v),
    empty: 'no requests finished yet',
  },
  {
    ...PLAIN,
    view: 'attempts-over-time',
    title: 'Attempts',
    unit: () => 'a request, last 10 s',
    lines: () => [
      { ...lineOfColumn(1, 'gateway', (p) => p.ink, DASHES.solid, 1.75), end: 'gate' },
      lineOfColumn(2, 'clients', (p) => p.ink2, seriesDash(1), 1.25),
    ],
    show: (v) => v.toFixed(2),
    now: ofRow,
    tick: (v) => plain(v),
  },
  {
    ...PLAIN,
    ...whole,
    ...gauge((r) => 100 * (r.split?.out.used ?? Number.NaN)),
    view: 'ports-out',
    title: 'Ports out',
    unit: () => '%',
    top: 100,
    fixed: true,
    lines: senders,
    empty: 'nothing has been handed over yet',
  },
  {
    ...PLAIN,
    ...whole,
    ...gauge((r) => 100 * (r.split?.into.used ?? Number.NaN)),
    view: 'ports-in',
    title: 'Ports in',
    unit: () => '%',
    top: 100,
    fixed: true,
    lines: senders,
    empty: 'nothing has been received yet',
  },
  {
    ...PLAIN,
    ...whole,
    view: 'gateway-bands',
    title: 'Gateway queue',
    unit: () => 'requests',
    stepped: true,
    lines: bandLines,
    now: (f, line) => (line === SATURATION ? saturationNow(f) : waitingIn(f, line)),
    aside: { line: SATURATION, show: (v) => text({ value: count(v), unit: '%' }) },
  },
  {
    ...PLAIN,
    ...whole,
    view: 'gateway-bands',
    title: 'Saturation',
    unit: () => '%',
    top: 100,
    lines: () => [SATURATION],
    now: saturationNow,
    from: 440,
  },
  {
    ...PLAIN,
    ...whole,
    view: 'stages',
    title: 'Requests by stage',
    stepped: true,
    lines: counted,
    now: () => Number.NaN,
    span: () => '',
  },
  {
    ...PLAIN,
    ...whole,
    view: 'transfers',
    title: 'Transfers under way',
    stepped: true,
    lines: (data) => counted(data).map((line) => ({ ...line, quiet: false })),
    now: (f) => f.split?.under_way ?? Number.NaN,
    empty: 'nothing has been handed over yet',
  },
];
