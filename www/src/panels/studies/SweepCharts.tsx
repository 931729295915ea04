// The curves of a sweep: each figure over the varied field, with its interval over the seeds, its knee and the
// objective; and cost against TTFT.

import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { durationMs, NBSP, percent, plain, text, usd } from '../../base/units.ts';
import { linearTop, logCeil, logFloor, logTicks } from '../../charts/scales.ts';
import {
  type Capacity,
  type CaseTheory,
  type CurveKnee,
  PERCENTILES,
  type Percentile,
  type SweepPoint,
  type SweepSummary,
  type SweepValue,
} from '../../generated/boundary.ts';
import { Segments } from '../parts/Segments.tsx';
import { Axes, along, FOOT, lineOf, StudyFigure, type Tick, tickMs, upward } from './StudyFigure.tsx';
import { paths, placed } from './theoryLine.ts';

/** The varied field on the horizontal axis: its path, its name, and the document's units per shown unit. */
export type Axis = { readonly path: string; readonly title: string; readonly unit: string; readonly times: number };

type Shown = {
  readonly figure: string;
  readonly title: string;
  readonly unit: string;
  readonly log: boolean;
  readonly says: (value: number) => string;
  readonly limit?: number;
};

/** Points that share all values except the one on the axis. */
type Family = { readonly name: string; readonly points: readonly SweepPoint[] };

export function figureOf(point: SweepPoint, name: string): SweepValue | undefined {
  return point.figures.find((f) => f.name === name);
}

/** The other values of its points, such as the router's name. */
export function nameOf(summary: SweepSummary, point: SweepPoint, along: string): string {
  return point.values.flatMap((value, i) => (summary.paths[i] === along ? [] : [value.replaceAll('"', '')])).join(', ');
}

function families(summary: SweepSummary, axis: Axis): readonly Family[] {
  const at = summary.paths.indexOf(axis.path);
  const found = new Map<string, SweepPoint[]>();
  for (const point of summary.points) {
    const name = nameOf(summary, point, axis.path);
    found.set(name, [...(found.get(name) ?? []), point]);
  }
  const place = (p: SweepPoint): number => Number(p.values[at]);
  return [...found].map(([name, points]) => ({ name, points: points.toSorted((a, b) => place(a) - place(b)) }));
}

/** The predictions of a law for the cases, by their values. */
export type Theories = ReadonlyMap<string, CaseTheory>;

export function SweepCharts(props: {
  summary: SweepSummary;
  axis: Axis;
  ttftMs: number;
  /** The capacity in traffic, if it was found and traffic is on the axis. */
  capacity: Capacity | undefined;
  theory: Theories | undefined;
}): JSX.Element {
  const [percentile, setPercentile] = createSignal<Percentile>('p99');
  const all = createMemo(() => families(props.summary, props.axis));
  const shown = createMemo((): readonly Shown[] => {
    const p = percentile();
    return [
      {
        figure: `ttft_${p}_ms`,
        title: `TTFT ${p}`,
        unit: 'log',
        log: true,
        says: tickMs,
        ...(props.ttftMs > 0 ? { limit: props.ttftMs } : {}),
      },
      { figure: `itl_${p}_ms`, title: `ITL ${p}`, unit: 'log', log: true, says: tickMs },
      {
        figure: 'met_share',
        title: 'Objectives met',
        unit: '% of finished, refused and dropped',
        log: false,
        says: (v) => text(percent(v, 1)),
      },
      { figure: 'goodput_per_s', title: 'Goodput', unit: 'req/s', log: false, says: plain },
      {
        figure: 'usd_per_million_output_tokens',
        title: 'Cost of a million output tokens',
        unit: '$',
        log: false,
        says: usd,
      },
    ];
  });
  const knees = createMemo(() => {
    const curves = props.summary.curves.filter(
      (c) => c.path === props.axis.path && c.figure.endsWith(`${percentile()}_ms`),
    );
    return curves.map((curve) => {
      const [first] = curve.points;
      const point = first === undefined ? undefined : props.summary.points[first];
      return { ...curve, name: point ? nameOf(props.summary, point, props.axis.path) : '' };
    });
  });
  return (
    <div class="compare-charts">
      <div class="sweep-keys">
        <Segments
          label="Percentile of the times"
          options={PERCENTILES}
          chosen={percentile()}
          onChoose={setPercentile}
        />
        <Show when={all().length > 1}>
          <For each={all()}>
            {(family, i) => (
              <span>
                <svg class="compare-key" width="28" height="8" viewBox="0 0 28 8" aria-hidden="true">
                  <path class={`line sweep-${i() % 4}`} d="M1 4h26" />
                </svg>
                {family.name}
              </span>
            )}
          </For>
        </Show>
        <span class="s">means over the seeds, bars: 95 % intervals; ◆ knee</span>
      </div>
      <div class="sweep-charts">
        <For each={shown()}>
          {(figure) => (
            <Curves
              shown={figure}
              axis={props.axis}
              at={props.summary.paths.indexOf(props.axis.path)}
              families={all()}
              knees={knees().filter((k) => k.figure === figure.figure)}
              capacity={figure.limit !== undefined || figure.figure === 'met_share' ? props.capacity : undefined}
              theory={props.theory}
            />
          )}
        </For>
        <Front summary={props.summary} />
      </div>
      <ul class="sweep-knees">
        <For each={knees()}>
          {(k) => (
            <li>
              <Show when={k.name}>
                <b>{k.name}: </b>
              </Show>
              {kneeWords(k, props.axis, props.summary)}
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}

function extent(values: readonly number[], log: boolean): readonly [number, number] {
  const known = values.filter((v) => Number.isFinite(v) && (v > 0 || !log));
  const most = known.reduce((a, b) => Math.max(a, b), 0);
  if (!log) return [0, linearTop(most)];
  return most > 0 ? [logFloor(known.reduce((a, b) => Math.min(a, b), most)), logCeil(most)] : [1, 10];
}

const share = (value: number, [low, high]: readonly [number, number], log: boolean): number =>
  log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low || 1);

function ticksOf(range: readonly [number, number], log: boolean, says: (v: number) => string): readonly Tick[] {
  const at = log ? logTicks(...range, 4) : [0, range[1] / 2, range[1]];
  return at.map((v) => [v, says(v)]);
}

type Knee = { readonly x: number | null; readonly threshold: number | null };

function Curves(props: {
  shown: Shown;
  axis: Axis;
  at: number;
  families: readonly Family[];
  knees: readonly { readonly knee: Knee; readonly name: string }[];
  capacity: Capacity | undefined;
  theory: Theories | undefined;
}): JSX.Element {
  /** The prediction of the law for a point: a mean, for any percentile. */
  const meanOf = (p: SweepPoint): number | undefined => {
    const said = props.theory?.get(p.values.join())?.predicted;
    const [figure] = props.shown.figure.split('_');
    return (figure === 'ttft' ? said?.ttft_ms : figure === 'itl' ? said?.itl_ms : undefined) ?? undefined;
  };
  /** The line of the law through a family of points. */
  const law = (family: Family, x: (v: number) => number) => {
    const of = (p: SweepPoint | undefined): readonly [number, number, boolean] | undefined => {
      const mean = p && meanOf(p);
      const violated = (p && props.theory?.get(p.values.join())?.violated.length) ?? 0;
      return p && mean !== undefined ? [x0(p), mean, violated > 0] : undefined;
    };
    const all = family.points.flatMap((p, i) => {
      const [from, to] = [of(p), of(family.points[i + 1])];
      if (!from || !to) return [];
      return [{ from: [from[0], from[1]] as const, to: [to[0], to[1]] as const, violated: from[2] || to[2] }];
    });
    return paths(placed(all, range(), x, y));
  };
  const x0 = (point: SweepPoint): number => Number(point.values[props.at]) / props.axis.times;
  const value = (point: SweepPoint): SweepValue | undefined => figureOf(point, props.shown.figure);
  const every = createMemo(() => props.families.flatMap((f) => f.points));
  const range = createMemo(() => {
    const found = every().flatMap((p) => [value(p)?.mean, value(p)?.hi, value(p)?.lo].map((v) => v ?? Number.NaN));
    const laws = every().map((p) => meanOf(p) ?? Number.NaN);
    if (props.shown.figure === 'met_share') return [0, 1] as const;
    return extent([...found, ...laws, props.shown.limit ?? Number.NaN], props.shown.log);
  });
  const across = createMemo((): readonly [number, number] => {
    const all = every().map(x0);
    return [Math.min(...all), Math.max(...all)];
  });
  const y = (v: number): number => upward(share(v, range(), props.shown.log));
  /**
   * The line of a family. It passes through its knee, which is interpolated between two values, not between their
   * logarithms.
   */
  const curve = (family: Family): readonly (readonly [at: number, value: number])[] => {
    const points = family.points.map((p) => [x0(p), value(p)?.mean ?? Number.NaN] as const);
    const knees = props.knees.flatMap(({ knee, name }) =>
      name === family.name && knee.x !== null && knee.threshold !== null
        ? [[knee.x / props.axis.times, knee.threshold] as const]
        : [],
    );
    return [...points, ...knees].toSorted((a, b) => a[0] - b[0]);
  };
  const columns = createMemo((): readonly Tick[] => {
    const all = [...new Set(every().map(x0))].toSorted((a, b) => a - b);
    const skip = Math.max(1, Math.ceil(all.length / 6));
    const shown = all.filter((_, i) => i % skip === 0);
    return shown.map((v) => [
      v,
      v === shown.at(-1) ? `${plain(v)}${props.axis.unit === '' ? '' : NBSP + props.axis.unit}` : plain(v),
    ]);
  });
  return (
    <StudyFigure
      title={
        <>
          <b>{props.shown.title}</b> <span class="s">{props.shown.unit}</span>
        </>
      }
      label={`${props.shown.title} along ${props.axis.title}; the table below has the values`}
    >
      {(width) => {
        const x = (v: number): number => along(share(v, across(), false), width);
        return (
          <>
            <Axes
              width={width}
              rows={ticksOf(range(), props.shown.log, props.shown.says)}
              y={y}
              columns={columns()}
              x={x}
            />
            <Show when={props.shown.limit}>
              {(limit) => (
                <>
                  <path class="sweep-limit" d={`M${along(0, width)} ${y(limit())}H${along(1, width)}`} />
                  <text x={along(1, width)} y={y(limit()) - 4} text-anchor="end">
                    objective
                  </text>
                </>
              )}
            </Show>
            <For each={props.families}>
              {(family, i) => (
                <>
                  <path class={`line sweep-${i() % 4}`} d={lineOf(curve(family), x, y)} />
                  <For each={family.points}>
                    {(p) => (
                      <Show when={value(p)?.mean !== null}>
                        <path
                          class="sweep-bar"
                          d={`M${x(x0(p))} ${y(value(p)?.lo ?? value(p)?.mean ?? 0)}V${y(value(p)?.hi ?? value(p)?.mean ?? 0)}`}
                        />
                        <circle class="sweep-dot" cx={x(x0(p))} cy={y(value(p)?.mean ?? 0)} r="2">
                          <title>{`${family.name} ${plain(x0(p))}: ${props.shown.says(value(p)?.mean ?? 0)}`}</title>
                        </circle>
                      </Show>
                    )}
                  </For>
                </>
              )}
            </For>
            <Show when={props.theory}>
              <For each={props.families}>
                {(family) => (
                  <>
                    <path class="theory-path" d={law(family, x).kept} />
                    <path class="theory-path violated" d={law(family, x).violated} />
                    <path class="theory-across" d={law(family, x).across} />
                  </>
                )}
              </For>
            </Show>
            <For each={props.knees}>
              {({ knee }) => (
                <Show when={knee.x !== null && knee.threshold !== null}>
                  <path class="sweep-knee" d={diamond(x((knee.x ?? 0) / props.axis.times), y(knee.threshold ?? 0))} />
                  <KneeName
                    knee={plain(Number(((knee.x ?? 0) / props.axis.times).toPrecision(3)))}
                    x={x((knee.x ?? 0) / props.axis.times)}
                    y={y(knee.threshold ?? 0)}
                  />
                </Show>
              )}
            </For>
            <CapacityMark capacity={props.capacity} x={x} across={across()} />
          </>
        );
      }}
    </StudyFigure>
  );
}

/** Room for the name of a knee at the left of its mark. */
const KNEE_NAME = 80;

/** The name of a knee: above its mark at the left, or below it at the right where it would lie over the axis. */
function KneeName(props: { knee: string; x: number; y: number }): JSX.Element {
  const fits = (): boolean => props.x - along(0, 0) >= KNEE_NAME;
  return (
    <text
      class="sweep-knee-name"
      x={props.x + (fits() ? -8 : 8)}
      y={props.y + (fits() ? -6 : 12)}
      text-anchor={fits() ? 'end' : 'start'}
    >
      knee {props.knee}
    </text>
  );
}

/** The capacity as a bracket on the axis: a stroke for each seed, and their mean with its number. */
function CapacityMark(props: {
  capacity: Capacity | undefined;
  x: (v: number) => number;
  across: readonly [number, number];
}): JSX.Element {
  const inside = (factor: number): boolean => factor >= props.across[0] && factor <= props.across[1];
  const seeds = (): readonly number[] =>
    (props.capacity?.seeds ?? []).flatMap(({ factor }) => (factor !== null && inside(factor) ? [factor] : []));
  const mean = (): number | undefined => {
    const factor = props.capacity?.factor ?? undefined;
    return factor !== undefined && inside(factor) ? factor : undefined;
  };
  return (
    <Show when={mean()}>
      {(at) => (
        <>
          <path
            class="sweep-capacity-mark"
            d={`M${props.x(Math.min(at(), ...seeds()))} ${FOOT}H${props.x(Math.max(at(), ...seeds()))}`}
          />
          <For each={seeds()}>{(f) => <path class="sweep-capacity-seed" d={`M${props.x(f)} ${FOOT - 5}v10`} />}</For>
          <path class="sweep-capacity-mean" d={`M${props.x(at())} 8V${FOOT}`} />
          <text class="sweep-knee-name" x={props.x(at()) + 4} y={FOOT - 6}>
            capacity {plain(Number(at().toPrecision(3)))}×
          </text>
        </>
      )}
    </Show>
  );
}

/** The sentence of a knee; a field other than the traffic with its name and its unit. */
function kneeWords(
  { knee, points, figure }: { knee: CurveKnee; points: readonly number[]; figure: string },
  axis: Axis,
  summary: SweepSummary,
): string {
  const [first] = points;
  const point = first === undefined ? undefined : summary.points[first];
  const lowest = point && Number(point.values[summary.paths.indexOf(axis.path)]) / axis.times;
  if (axis.unit === '×' || knee.threshold === null || lowest === undefined) return knee.explained;
  const unit = axis.unit === '' ? '' : NBSP + axis.unit;
  const at = (v: number): string => `${plain(Number(v.toPrecision(3)))}${unit}`;
  const [time, percentile] = figure.split('_');
  const name = `${time?.toUpperCase()} ${percentile}`;
  if (knee.x === null) return `No knee: ${name} stays below three times what it is at ${axis.title} ${at(lowest)}.`;
  const threshold = text(durationMs(knee.threshold));
  return `Knee at ${axis.title} ${at(knee.x / axis.times)}: ${name} is three times what it is at ${at(lowest)} (${threshold}).`;
}

const diamond = (x: number, y: number): string => `M${x} ${y - 5}l5 5l-5 5l-5 -5Z`;

/** Cost against TTFT: a line joins the best trade-offs, which no other case beats in both. */
function Front(props: { summary: SweepSummary }): JSX.Element {
  const priced = (): boolean => props.summary.cost === 'usd_per_million_output_tokens';
  const point = (p: SweepPoint): readonly [number, number] => [
    figureOf(p, props.summary.cost)?.mean ?? Number.NaN,
    figureOf(p, 'ttft_p99_ms')?.mean ?? Number.NaN,
  ];
  const all = createMemo(() => props.summary.points.map((p) => ({ p, at: point(p) })));
  const front = createMemo(() => props.summary.front.flatMap((i) => all()[i] ?? []));
  const across = createMemo(() =>
    extent(
      all().map(({ at }) => at[0]),
      false,
    ),
  );
  const range = createMemo(() =>
    extent(
      all().map(({ at }) => at[1]),
      true,
    ),
  );
  const y = (v: number): number => upward(share(v, range(), true));
  return (
    <Show when={priced()}>
      <StudyFigure
        title={
          <>
            <b>Cost against TTFT p99</b> <span class="s">log; line: best trade-offs</span>
          </>
        }
        label="Cost of a million output tokens against TTFT p99, a dot for each case; the table below has the values"
      >
        {(width) => {
          const x = (v: number): number => along(share(v, across(), false), width);
          return (
            <>
              <Axes
                width={width}
                rows={ticksOf(range(), true, tickMs)}
                y={y}
                columns={[0, across()[1] / 2, across()[1]].map((v) => [v, usd(v)])}
                x={x}
              />
              <path
                class="line sweep-1"
                d={lineOf(
                  front().map(({ at }) => at),
                  x,
                  y,
                )}
              />
              <For each={all()}>
                {({ p, at }) => (
                  <Show when={Number.isFinite(at[0]) && Number.isFinite(at[1])}>
                    <circle
                      class={front().some((f) => f.p === p) ? 'sweep-best' : 'sweep-dot'}
                      cx={x(at[0])}
                      cy={Math.min(FOOT, y(at[1]))}
                      r="3"
                    >
                      <title>{`${p.values.join(', ')}: ${usd(at[0])}, ${text(durationMs(at[1]))}`}</title>
                    </circle>
                  </Show>
                )}
              </For>
            </>
          );
        }}
      </StudyFigure>
    </Show>
  );
}
