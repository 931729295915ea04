// Which charts a run has, and those shown: chosen by the user, or those that suit the run.
import type { Frame, View } from '../generated/boundary.ts';
import { trust } from './trust.ts';

/** A chart by its view; the heat map of TTFT and the steps by batch size are no views, but close-ups. */
export type ChartName = View | 'ttft-density' | 'step-time';

/** What decides which charts a run has. */
export type ChartedRun = {
  /** Whether a pool has an autoscaler. */
  readonly scales: boolean;
  readonly gateway: boolean;
  readonly split: boolean;
};

/** The same of a run by what its frame has. */
export const chartedRun = (frame: Frame | undefined, scales: boolean): ChartedRun => ({
  scales,
  gateway: frame?.gateway !== undefined,
  split: frame?.split !== undefined,
});

type Chart = {
  /** What a run must have, or the chart has no data. */
  readonly needs?: 'gateway' | 'split';
  /** Whether it is beside those over time. */
  readonly beside?: true;
  /** The views that it is drawn from, if not its own alone. */
  readonly views?: readonly View[];
};

/** Every chart that can be shown, in the order of the list to choose from. `charts/titles.ts` has their names. */
const CHARTS = {
  replicas: { views: ['replicas', 'replica-lanes'] },
  'ttft-over-time': {},
  'ttft-density': { views: [] },
  'e2e-over-time': {},
  'itl-over-time': {},
  'wait-over-time': {},
  throughput: {},
  'goodput-over-time': {},
  'attempts-over-time': {},
  'kv-use': {},
  'queue-depth': {},
  running: {},
  'gateway-bands': { needs: 'gateway' },
  stages: { needs: 'split' },
  transfers: { needs: 'split' },
  'ports-out': { needs: 'split' },
  'ports-in': { needs: 'split' },
  'ttft-ecdf': { beside: true },
  'e2e-ecdf': { beside: true },
  'itl-ecdf': { beside: true },
  // Its percentiles are those of the chart over time.
  'wait-ecdf': { beside: true, views: ['wait-ecdf', 'wait-over-time'] },
  'step-time': { beside: true, views: [] },
} satisfies Partial<Record<ChartName, Chart>>;

export type ListedChart = keyof typeof CHARTS;
export const CHART_NAMES = trust<readonly ListedChart[]>(Object.keys(CHARTS));
const chartOf = (name: string): Chart | undefined => trust<Readonly<Record<string, Chart>>>(CHARTS)[name];

/** Whether a chart can have data in this run. */
export function hasChart(name: string, run: ChartedRun): boolean {
  const needs = chartOf(name)?.needs;
  return needs === undefined || run[needs];
}

/** The charts of a run in order: those of a list, which may come from a link, or those that suit it. */
export function chartsShown(list: readonly string[] | undefined, run: ChartedRun): readonly ListedChart[] {
  if (list) {
    const known = [...new Set(list)].flatMap((name) => CHART_NAMES.filter((one) => one === name));
    return known.filter((name) => hasChart(name, run));
  }
  const own = [...(run.gateway ? (['gateway-bands'] as const) : []), ...(run.split ? (['ports-out'] as const) : [])];
  // Four: a chart of what the run has of its own stands in place of another.
  const most = 3 - own.length - (run.scales ? 1 : 0);
  return [
    ...(run.scales ? (['replicas'] as const) : []),
    'ttft-over-time',
    ...own,
    ...(most > 0 ? (['queue-depth'] as const) : []),
    ...(most > 2 ? (['running'] as const) : []),
    ...(most > 1 ? (['throughput'] as const) : []),
  ];
}

export const isDistribution = (name: ChartName): boolean => name.endsWith('-ecdf');
/** Whether a chart is beside those over time. */
export const isBeside = (name: ChartName): boolean => chartOf(name)?.beside === true;

/** The views that charts are drawn from. */
export const viewsOf = (names: readonly ListedChart[]): readonly View[] => [
  ...new Set(names.flatMap((name): readonly View[] => chartOf(name)?.views ?? [trust<View>(name)])),
];

/**
 * Heights that share `total` pixels as `shares` say, none below its `least`. If all together need more than there is,
 * each has its least, and the charts scroll.
 */
export function heightsOf(shares: readonly number[], total: number, least: readonly number[]): readonly number[] {
  const low = new Set<number>();
  const leastOf = (i: number): number => least[i] ?? 0;
  for (;;) {
    const sum = shares.reduce((all, share, i) => all + (low.has(i) ? 0 : share), 0);
    const rest = Math.max(0, total - [...low].reduce((all, i) => all + leastOf(i), 0));
    const part = (share: number): number => (rest * share) / sum;
    const short = shares.flatMap((share, i) => (!low.has(i) && part(share) < leastOf(i) ? [i] : []));
    if (short.length === 0) return shares.map((share, i) => (low.has(i) ? leastOf(i) : Math.floor(part(share))));
    for (const i of short) low.add(i);
  }
}
