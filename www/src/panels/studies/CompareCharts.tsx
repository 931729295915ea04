// Both runs on the same axes: A solid, B dashed, the area between them filled where B is better and hatched where it is
// worse.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { durationMs, percent, plain, signed, text } from '../../base/units.ts';
import { linearTop, logCeil, logFloor, logTicks, timeTicks } from '../../charts/scales.ts';
import type { EcdfPart, RunComparison, StripPoint, TheoryOfRun, View } from '../../generated/boundary.ts';
import type { Charts } from '../../state/compare.ts';
import { type TheoryRun, theoryOfRun } from '../../state/theory.ts';
import { Axes, along, lineOf, type Place, roomIn, StudyFigure, type Tick, tickMs, upward } from './StudyFigure.tsx';
import { LawChoice, ViolatedOf } from './TheoryKey.tsx';
import { paths, pieces, placed } from './theoryLine.ts';
import { createTheorySwitch } from './theorySwitch.ts';

type Line = {
  readonly view: View;
  readonly column: string;
  readonly title: string;
  readonly unit: string;
  readonly log: boolean;
};
const LINES: readonly Line[] = [
  { view: 'ttft-over-time', column: 'p99_ms', title: 'TTFT p99', unit: 's, log', log: true },
  { view: 'e2e-over-time', column: 'p99_ms', title: 'E2E p99', unit: 's, log', log: true },
  { view: 'health', column: 'missed_percent', title: 'Objectives missed', unit: '% of ended', log: false },
  { view: 'fleet-load', column: 'waiting', title: 'Waiting at replicas', unit: 'requests', log: false },
  { view: 'fleet-load', column: 'kv_percent', title: 'KV blocks in use', unit: '% at the fullest replica', log: false },
];

type Series = { readonly t: Float64Array; readonly v: Float64Array };

export function CompareCharts(props: {
  comparison: RunComparison | undefined;
  charts: Charts | undefined;
  onPair: (a: number, b: number) => void;
  /** Both runs at their present instants. */
  runs: () => Promise<readonly [TheoryRun, TheoryRun] | undefined>;
}): JSX.Element {
  const strip = (): readonly StripPoint[] => props.comparison?.detail.ttft_ms.paired?.strip ?? [];
  const [theory, setTheory] = createSignal<readonly TheoryOfRun[]>([]);
  return (
    <div class="compare-charts">
      <TheoryRow comparison={props.comparison} runs={props.runs} theory={theory()} onTheory={setTheory} />
      <Strip points={strip()} onPair={props.onPair} />
      <div class="compare-ecdfs">
        <Ecdf title="TTFT" part={props.comparison?.detail.ttft_ms.ecdf} />
        <Ecdf title="E2E" part={props.comparison?.detail.e2e_ms.ecdf} />
      </div>
      <For each={LINES}>
        {(line) => (
          <Overlay
            line={line}
            a={seriesOf(props.charts?.a, line)}
            b={seriesOf(props.charts?.b, line)}
            theory={theory()}
          />
        )}
      </For>
    </div>
  );
}

/** A law for each run: the switch, the choice, and the violated assumptions of each run. */
function TheoryRow(props: {
  comparison: RunComparison | undefined;
  runs: () => Promise<readonly [TheoryRun, TheoryRun] | undefined>;
  theory: readonly TheoryOfRun[];
  onTheory: (found: readonly TheoryOfRun[]) => void;
}): JSX.Element {
  const { shown, toggle, law, setLaw, failed } = createTheorySwitch(
    () => props.comparison,
    async (law) => {
      const runs = await props.runs();
      return runs && Promise.all(runs.map((run) => theoryOfRun(run, law)));
    },
    (found) => props.onTheory(found ?? []),
  );
  return (
    <div class="theory-row">
      <button type="button" class="btn box" aria-pressed={shown()} onClick={toggle}>
        Theory
      </button>
      <Show when={shown()}>
        <LawChoice theory={props.theory[0]?.theory} law={law()} onLaw={setLaw} label="Law of queueing theory" />
        <Show when={failed()}>no law could be computed</Show>
        <For each={props.theory}>
          {(of, i) => (
            <>
              <span>
                {i() === 0 ? 'A' : 'B'}: {of.theory.laws.find((l) => l.law === of.theory.chosen)?.title}, a mean beside
                the p99 of the runs
              </span>
              <ViolatedOf theory={of.theory} />
            </>
          )}
        </For>
      </Show>
    </div>
  );
}

function seriesOf(answers: Charts['a'] | undefined, line: Line): Series | undefined {
  const found = answers?.find((answer) => answer.view === line.view);
  const [t, v] = [found?.columns[found.names.indexOf('t_s')], found?.columns[found.names.indexOf(line.column)]];
  return t && v ? { t, v } : undefined;
}

/** Instants on the horizontal axis. */
const instants = (endS: number, width: number): readonly Tick[] =>
  timeTicks(endS, roomIn(width), 64).map((s) => [s, plain(s)]);

function Overlay(props: {
  line: Line;
  a: Series | undefined;
  b: Series | undefined;
  theory: readonly TheoryOfRun[];
}): JSX.Element {
  const lawOf = (of: TheoryOfRun): readonly (number | null)[] =>
    props.line.view === 'ttft-over-time' ? of.line.ttft_ms : props.line.view === 'e2e-over-time' ? of.line.e2e_ms : [];
  const values = createMemo(() =>
    [...(props.a?.v ?? []), ...(props.b?.v ?? []), ...props.theory.flatMap(lawOf).map((v) => v ?? Number.NaN)].filter(
      (v) => Number.isFinite(v) && v > 0,
    ),
  );
  const range = createMemo((): readonly [number, number] => {
    const most = values().reduce((x, y) => Math.max(x, y), 0);
    if (!props.line.log) return [0, linearTop(most)];
    const least = values().reduce((x, y) => Math.min(x, y), most);
    return most > 0 ? [logFloor(least), logCeil(most)] : [1, 10];
  });
  const endS = createMemo(() => Math.max(1, props.a?.t.at(-1) ?? 1, props.b?.t.at(-1) ?? 1));
  const y = (v: number): number => {
    const [low, high] = range();
    const share = props.line.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
    return upward(share);
  };
  const ticks = createMemo((): readonly Tick[] =>
    props.line.log
      ? logTicks(...range(), 4).map((v) => [v, plain(v / 1000)])
      : [0, range()[1] / 2, range()[1]].map((v) => [v, plain(v)]),
  );
  return (
    <StudyFigure
      title={
        <>
          <b>{props.line.title}</b> <span class="s">{props.line.unit}</span>
        </>
      }
      label={`${props.line.title} over time, A solid and B dashed; the figures above compare them`}
    >
      {(width) => {
        const x = (s: number): number => along(s / endS(), width);
        return (
          <>
            <Axes width={width} rows={ticks()} y={y} columns={instants(endS(), width)} x={x} unit="s" />
            <For each={bands(props.a, props.b)}>
              {(band) => <path class={band.worse ? 'worse' : 'better'} d={areaOf(band.points, x, y)} />}
            </For>
            <path class="line a" d={pathOf(props.a, x, y)} />
            <path class="line b" d={pathOf(props.b, x, y)} />
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
          </>
        );
      }}
    </StudyFigure>
  );
}

type Band = { readonly worse: boolean; readonly points: readonly (readonly [t: number, a: number, b: number])[] };

/** Stretches of time where B is better or worse and both runs have values. Lower is better in all charts. */
function bands(a: Series | undefined, b: Series | undefined): readonly Band[] {
  if (!a || !b) return [];
  const all: { worse: boolean; points: [number, number, number][] }[] = [];
  const most = Math.min(a.t.length, b.t.length);
  for (let i = 0; i < most; i++) {
    const [t, va, vb] = [a.t[i] ?? 0, a.v[i] ?? Number.NaN, b.v[i] ?? Number.NaN];
    if (t !== b.t[i] || !Number.isFinite(va) || !Number.isFinite(vb)) continue;
    const last = all.at(-1);
    if (!last || last.worse !== vb > va) all.push({ worse: vb > va, points: [] });
    if (last && last.worse !== vb > va) last.points.push([t, va, vb]);
    all.at(-1)?.points.push([t, va, vb]);
  }
  return all;
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

/** The axis is linear up to a millisecond; beyond, each decade has the same length. */
function symmetric(ms: number): number {
  return Math.sign(ms) * Math.log10(1 + Math.abs(ms));
}

function Strip(props: { points: readonly StripPoint[]; onPair: (a: number, b: number) => void }): JSX.Element {
  const most = createMemo(() =>
    Math.max(1, ...props.points.flatMap((p) => [Math.abs(symmetric(p.min_ms)), Math.abs(symmetric(p.max_ms))])),
  );
  const endS = createMemo(() => Math.max(1, props.points.at(-1)?.t_s ?? 1));
  const y = (ms: number): number => upward(0.5 + symmetric(ms) / (2 * most()));
  const ticks = createMemo((): readonly Tick[] => {
    const decades = Math.floor(most());
    const [top, middle] = [10 ** decades, 10 ** Math.floor(decades / 2)];
    const all = [...new Set([top, middle, 0, -middle, -top])];
    return all.map((ms) => [ms, ms === 0 ? '0' : text(signed(durationMs(ms)))]);
  });
  return (
    <StudyFigure
      title={
        <>
          <b>Difference for each request</b>{' '}
          <span
            class="s"
            title="Symmetric log. A stem goes from the best to the worst of a group of requests; its dot is the largest difference and opens both waterfalls"
          >
            TTFT in B − A; above 0: slower in B
          </span>
        </>
      }
      label={`TTFT of each request in B minus A, over the time of arrival, ${props.points.length} marks; the lists beside open the largest`}
    >
      {(width) => {
        const x = (s: number): number => along(s / endS(), width);
        return (
          <>
            <Axes width={width} rows={ticks()} y={y} columns={instants(endS(), width)} x={x} unit="s" />
            <For each={props.points}>
              {(p) => (
                // biome-ignore lint/a11y/noStaticElementInteractions: the lists of what moved most are the keyboard's way to choose one
                <g
                  class={p.diff_ms > 0 ? 'mark-worse' : 'mark-better'}
                  onClick={() => props.onPair(p.request_a, p.request_b)}
                >
                  <title>{`#${p.request_a}: ${text(signed(durationMs(p.diff_ms)))}; ${p.count} requests from ${text(signed(durationMs(p.min_ms)))} to ${text(signed(durationMs(p.max_ms)))}`}</title>
                  <path d={`M${x(p.t_s).toFixed(1)} ${y(p.min_ms).toFixed(1)}V${y(p.max_ms).toFixed(1)}`} />
                  <circle cx={x(p.t_s).toFixed(1)} cy={y(p.diff_ms).toFixed(1)} r="2.2" />
                </g>
              )}
            </For>
          </>
        );
      }}
    </StudyFigure>
  );
}

function Ecdf(props: { title: string; part: EcdfPart | undefined }): JSX.Element {
  const all = createMemo(() =>
    [...(props.part?.a ?? []), ...(props.part?.b ?? [])].map(([ms]) => ms).filter((ms) => ms > 0),
  );
  const range = createMemo((): readonly [number, number] => {
    const most = all().reduce((x, y) => Math.max(x, y), 0);
    return most > 0 ? [logFloor(all().reduce((x, y) => Math.min(x, y), most)), logCeil(most)] : [1, 1000];
  });
  const y = (share: number): number => upward(share / 100);
  return (
    <StudyFigure
      title={
        <>
          <b>{props.title}</b> <span class="s">% of requests, log</span>
          <Show when={props.part}>
            {(part) => <span class="compare-apart">{text(durationMs(part().area_ms))} apart on average</span>}
          </Show>
        </>
      }
      label={`Distribution of ${props.title}: A solid, B dashed; the figures above have its percentiles`}
    >
      {(width) => {
        const [low, high] = range();
        const x = (ms: number): number => along(Math.log(Math.max(ms, low) / low) / Math.log(high / low), width);
        const path = (points: readonly [number, number][] | undefined): string =>
          points && points.length > 0
            ? `M${points.map(([ms, share]) => `${x(ms).toFixed(1)} ${y(share).toFixed(1)}`).join('L')}`
            : '';
        return (
          <>
            <Axes
              width={width}
              rows={[0, 50, 90].map((share) => [share, text(percent(share / 100))])}
              y={y}
              columns={logTicks(low, high, 4).map((ms) => [ms, tickMs(ms)])}
              x={x}
            />
            <Show when={props.part}>
              {(part) => (
                <path class="between" d={`${path(part().a)}${path(part().b.toReversed()).replace('M', 'L')}Z`} />
              )}
            </Show>
            <path class="line a" d={path(props.part?.a)} />
            <path class="line b" d={path(props.part?.b)} />
          </>
        );
      }}
    </StudyFigure>
  );
}
