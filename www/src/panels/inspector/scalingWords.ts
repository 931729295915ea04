// What a decision of an autoscaler is told in: fixed sentences around the numbers of its row and of its estimate.
import { DASH, durationUs, NBSP, plain, sig3, text } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { ScalingRow } from '../../generated/boundary.ts';

/** A figure of an estimate by its name in the rows of the command line; not a number where it is unknown. */
export type Figure = (name: string) => number;

/** The figures of the estimate at an instant of a pool, the latest one; undefined where none was made. */
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

/** What happened, in a few letters: +2, −1, no change. */
export function changeOf(row: ScalingRow): string {
  const by = row.desired - row.current;
  if (by === 0) return 'No change';
  return by > 0 ? `+${by}` : `−${-by}`;
}

const RULES: Readonly<Record<string, string>> = {
  hold: 'Nothing that decides is known yet, so the number stays.',
  'within-tolerance': 'The measured load is near enough to its target.',
  target: 'The measured load asks for this number.',
  stabilised: 'A number that was asked for before is still within the stabilisation window.',
  'rate-limited': 'Rate limit: no further change in this period.',
  panic: 'A burst: the short window decides, and nothing is taken away.',
  'above-threshold': 'The measured load is above the threshold.',
  'below-threshold': 'The measured load is below the threshold.',
  cooldown: 'It is too soon after the last change.',
  woken: 'A request woke the pool, which had no replica.',
  idle: 'There was no request for long enough.',
  transition: 'Replicas start, and the policy waits for them.',
  'gpu-budget': 'More are asked for than there are GPUs for.',
};

/** The same of pools that an optimiser decides about together. */
const TOGETHER: Readonly<Record<string, string>> = {
  'above-threshold': 'The pools of the model carry too little together: more go where capacity costs least.',
  'below-threshold': 'The pools of the model carry more than is needed: the dearest replicas go first.',
  'within-tolerance': 'The pools of the model carry enough together, or another one of them changes.',
  hold: 'Nothing is known of what a replica of this pool carries: the number stays.',
};

/** What a pool's settings say about its decisions. */
export type Manner = {
  /** Whether the queueing model works as it is published. */
  readonly asCoded: boolean;
  /** Whether it decides together with other pools. */
  readonly together: boolean;
  /** The share of λ* above which it asks for more, as the form has it. */
  readonly up: number;
};

/** Why it was decided. */
export function whyOf(row: ScalingRow, figure: Figure | undefined, manner: Manner): string {
  const bound =
    row.clamped === 'to-max'
      ? ` ${row.desired} is the maximum.`
      : row.clamped === 'to-min'
        ? ` ${row.desired} is the minimum.`
        : '';
  const metric = row.metric === '' ? '' : ` Of its metrics, ${row.metric} asks for the most.`;
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
    return 'More arrives than the coefficients learnt can carry, so no latency can be predicted: half as many replicas again are asked for.';
  if (!Number.isFinite(each))
    return 'Nothing is known of what a replica carries within the objectives: the number stays.';
  if (asCoded)
    return `${loadOf(figure, each)} ask for ${plain(figure('required'))}. The published rule counts these as if they were there: nothing is ever missing, and it never asks for more.`;
  const demand = withUnit(figure('demand_per_s'), 'req/s');
  const needs = `${demand} ÷ (λ* ${sig3(each)} × ${plain(up)}) = ${sig3(figure('needed'))} replicas`;
  const enough = sig3(figure('enough'));
  const has = `${row.current} run or start`;
  if (row.rule === 'above-threshold') return `${needs}. ${has}: more are needed.`;
  if (row.rule === 'below-threshold') return `${needs}. ${has}; what is above ${enough} is removed.`;
  return `${needs}; a replica is removed above ${enough}. ${has}: no change.`;
}

const TUNINGS: Readonly<Record<string, string>> = {
  accepted: 'The measurement fits what was expected and was learnt from.',
  rejected: 'The measurement was further off than the gate allows: it was rejected, and nothing was learnt.',
  saturated: 'More arrives than the coefficients learnt can carry: there is nothing to compare a measurement with.',
  nothing_measured: 'No replica has served for long enough, or finished a request: there is nothing to learn from.',
  tuner_not_created:
    'More arrives than the coefficients can carry: the published program makes no filter and keeps what it has.',
  undefined_h_in_update: 'In the middle of learning the published program ends: what it had is kept.',
};
const EVENTS: Readonly<Record<string, string>> = {
  guessed: ' It began with a guess from this measurement.',
  guess_failed: ' No guess could be made: it began with the defaults.',
  widened: ' After five rejections in a row it takes itself to be less sure.',
};

/** How learning went. */
export function tuningOf(row: ScalingRow): string {
  const [status = '', event = ''] = row.learnt ?? [];
  return (TUNINGS[status] ?? '') + (EVENTS[event] ?? '');
}

/** How old what it saw was, and over how long it is a mean. */
export function seenOf(row: ScalingRow, windowS: number): string {
  if (row.seen_us_ago === undefined) return 'nothing measured yet';
  const age = row.seen_us_ago === 0 ? 'just measured' : `measured ${text(durationUs(row.seen_us_ago))} before`;
  return windowS > 0 ? `${age}, mean of ${plain(windowS)}${NBSP}s` : age;
}
