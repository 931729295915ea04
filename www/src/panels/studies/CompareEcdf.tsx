// The distributions of a time in both runs: A solid, B dashed, the area between them filled where B is better and
// hatched where it is worse, with the differences of two percentiles.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { durationMs, percent, signed, text } from '../../base/units.ts';
import { logTicks } from '../../charts/scales.ts';
import type { Difference, EcdfPart, MetricComparison } from '../../generated/boundary.ts';
import { Axes, along, EDGE, footOf, logRange, type Place, StudyFigure, tickMs, upward } from './StudyFigure.tsx';

const HEIGHT = 172;
/** Steps of the fill between both lines. */
const STEPS = 100;

type Points = readonly (readonly [ms: number, share: number])[];

/** The value below which a share of the requests lies, in percent; between two points in a straight line. */
export function valueAt(points: Points, share: number): number | undefined {
  const i = points.findIndex(([, s]) => s >= share);
  const [above, below] = [points[i], points[i - 1]];
  if (!above) return undefined;
  if (!below || above[1] === below[1]) return above[0];
  return below[0] + ((above[0] - below[0]) * (share - below[1])) / (above[1] - below[1]);
}

type Slice = { readonly worse: boolean; readonly points: readonly (readonly [share: number, a: number, b: number])[] };

/** Stretches of shares in which B is better or worse. */
export function slices(a: Points, b: Points): readonly Slice[] {
  const all: { worse: boolean; points: [number, number, number][] }[] = [];
  for (let k = 0; k <= STEPS; k++) {
    const share = (100 * k) / STEPS;
    const [va, vb] = [valueAt(a, share), valueAt(b, share)];
    if (va === undefined || vb === undefined) continue;
    const last = all.at(-1);
    if (last?.worse !== vb > va) all.push({ worse: vb > va, points: [] });
    if (last && last.worse !== vb > va) last.points.push([share, va, vb]);
    all.at(-1)?.points.push([share, va, vb]);
  }
  return all;
}

export function Ecdf(props: {
  title: string;
  part: EcdfPart | undefined;
  metric: MetricComparison | undefined;
  limitMs: number;
}): JSX.Element {
  const range = createMemo(() => logRange([...(props.part?.a ?? []), ...(props.part?.b ?? [])].map(([ms]) => ms)));
  const foot = footOf(HEIGHT);
  const y = (share: number): number => upward(share / 100, foot);
  return (
    <StudyFigure
      height={HEIGHT}
      title={
        <>
          <b>{props.title}</b> <span class="s">% of requests, log</span>
          <Show when={props.part}>
            {(part) => (
              <span class="compare-apart" title="Mean distance of both lines">
                {text(durationMs(part().area_ms))} apart
              </span>
            )}
          </Show>
        </>
      }
      label={`Distribution of ${props.title}: A solid, B dashed; the figures above have its percentiles`}
    >
      {(width) => {
        const [low, high] = range();
        const x = (ms: number): number => along(Math.log(Math.max(ms, low) / low) / Math.log(high / low), width);
        /** Whether the objective is so far right that its name stands before it. */
        const isRight = (): boolean => x(props.limitMs) + 32 > width;
        const path = (points: Points | undefined): string =>
          points && points.length > 0
            ? `M${points.map(([ms, share]) => `${x(ms).toFixed(1)} ${y(share).toFixed(1)}`).join('L')}`
            : '';
        return (
          <>
            <Axes
              width={width}
              height={HEIGHT}
              rows={[0, 50, 90, 99].map((share) => [share, share === 99 ? '' : text(percent(share / 100))])}
              y={y}
              columns={logTicks(low, high, 4).map((ms) => [ms, tickMs(ms)])}
              x={x}
            />
            <Show when={props.part}>
              {(part) => (
                <For each={slices(part().a, part().b)}>
                  {(slice) => <path class={slice.worse ? 'worse' : 'better'} d={areaOf(slice, x, y)} />}
                </For>
              )}
            </Show>
            <path class="line a" d={path(props.part?.a)} />
            <path class="line b" d={path(props.part?.b)} />
            <Show when={props.limitMs > low && props.limitMs < high}>
              <path class="study-limit" d={`M${x(props.limitMs)} ${EDGE.top}V${foot}`} />
              <text
                class="study-limit-name"
                x={x(props.limitMs) + (isRight() ? -4 : 4)}
                y={foot - 5}
                text-anchor={isRight() ? 'end' : 'start'}
              >
                SLO
              </text>
            </Show>
            <Apart of={props.metric?.p50} y={y(50)} x={x} width={width} />
            <Apart of={props.metric?.p90} y={y(90)} x={x} width={width} />
          </>
        );
      }}
    </StudyFigure>
  );
}

function areaOf(slice: Slice, x: Place, y: Place): string {
  const there = slice.points.map(([share, a]) => `${x(a).toFixed(1)} ${y(share).toFixed(1)}`);
  const back = slice.points.toReversed().map(([share, , b]) => `${x(b).toFixed(1)} ${y(share).toFixed(1)}`);
  return `M${[...there, ...back].join('L')}Z`;
}

/** A percentile in both: a filled dot for A, a hollow one for B, and the difference beside the right one. */
function Apart(props: { of: Difference | undefined; y: number; x: Place; width: number }): JSX.Element {
  const ends = (): readonly [number, number] | undefined =>
    props.of && props.of.a !== null && props.of.b !== null ? [props.x(props.of.a), props.x(props.of.b)] : undefined;
  const right = (): number => Math.max(...(ends() ?? [0]));
  const wide = (): number => right() - Math.min(...(ends() ?? [0]));
  /** Below the bar if that is long enough, else beside it. */
  const place = (): readonly [x: number, anchor: 'middle' | 'start'] => {
    const fits = right() + 62 < props.width;
    return wide() <= 46 && fits ? [right() + 7, 'start'] : [right() - wide() / 2, 'middle'];
  };
  const said = (): string => text(signed(durationMs(props.of?.diff ?? 0)));
  return (
    <Show when={ends()}>
      {(at) => (
        <>
          <path class={`ecdf-apart ${at()[1] > at()[0] ? 'lost' : 'gained'}`} d={`M${at()[0]} ${props.y}H${at()[1]}`} />
          <circle class="ecdf-a" cx={at()[0]} cy={props.y} r="3" />
          <circle class="ecdf-b" cx={at()[1]} cy={props.y} r="3" />
          <Show when={Math.abs(at()[1] - at()[0]) > 8}>
            <text
              class={at()[1] > at()[0] ? 'lost' : 'gained'}
              x={place()[0]}
              y={props.y + 14}
              text-anchor={place()[1]}
            >
              {said()}
            </text>
          </Show>
        </>
      )}
    </Show>
  );
}
