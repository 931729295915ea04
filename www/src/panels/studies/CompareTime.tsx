// Both runs over time on one axis: A solid, B dashed, the area between them filled where B is better and hatched where
// it is worse.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { plain, type Quantity, text } from '../../base/units.ts';
import { linearTop, logTicks, timeTicks } from '../../charts/scales.ts';
import type { TheoryOfRun, View } from '../../generated/boundary.ts';
import type { Charts } from '../../state/studies/compare.ts';
import type { Scene } from './compareScene.ts';
import {
  Axes,
  along,
  footOf,
  lineOf,
  logRange,
  type Place,
  roomIn,
  StudyFigure,
  type Tick,
  upward,
} from './StudyFigure.tsx';
import { TimeGround, TimeLines } from './TimeMarks.tsx';
import { paths, pieces, placed } from './theoryLine.ts';

/** The height of a name on a chart: without that much room above a line, its name stands below it. */
const LABEL = 14;

/** A chart of both runs: one or two columns of a view. */
export type TimeLine = {
  readonly view: View;
  readonly columns: readonly string[];
  readonly title: string;
  readonly unit: string;
  readonly log: boolean;
  readonly height: number;
  readonly says: (value: number) => Quantity;
  /** The objective, in the unit of the column. */
  readonly limit?: (scene: Scene) => number;
  /** A fixed top of a linear axis. */
  readonly top?: number;
};

export type Series = { readonly t: Float64Array; readonly v: Float64Array };

export function seriesOf(answers: Charts['a'] | undefined, view: View, column: string): Series | undefined {
  const found = answers?.find((answer) => answer.view === view);
  const [t, v] = [found?.columns[found.names.indexOf('t_s')], found?.columns[found.names.indexOf(column)]];
  return t && v ? { t, v } : undefined;
}

/** Instants on the horizontal axis. */
export const instants = (endS: number, width: number): readonly Tick[] =>
  timeTicks(endS, roomIn(width), 64).map((s) => [s, plain(s)]);

type Props = {
  readonly line: TimeLine;
  readonly charts: Charts | undefined;
  readonly scene: Scene;
  readonly theory: readonly TheoryOfRun[];
};

export function TimeOfBoth(props: Props): JSX.Element {
  const pairs = createMemo(() =>
    props.line.columns.map((column) => ({
      a: seriesOf(props.charts?.a, props.line.view, column),
      b: seriesOf(props.charts?.b, props.line.view, column),
    })),
  );
  const lawOf = (of: TheoryOfRun): readonly (number | null)[] =>
    props.line.view === 'ttft-over-time' ? of.line.ttft_ms : props.line.view === 'e2e-over-time' ? of.line.e2e_ms : [];
  const limit = (): number => props.line.limit?.(props.scene) ?? 0;
  const range = createMemo(() => {
    const laws = props.theory.flatMap(lawOf).map((v) => v ?? Number.NaN);
    const all = pairs().flatMap(({ a, b }) => [...(a?.v ?? []), ...(b?.v ?? [])]);
    return rangeOf([...all, ...laws, limit()], props.line);
  });
  const foot = (): number => footOf(props.line.height);
  const y = (v: number): number => {
    const [low, high] = range();
    const share = props.line.log ? Math.log(Math.max(v, low) / low) / Math.log(high / low) : (v - low) / (high - low);
    return upward(share, foot());
  };
  const ticks = createMemo((): readonly Tick[] =>
    props.line.log
      ? logTicks(...range(), 4).map((v) => [v, plain(v / 1000)])
      : [0, range()[1] / 2, range()[1]].map((v) => [v, plain(v)]),
  );
  return (
    <StudyFigure
      height={props.line.height}
      title={
        <>
          <b>{props.line.title}</b> <span class="s">{props.line.unit}</span>
          <span class="compare-apart">{nowOf(props, pairs()[0])}</span>
        </>
      }
      label={`${props.line.title} over time, A solid and B dashed; the figures above compare them`}
    >
      {(width) => {
        const x = (s: number): number => along(s / props.scene.endS, width);
        return (
          <>
            <TimeGround scene={props.scene} x={x} width={width} foot={foot()} />
            <Axes
              width={width}
              height={props.line.height}
              rows={ticks()}
              y={y}
              columns={instants(props.scene.endS, width)}
              x={x}
              unit="s"
            />
            <For each={pairs()}>{(pair) => <Between a={pair.a} b={pair.b} x={x} y={y} />}</For>
            <For each={pairs()}>
              {(pair, i) => (
                <>
                  <path class="line a" classList={{ second: i() > 0 }} d={pathOf(pair.a, x, y)} />
                  <path class="line b" classList={{ second: i() > 0 }} d={pathOf(pair.b, x, y)} />
                </>
              )}
            </For>
            <Show when={limit() > 0}>
              <path class="study-limit" d={`M${along(0, width)} ${y(limit())}H${along(1, width)}`}>
                <title>{`Objective ${text(props.line.says(limit()))}`}</title>
              </path>
              <text
                class="study-limit-name"
                x={along(0, width) + 4}
                y={y(limit()) < LABEL ? y(limit()) + LABEL - 2 : y(limit()) - 3}
              >
                SLO
              </text>
            </Show>
            <For each={props.theory}>
              {(of, i) => {
                const d = () => paths(placed(pieces(of.line.t_s, lawOf(of), of.line.violated), range(), x, y));
                return (
                  <g classList={{ 'theory-of-b': i() === 1 }}>
                    <path class={`theory-path ${i() === 0 ? 'a' : 'b'}`} d={d().kept} />
                    <path class={`theory-path violated ${i() === 0 ? 'a' : 'b'}`} d={d().violated} />
                    <path class="theory-across" d={d().across} />
                  </g>
                );
              }}
            </For>
            <TimeLines scene={props.scene} x={x} width={width} foot={foot()} />
          </>
        );
      }}
    </StudyFigure>
  );
}

/** The range of an axis that holds all positive values; a linear one begins at 0. */
export function rangeOf(
  values: readonly number[],
  { log, top }: Pick<TimeLine, 'log' | 'top'>,
): readonly [number, number] {
  if (log) return logRange(values, [1, 10]);
  return [0, top ?? linearTop(values.reduce((a, b) => (b > a ? b : a), 0))];
}

/** The values at the playhead: A → B. */
function nowOf({ line, scene }: Props, pair: { a: Series | undefined; b: Series | undefined } | undefined): string {
  const at = (series: Series | undefined): number | undefined => {
    const i = series?.t.findLastIndex((t) => t <= scene.nowS) ?? -1;
    const v = series?.v[i];
    return v !== undefined && Number.isFinite(v) ? v : undefined;
  };
  const [a, b] = [at(pair?.a), at(pair?.b)];
  if (a === undefined || b === undefined) return '';
  return `now ${text(line.says(a))} → ${text(line.says(b))}`;
}

type Band = { readonly worse: boolean; readonly points: readonly (readonly [t: number, a: number, b: number])[] };

/** Stretches of time where B is better or worse and both runs have values. Lower is better in all charts. */
export function bands(a: Series | undefined, b: Series | undefined): readonly Band[] {
  if (!a || !b) return [];
  const all: { worse: boolean; points: [number, number, number][] }[] = [];
  const most = Math.min(a.t.length, b.t.length);
  let joined = false;
  for (let i = 0; i < most; i++) {
    const [t, va, vb] = [a.t[i] ?? 0, a.v[i] ?? Number.NaN, b.v[i] ?? Number.NaN];
    if (t !== b.t[i] || !Number.isFinite(va) || !Number.isFinite(vb)) {
      joined = false;
      continue;
    }
    const last = joined ? all.at(-1) : undefined;
    if (last?.worse !== vb > va) all.push({ worse: vb > va, points: [] });
    if (last && last.worse !== vb > va) last.points.push([t, va, vb]);
    all.at(-1)?.points.push([t, va, vb]);
    joined = true;
  }
  return all;
}

function Between(props: { a: Series | undefined; b: Series | undefined; x: Place; y: Place }): JSX.Element {
  return (
    <For each={bands(props.a, props.b)}>
      {(band) => <path class={band.worse ? 'worse' : 'better'} d={areaOf(band.points, props.x, props.y)} />}
    </For>
  );
}

function areaOf(points: Band['points'], x: Place, y: Place): string {
  const there = points.map(([t, a]) => `${x(t).toFixed(1)} ${y(a).toFixed(1)}`);
  const back = points.toReversed().map(([t, , b]) => `${x(t).toFixed(1)} ${y(b).toFixed(1)}`);
  return `M${[...there, ...back].join('L')}Z`;
}

function pathOf(series: Series | undefined, x: Place, y: Place): string {
  return series
    ? lineOf(
        [...series.t].map((t, i) => [t, series.v[i] ?? Number.NaN]),
        x,
        y,
      )
    : '';
}
