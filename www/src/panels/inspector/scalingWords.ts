// The description of an autoscaler's decision: fixed sentences around the numbers of its row and its estimate.
import { DASH, durationUs, NBSP, plain, sig3, text } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { ScalingRow } from '../../generated/boundary.ts';

/** A figure of an estimate by its column name on the command line; NaN if unknown. */
export type Figure = (name: string) => number;

/** The figures of a pool's latest estimate at an instant; undefined if there is none. */
export function figureAt(data: ViewColumns | undefined, atUs: number, pool: number): Figure | undefined {
  const column = (name: string): Float64Array | undefined => data?.columns[data.names.indexOf(name)];
  const times = column('t_s');
  const pools = column('pool');
  for (let i = (times?.length ?? 0) - 1; i >= 0; i--) {
    if (pools?.[i] === pool && Math.round((times?.[i] ?? 0) * 1e6) === atUs)
      return (name) => column(name)?.[i] ?? Number.NaN;
  }
  return undefined;
}

/** A number with its unit, or a dash. */
export function withUnit(x: number, unit: string): string {
  return Number.isFinite(x) ? sig3(x) + NBSP + unit : DASH;
}

/** The change in short: +2, −1, no change. */
export function changeOf(row: ScalingRow): string {
  const by = row.desired - row.current;
  if (by === 0) return 'No change';
  return by > 0 ? `+${by}` : `−${-by}`;
}

const RULES: Readonly<Record<string, string>> = {
  hold: 'The deciding metrics are not known yet, so the number stays.',
  'within-tolerance': 'The measured load is close enough to its target.',
  target: 'The measured load needs this number.',
  stabilised: 'An earlier recommendation is still within the stabilisation window.',
  'rate-limited': 'Rate limit: no further change in this period.',
  panic: 'A burst: the short window decides, and no replica is removed.',
  'above-threshold': 'The measured load is above the threshold.',
  'below-threshold': 'The measured load is below the threshold.',
  cooldown: 'It is too soon after the last change.',
  woken: 'A request arrived at the pool, which had no replica.',
  idle: 'No request arrived for long enough.',
  transition: 'Replicas are starting, and the policy waits for them.',
  'gpu-budget': 'More replicas are needed than GPUs allow.',
};

/** The reasons for pools that an optimiser decides about together. */
const TOGETHER: Readonly<Record<string, string>> = {
  'above-threshold':
    'The pools of the model have too little capacity together: replicas are added where capacity costs least.',
  'below-threshold': 'The pools of the model have too much capacity: the most expensive replicas are removed first.',
  'within-tolerance': 'The pools of the model have enough capacity together, or another one of them changes.',
  hold: 'The capacity of a replica of this pool is unknown: the number stays.',
};

/** The settings of a pool that shape its decisions. */
export type Manner = {
  /** Whether the queueing model works as published. */
  readonly asCoded: boolean;
  /** Whether it decides together with other pools. */
  readonly together: boolean;
  /** The share of λ* above which it adds replicas, as in the form. */
  readonly up: number;
};

/** The reason for a decision. */
export function whyOf(row: ScalingRow, figure: Figure | undefined, manner: Manner): string {
  const bound =
    row.clamped === 'to-max'
      ? ` ${row.desired} is the maximum.`
      : row.clamped === 'to-min'
        ? ` ${row.desired} is the minimum.`
        : '';
  const metric = row.metric === '' ? '' : ` Of its metrics, ${row.metric} needs the most.`;
  return ruleOf(row, figure, manner) + metric + bound;
}

function ruleOf(row: ScalingRow, figure: Figure | undefined, manner: Manner): string {
  const rule = RULES[row.rule] ?? row.rule;
  if (!manner.together) return figure ? learntWhy(row, figure, manner) : rule;
  const each = figure?.('replica_per_s') ?? Number.NaN;
  const own = Number.isFinite(each) ? ` This one: ${loadOf(figure, each)}.` : '';
  return (TOGETHER[row.rule] ?? rule) + own;
}

function loadOf(figure: Figure | undefined, each: number): string {
  return `${withUnit(figure?.('demand_per_s') ?? Number.NaN, 'req/s')} at λ* ${sig3(each)} a replica`;
}

function learntWhy(row: ScalingRow, figure: Figure, { asCoded, up }: Manner): string {
  const each = figure('replica_per_s');
  if (row.learnt?.[0] === 'saturated')
    return 'The load exceeds the capacity by the learnt coefficients, so no latency can be predicted: half as many replicas again are requested.';
  if (!Number.isFinite(each)) return 'The capacity of a replica within the objectives is unknown: the number stays.';
  if (asCoded)
    return `${loadOf(figure, each)} ask for ${plain(figure('required'))}. The published rule counts these as present: none is ever missing, so it never asks for more.`;
  const demand = withUnit(figure('demand_per_s'), 'req/s');
  const needs = `${demand} ÷ (λ* ${sig3(each)} × ${plain(up)}) = ${sig3(figure('needed'))} replicas`;
  const enough = sig3(figure('enough'));
  const has = `${row.current} run or start`;
  if (row.rule === 'above-threshold') return `${needs}. ${has}: more are needed.`;
  if (row.rule === 'below-threshold') return `${needs}. ${has}; replicas above ${enough} are removed.`;
  return `${needs}; a replica is removed above ${enough}. ${has}: no change.`;
}

const TUNINGS: Readonly<Record<string, string>> = {
  accepted: 'The measurement is as expected and was used to learn.',
  rejected: 'The measurement is further off than the gate allows: it was rejected, and nothing was learnt.',
  saturated:
    'The load exceeds the capacity by the learnt coefficients: there is no prediction to compare a measurement with.',
  nothing_measured: 'No replica has served long enough or finished a request: there is nothing to learn from.',
  tuner_not_created:
    'The load exceeds the capacity by the coefficients: the published program creates no filter and keeps its state.',
  undefined_h_in_update: 'The published program stops during learning: its earlier state is kept.',
};
const EVENTS: Readonly<Record<string, string>> = {
  guessed: ' It started from a guess based on this measurement.',
  guess_failed: ' No guess was possible: it started from the defaults.',
  widened: ' After five rejections in a row it raises its own uncertainty.',
};

/** The outcome of learning. */
export function tuningOf(row: ScalingRow): string {
  const [status = '', event = ''] = row.learnt ?? [];
  return (TUNINGS[status] ?? '') + (EVENTS[event] ?? '');
}

/** The age of its measurement, and the window of its mean. */
export function seenOf(row: ScalingRow, windowS: number): string {
  if (row.seen_us_ago === undefined) return 'nothing measured yet';
  const age = row.seen_us_ago === 0 ? 'just measured' : `measured ${text(durationUs(row.seen_us_ago))} before`;
  return windowS > 0 ? `${age}, mean of ${plain(windowS)}${NBSP}s` : age;
}
