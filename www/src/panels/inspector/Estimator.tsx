// The estimates of a queueing model's filter, decision by decision: its coefficients beside the true values if known,
// the errors of measurements, the capacity of a replica, and the objectives that follow.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { NBSP, plain, sig3 } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { ScalingRow } from '../../generated/boundary.ts';
import { Block } from '../parts/Block.tsx';
import { type Figure, tuningOf, withUnit } from './scalingWords.ts';
import { Validity } from './Validity.tsx';

const TALL = 44;

/** A coefficient: its symbol, the prefix of its columns, its unit and the number of units in a millisecond. */
const COEFFICIENTS = [
  { sign: 'α', key: 'alpha', unit: 'ms', of: '', factor: 1 },
  { sign: 'β', key: 'beta', unit: 'µs', of: 'a token', factor: 1e3 },
  { sign: 'γ', key: 'gamma', unit: 'ns', of: 'a token of context', factor: 1e6 },
] as const;

export type EstimatorProps = {
  readonly row: ScalingRow;
  readonly figure: Figure;
  readonly data: ViewColumns | undefined;
  readonly pool: number;
  readonly multiplier: number;
  readonly nowS: number;
  readonly endS: number;
};

/** Figures of one pool over time. */
type Course = (name: string) => readonly number[];

export function Estimator(props: EstimatorProps): JSX.Element {
  const course = createMemo((): Course => {
    const { data, pool } = props;
    const pools = data?.columns[data.names.indexOf('pool')];
    return (name) => Array.from(data?.columns[data.names.indexOf(name)] ?? []).filter((_, i) => pools?.[i] === pool);
  });
  const truth = (): boolean => Number.isFinite(props.figure('true_alpha_ms'));
  return (
    <>
      <Block title="Estimator" remark={truth() ? 'estimate, 95 % band, true dotted' : 'estimate, 95 % band'}>
        <p class="say scaling-tuning">
          {tuningOf(props.row)} In this cycle {plain(props.figure('updates_accepted'))} accepted,{' '}
          {plain(props.figure('updates_rejected'))} rejected.
        </p>
        <div class="est">
          <For each={COEFFICIENTS}>
            {(c) => (
              <Coefficient
                {...props}
                sign={c.sign}
                name={c.key}
                unit={c.unit}
                of={c.of}
                factor={c.factor}
                course={course()}
              />
            )}
          </For>
          <Innovations course={course()} {...props} />
          <Carried course={course()} {...props} />
          <span class="est-axis from">0</span>
          <span class="est-axis to">{plain(props.endS)} s</span>
        </div>
      </Block>
      <SloPath {...props} />
      <Validity />
    </>
  );
}

type TrackProps = EstimatorProps & { readonly course: Course };

/** Lowest and highest value drawn, with a small margin. */
function rangeOf(lists: readonly (readonly number[])[]): readonly [number, number] {
  const all = lists.flat().filter(Number.isFinite);
  if (all.length === 0) return [0, 1];
  const low = Math.min(...all);
  const high = Math.max(...all);
  const room = Math.max(0.08 * (high - low), 0.02 * Math.abs(high), 1e-12);
  return [Math.max(0, low - room), high + room];
}

function Coefficient(
  props: TrackProps & {
    readonly sign: string;
    readonly name: string;
    readonly unit: string;
    readonly of: string;
    readonly factor: number;
  },
): JSX.Element {
  const scaled = (name: string): number[] => props.course(name).map((x) => x * props.factor);
  const values = (): number[] => scaled(`${props.name}_ms`);
  const bands = (): number[] => scaled(`${props.name}_band_ms`);
  const truths = (): number[] => scaled(`true_${props.name}_ms`);
  const low = (): number[] => values().map((v, i) => v - (bands()[i] ?? 0));
  const high = (): number[] => values().map((v, i) => v + (bands()[i] ?? 0));
  const range = createMemo(() => rangeOf([low(), high(), truths()]));
  const now = (name: string): number => props.figure(name) * props.factor;
  const value = (): string => withUnit(now(`${props.name}_ms`), props.unit);
  const band = (): string => sig3(now(`${props.name}_band_ms`));
  const truth = (): string => withUnit(now(`true_${props.name}_ms`), props.unit);
  const known = (): boolean => Number.isFinite(now(`true_${props.name}_ms`));
  return (
    <Track
      {...props}
      label={`${props.sign} ${props.of} over time: ${value()}, 95 % within ${band()}${known() ? `, true ${truth()}` : ''}`}
      range={range()}
      draw={(x, y) => (
        <>
          <path class="band" d={bandOf(x, y, low(), high())} />
          <path class="truth" d={lineOf(x, y, truths())} />
          <path class="line" d={lineOf(x, y, values())} />
        </>
      )}
    >
      <b>{value()}</b>
      <span>± {band()}</span>
      <Show when={known()}>
        <span>true {truth()}</span>
      </Show>
    </Track>
  );
}

/** The NIS of each cycle on a logarithmic axis, with the gate above which an update is rejected. */
function Innovations(props: TrackProps): JSX.Element {
  const LEAST = 0.001;
  const GATE = (): number => props.course('nis_gate').findLast(Number.isFinite) ?? Number.NaN;
  const log = (x: number): number => Math.log10(Math.max(x, LEAST));
  const nis = (): readonly number[] => props.course('nis');
  const rejected = (i: number): boolean => (nis()[i] ?? 0) >= (props.course('nis_gate')[i] ?? Number.NaN);
  const range = createMemo((): readonly [number, number] => {
    const [low, high] = rangeOf([nis().map((x) => Math.max(x, LEAST)), [0.1, Number.isFinite(GATE()) ? GATE() : 10]]);
    return [Math.floor(log(low)), Math.ceil(log(high))];
  });
  const now = (): string => (Number.isFinite(props.figure('nis')) ? sig3(props.figure('nis')) : 'no update');
  const updates = (): string =>
    `${plain(props.figure('updates_accepted'))} accepted, ${plain(props.figure('updates_rejected'))} rejected`;
  return (
    <Track
      {...props}
      sign="NIS"
      label={`Normalised innovation squared of each cycle, logarithmic; now ${now()}, ${updates()}`}
      range={range()}
      log
      draw={(x, y) => (
        <>
          <Show when={Number.isFinite(GATE())}>
            <path class="gate" d={`M0 ${y(log(GATE()))}H100`} />
          </Show>
          <For each={nis().map((value, i) => ({ value, i }))}>
            {({ value, i }) => (
              <Show when={Number.isFinite(value)}>
                <path class="dot" classList={{ rejected: rejected(i) }} d={`M${x(i)} ${y(log(value))}h0`} />
                <Show when={rejected(i)}>
                  <path class="hole" d={`M${x(i)} ${y(log(value))}h0`} />
                </Show>
              </Show>
            )}
          </For>
        </>
      )}
    >
      <b>{now()}</b>
      <Show when={Number.isFinite(GATE())} fallback={<span>no gate yet</span>}>
        <span>
          gate {GATE()}, 97.5{NBSP}%
        </span>
      </Show>
    </Track>
  );
}

function Carried(props: TrackProps): JSX.Element {
  const values = (): readonly number[] => props.course('replica_per_s');
  const truths = (): readonly number[] => props.course('true_replica_per_s');
  const range = createMemo(() => rangeOf([values(), truths()]));
  const value = (): string => withUnit(props.figure('replica_per_s'), 'req/s');
  const truth = (): string => withUnit(props.figure('true_replica_per_s'), 'req/s');
  const error = (): number => props.figure('replica_error_percent');
  const sign = (): string => (error() < 0 ? '−' : '+');
  return (
    <Track
      {...props}
      sign="λ*"
      label={`Capacity of a replica over time: ${value()}${Number.isFinite(error()) ? `, true ${truth()}` : ''}`}
      range={range()}
      draw={(x, y) => (
        <>
          <path class="truth" d={lineOf(x, y, truths())} />
          <path class="line" d={lineOf(x, y, values())} />
        </>
      )}
    >
      <b>{value()}</b>
      <Show when={Number.isFinite(error())}>
        <span>true {truth()}</span>
        <span>
          {sign()}
          {sig3(Math.abs(error()))}
          {NBSP}%
        </span>
      </Show>
    </Track>
  );
}

type Place = (at: number) => number;

/** One chart over time: its symbol and two ticks on the left, the present value on the right. */
function Track(
  props: TrackProps & {
    readonly sign: string;
    readonly label: string;
    readonly range: readonly [number, number];
    readonly log?: boolean;
    readonly draw: (x: Place, y: Place) => JSX.Element;
    readonly children: JSX.Element;
  },
): JSX.Element {
  const times = (): readonly number[] => props.course('t_s');
  const across = (s: number): number => (100 * s) / Math.max(1e-6, props.endS);
  const x: Place = (i) => across(times()[i] ?? 0);
  const y: Place = (v) =>
    TALL - 4 - ((TALL - 8) * (v - props.range[0])) / Math.max(1e-12, props.range[1] - props.range[0]);
  const tick = (v: number): string => (props.log ? plain(10 ** v) : sig3(v));
  return (
    <>
      <span class="est-sign">
        <b>{props.sign}</b>
        <span class="est-top">{tick(props.range[1])}</span>
        <span class="est-foot">{tick(props.range[0])}</span>
      </span>
      <svg class="est-chart" viewBox={`0 0 100 ${TALL}`} preserveAspectRatio="none" role="img" aria-label={props.label}>
        <path class="playhead" d={`M${across(props.nowS)} 0V${TALL}`} />
        {props.draw(x, y)}
        <path class="future" d={`M${across(props.nowS)} 0H100V${TALL}H${across(props.nowS)}Z`} />
      </svg>
      <span class="est-now">{props.children}</span>
    </>
  );
}

/** A line through the known values, with gaps for unknown ones. */
function lineOf(x: Place, y: Place, values: readonly number[]): string {
  let path = '';
  let broken = true;
  values.forEach((v, i) => {
    if (!Number.isFinite(v)) broken = true;
    else {
      path += broken ? `M${x(i)} ${y(v)}h0` : `L${x(i)} ${y(v)}`;
      broken = false;
    }
  });
  return path;
}

function bandOf(x: Place, y: Place, low: readonly number[], high: readonly number[]): string {
  const known = low.flatMap((v, i) => (Number.isFinite(v) ? [i] : []));
  if (known.length < 2) return '';
  const up = known.map((i) => `${x(i)} ${y(high[i] ?? 0)}`);
  const down = known.toReversed().map((i) => `${x(i)} ${y(low[i] ?? 0)}`);
  return `M${[...up, ...down].join('L')}Z`;
}

const PATHS = [
  ['explicit', 'given in the settings'],
  ['inferred', 'from the learnt coefficients'],
  ['observed', 'from measured latencies, until enough is learnt'],
] as const;

function SloPath(props: EstimatorProps): JSX.Element {
  const path = (): string => props.row.learnt?.[2] ?? '';
  const k = (): string =>
    path() === 'inferred' && Number.isFinite(props.multiplier) ? `k ${plain(props.multiplier)}: ` : '';
  return (
    <section class="blk" aria-label="Where the objectives come from">
      <div class="blk-head">
        <h2>Objectives</h2>
        <ul class="slo-path">
          <For each={PATHS}>
            {([name]) => (
              <li classList={{ m: path() !== name }} aria-current={path() === name ? 'true' : undefined}>
                {path() === name ? '● ' : ''}
                {name}
              </li>
            )}
          </For>
        </ul>
      </div>
      <Show when={path() !== ''} fallback={<p class="say">None: nothing is given, learnt or measured.</p>}>
        <p class="say">
          {k()}mean TTFT ≤ <b>{withUnit(props.figure('goal_ttft_ms'), 'ms')}</b>, mean ITL ≤{' '}
          <b>{withUnit(props.figure('goal_itl_ms'), 'ms')}</b>, {PATHS.find(([name]) => name === path())?.[1]}.
        </p>
      </Show>
    </section>
  );
}
