// Measured beside simulated: the table shared by benchmarks and experiments, and a distribution with measured dots.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, DASH, durationMs, sig3, text } from '../../base/units.ts';
import type { PercentPoint } from '../../state/studies/measured.ts';
import { errorText, figureName } from './measuredData.ts';

export type MeasuredRow = {
  readonly figure: string;
  readonly low: number;
  readonly high: number;
  readonly simulated: number;
  readonly error: number | undefined;
  /** Whether the simulated figure lies between the bounds of the measured one. */
  readonly inside?: boolean | undefined;
};

/** A figure in its unit. */
export function shown(figure: string, value: number): string {
  if (figure.includes('_ms')) return text(durationMs(value));
  if (figure.startsWith('kv_blocks') || figure.startsWith('preemptions')) return count(value);
  return sig3(value);
}

/** The error at which the bar has full length. */
const MOST = 0.25;

export function MeasuredTable(props: {
  rows: readonly MeasuredRow[];
  /** Whether the load is assumed; differences then may come from the load and are not errors. */
  assumed?: boolean;
}): JSX.Element {
  const bar = (error: number | undefined): string => {
    const size = Math.min(1, Math.abs(error ?? 0) / MOST) * 19;
    return (error ?? 0) < 0 ? `M${20 - size} 3h${size}v6h-${size}z` : `M20 3h${size}v6h-${size}z`;
  };
  return (
    <table class="measured">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col">measured</th>
          <th scope="col">simulated</th>
          <td class="bar-head" />
          <th scope="col">{props.assumed ? 'assumed load' : 'error'}</th>
        </tr>
      </thead>
      <tbody>
        <For each={props.rows}>
          {(row) => (
            <tr>
              <th scope="row">{figureName(row.figure)}</th>
              <td>
                <Show when={row.high > row.low} fallback={shown(row.figure, row.low)}>
                  {shown(row.figure, row.low)} to {shown(row.figure, row.high)}
                </Show>
              </td>
              <td>{shown(row.figure, row.simulated)}</td>
              <td class="bar-cell">
                <svg width="40" height="12" viewBox="0 0 40 12" aria-hidden="true">
                  <path class="error-bar" d={bar(row.error)} />
                  <path class="zero" d="M20 0v12" />
                </svg>
              </td>
              <td>
                <b>{row.inside ? 'inside' : row.error === undefined ? DASH : errorText(row.error)}</b>
              </td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

const W = 300;
const H = 150;
const EDGE = { left: 26, right: 8, top: 8, bottom: 20 } as const;

/** A simulated distribution as the share of requests at or below each value, and measured percentiles as hollow dots. */
export function MeasuredCurve(props: {
  title: string;
  /** Values in ascending order, at equally spaced ranks. */
  simulated: readonly number[];
  measured: readonly PercentPoint[];
  largestGap?: number | undefined;
  /** The edges of the band around the simulated values. */
  band?: readonly [low: readonly number[], high: readonly number[]];
}): JSX.Element {
  const range = createMemo(() => {
    const edges = props.band?.flat() ?? [];
    const all = [...props.simulated, ...edges, ...props.measured.map((m) => m[1])].filter((v) => v > 0);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    return { low: low / 1.15, high: Math.max(high * 1.15, low * 1.4) };
  });
  const x = (v: number): number =>
    EDGE.left +
    ((W - EDGE.left - EDGE.right) * Math.log(Math.max(v, range().low) / range().low)) /
      Math.log(range().high / range().low);
  const y = (percent: number): number => H - EDGE.bottom - ((H - EDGE.top - EDGE.bottom) * percent) / 100;
  const path = createMemo(() =>
    props.simulated
      .map(
        (v, i) => `${i === 0 ? 'M' : 'L'}${x(v).toFixed(1)} ${y((100 * (i + 1)) / props.simulated.length).toFixed(1)}`,
      )
      .join(''),
  );
  const place = (v: number, i: number): string =>
    `${x(v).toFixed(1)} ${y((100 * (i + 1)) / props.simulated.length).toFixed(1)}`;
  const area = createMemo(() => {
    if (!props.band) return '';
    const [low, high] = props.band;
    const back = high.map(place).toReversed();
    return `M${[...low.map(place), ...back].join('L')}z`;
  });
  const ticks = createMemo(() => {
    const { low, high } = range();
    const found: number[] = [];
    for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10)
      for (const k of [1, 2, 5]) if (decade * k >= low && decade * k <= high) found.push(decade * k);
    return found.length > 5 ? found.filter((_, i) => i % Math.ceil(found.length / 5) === 0) : found;
  });
  return (
    <figure class="measured-curve">
      <figcaption>
        <b>{props.title}</b> <i>% of requests</i>
        <Show when={props.largestGap !== undefined}>
          <span class="s">largest gap {props.largestGap?.toFixed(1)} points</span>
        </Show>
      </figcaption>
      <svg
        viewBox={`0 0 ${W} ${H}`}
        role="img"
        aria-label={`${props.title}: simulated distribution with measured percentiles; the table has the figures`}
      >
        <For each={[0, 50, 90, 100]}>
          {(q) => (
            <>
              <path class="grid" d={`M${EDGE.left} ${y(q)}H${W - EDGE.right}`} />
              <text x={EDGE.left - 5} y={y(q) + 4} text-anchor="end">
                {q === 100 ? '' : q}
              </text>
            </>
          )}
        </For>
        <For each={ticks()}>
          {(v) => (
            <text x={x(v)} y={H - 5} text-anchor="middle">
              {text(durationMs(v))}
            </text>
          )}
        </For>
        <path class="band" d={area()} />
        <path class="curve" d={path()} />
        <For each={props.measured}>
          {([percent, ms]) => (
            <circle class="measured-dot" cx={x(ms).toFixed(1)} cy={y(percent).toFixed(1)} r="3.5">
              <title>{`measured p${percent}: ${text(durationMs(ms))}`}</title>
            </circle>
          )}
        </For>
      </svg>
      <p class="truth-legend">
        <Show when={props.measured.length > 0}>
          <svg width="10" height="10" aria-hidden="true">
            <circle class="measured-dot" cx="5" cy="5" r="3.5" />
          </svg>{' '}
          measured
        </Show>
        <svg width="14" height="10" aria-hidden="true">
          <path class="curve" d="M0 5h14" />
        </svg>{' '}
        simulated
        <Show when={props.band}>
          <svg width="14" height="10" aria-hidden="true">
            <path class="band" d="M0 1h14v8h-14z" />
          </svg>{' '}
          95 %
        </Show>
      </p>
    </figure>
  );
}
