// The linked charts: those over time on one clock with one playhead and one crosshair, and two distributions beside them.
import {
  type Accessor,
  createMemo,
  createSignal,
  For,
  type JSX,
  lazy,
  onCleanup,
  onMount,
  Show,
  Suspense,
} from 'solid-js';
import { type ChartName, chartedRun, chartsShown, heightsOf, isBeside } from '../base/chartList.ts';
import { plain } from '../base/units.ts';
import {
  type ChartsProps,
  holderOf,
  lastSpan,
  type Place,
  type ViewColumns,
  WINDOW_S,
  type Without,
} from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import { pagePalette } from '../draw/palette.ts';
import { Ecdf } from './Ecdf.tsx';
import { TIME_SPECS, type TimeSpec } from './specs.ts';
import { placeAt, type Scale, slides, TimeAxis } from './TimeAxis.tsx';
import { TimeChart } from './TimeChart.tsx';
import type { OnTools } from './ToolsButton.tsx';
import type { Over } from './timeContent.ts';
import { EDGE, LANE, type Mark } from './timePicture.ts';
import { zooms } from './zoomKeys.ts';
import './charts.css';

const ChartTable = lazy(() => import('./Tables.tsx'));

/** For runs without measured percentiles. */
const NONE: readonly (readonly [number, number])[] = [];
const AXIS = 18;
const STACKED_HEIGHT = 560;
/** Width of the distributions, and of a bar to scroll the charts, as in charts.css. */
const SHARES = 264;
const SCROLL = 10;
/** The least height of a chart with its title; where there is less room, the charts scroll. */
const LEAST = 60;
const DENSITY_SHARE = 0.2;

/** The charts that not every run opens with, once one of them is shown. */
const [more, setMore] = createSignal<readonly TimeSpec[]>([]);
let asked = false;
function loadMore(): void {
  if (asked) return;
  asked = true;
  import('./moreSpecs.ts').then(
    ({ MORE_SPECS }) => setMore(MORE_SPECS),
    () => {
      asked = false;
      setMore([]);
    },
  );
}
/** Whether they are on their way: what stands beside the first chart waits for them, as another chart may become the first. */
const isComing = (): boolean => more().length === 0 && asked;

/** The chart whose table is open, and its columns if they are not those of a view. */
type Table = { readonly name: ChartName; readonly data?: ViewColumns | undefined };

/** A chart over time, or the place of the heat map. */
type Row = { readonly name: ChartName; readonly spec: TimeSpec | undefined };

/** A place for a chart that is drawn by other code. */
export type Strip = {
  readonly width: number;
  readonly height: number;
  readonly startS: number;
  readonly endS: number;
  readonly first: boolean;
};

type AllProps = ChartsProps & {
  /** The tools of a chart are asked for at its title. */
  readonly onTools: OnTools;
  /** Content beside the title of the first chart, and an overlay over the lines of each. */
  readonly head?: JSX.Element;
  readonly over?: Over | undefined;
  /** Overlays on all charts over time. */
  readonly layer?: JSX.Element;
  /** The heat map of TTFT in its place. */
  readonly strip?: (strip: Strip, onTable: (data: ViewColumns | undefined) => void) => JSX.Element;
  /** A chart beside those over time that is drawn by other code. */
  readonly beside?: (name: ChartName, onTable: (data?: ViewColumns) => void) => JSX.Element;
};

export function Charts(props: AllProps): JSX.Element {
  let region: HTMLDivElement | undefined;
  const palette = pagePalette();
  const [size, setSize] = createSignal({ width: 0, height: 0 });
  const [table, setTable] = createSignal<Table>();
  onMount(() => {
    if (!region) return;
    const watch = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const width = Math.floor(entry.contentRect.width);
      const height = Math.floor(entry.contentRect.height);
      if (width > 0) setSize({ width, height });
    });
    watch.observe(region);
    onCleanup(() => watch.disconnect());
  });

  const { stacked, names, hasShares, rows, heights, scrolls, width, scale, axisEndS, nowS, playhead } = createLayout(
    props,
    size,
  );
  const focus = createMemo(() => {
    if (props.selected.replica !== undefined) return props.selected.replica;
    const request = props.selected.request;
    return request !== undefined && props.frame ? (holderOf(props.frame, request) ?? props.holder) : undefined;
  });
  const markOf = (spec: TimeSpec): Mark | undefined => {
    const found = spec.of && props.marks?.[spec.of];
    return found && { atS: found.atS, value: found.ms };
  };

  let told: number | undefined;
  const tell = (t: number | undefined): void => {
    if (t === told) return;
    told = t;
    props.onCursor(t);
  };

  return (
    <div class="charts-view" ref={region} classList={{ stacked: stacked(), alone: !hasShares() }}>
      <Show when={size().width > 0}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the scrubber below is the keyboard's way to seek */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the scrubber below is the keyboard's way to seek */}
        <div
          class="charts-times"
          classList={{ scrolls: scrolls() }}
          ref={(el) => zooms(el, { scale, endS: axisEndS, nowS, onWindow: (next) => props.onWindow?.(next) })}
          onMouseLeave={() => tell(undefined)}
          onClick={() => told !== undefined && props.onSeek?.(told)}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: + − 0 and the arrows zoom and pan the charts within */}
          <section class="charts-scroll" aria-label="Charts over time; plus and minus zoom" tabIndex={0}>
            <For each={rows()}>
              {({ spec }, i) =>
                spec ? (
                  <TimeChart
                    spec={props.calm ? calmSpec(spec) : spec}
                    data={props.data[spec.view]}
                    spans={spec.lanes ? props.data[spec.lanes.view] : undefined}
                    scales={props.scales ?? false}
                    frame={props.frame}
                    figures={props.figures}
                    palette={palette()}
                    focus={focus()}
                    width={width()}
                    height={heights()[i()] ?? LEAST}
                    warmUpS={props.calm ? 0 : (props.warmUpS ?? 0)}
                    startS={scale().startS}
                    endS={scale().endS}
                    mark={markOf(spec)}
                    first={i() === 0 && !props.calm}
                    cursorS={props.cursorS}
                    onCursor={tell}
                    onTable={() => setTable({ name: spec.view })}
                    onTools={props.onTools}
                    onPlace={props.onPlace}
                    head={i() === 0 && !isComing() ? props.head : undefined}
                    over={props.over}
                    without={props.without}
                    names={i() === 0}
                  />
                ) : (
                  props.strip?.(
                    {
                      get width() {
                        return width();
                      },
                      get height() {
                        return heights()[i()] ?? LEAST;
                      },
                      get startS() {
                        return scale().startS;
                      },
                      get endS() {
                        return scale().endS;
                      },
                      first: i() === 0,
                    },
                    (data) => setTable({ name: 'ttft-density', data }),
                  )
                )
              }
            </For>
          </section>
          <Show when={!props.calm}>
            <TimeAxis scale={scale()} nowUs={props.frame?.now_us ?? 0} playhead={playhead()} cursorS={props.cursorS} />
          </Show>
          <Show when={playhead() !== undefined}>
            <div class="playhead" ref={(el) => slides(el, () => playhead() ?? 0)} aria-hidden="true" />
          </Show>
          {props.layer}
        </div>
        <Show when={hasShares()}>
          <Shares
            charts={props}
            names={names()}
            palette={palette()}
            onTable={(name, data) => setTable({ name, data })}
          />
        </Show>
      </Show>
      <Show when={table()} keyed>
        {({ name, data }) => (
          <Suspense>
            <ChartTable name={name} data={data ?? props.data[name]} onClose={() => setTable(undefined)} />
          </Suspense>
        )}
      </Show>
    </div>
  );
}

/** The chart in seconds, with the band between its median and its 99th percentile alone, and no stretches of anomalies. */
function calmSpec(spec: TimeSpec): TimeSpec {
  return {
    ...spec,
    plain: true,
    tick: (v) => plain(v / 1000),
    lines: (data) => spec.lines(data).filter(({ name }) => name !== 'p90'),
    bands: [[1, 0]],
    band: (p) => p.band2,
  };
}

const STRIP: Row = { name: 'ttft-density', spec: undefined };

/** Which charts are shown, and the places of charts and instants. */
function createLayout(
  props: Pick<AllProps, 'only' | 'calm' | 'fills' | 'scales' | 'frame' | 'window' | 'strip'>,
  size: Accessor<{ readonly width: number; readonly height: number }>,
) {
  const stacked = createMemo(() => size().width > 0 && size().width < 640);
  const run = createMemo(() => chartedRun(props.frame, props.scales ?? false), undefined, {
    equals: (a, b) => a.scales === b.scales && a.gateway === b.gateway && a.split === b.split,
  });
  const names = createMemo(() => chartsShown(props.only, run()));
  const hasShares = createMemo(() => names().some(isBeside));
  const rows = createMemo(() =>
    rowsOf(names(), props.strip !== undefined, ({ from = 0 }) => stacked() || size().height >= from),
  );
  /** As high as they need, on a page that scrolls; else they have the height of their area. */
  const flows = (): boolean => stacked() && !props.fills;
  const room = createMemo(() => Math.max(LEAST, size().height - 6 - (props.calm ? 0 : AXIS)));
  const heights = createMemo(() => {
    const shares = rows().map(({ spec }) => spec?.share ?? DENSITY_SHARE);
    const total = flows() ? STACKED_HEIGHT * shares.reduce((sum, share) => sum + share, 0) : room();
    // The first one has the labels of warm-up and edits above its plot.
    const least = shares.map((_, i) => Math.min(room(), i === 0 ? LEAST + LANE : LEAST));
    return heightsOf(shares, total, least);
  });
  const scrolls = createMemo(() => !flows() && heights().reduce((sum, h) => sum + h, 0) > room());
  const width = createMemo(
    () => size().width - (stacked() || !hasShares() ? 0 : SHARES + 1) - (scrolls() ? SCROLL : 0),
  );
  const axisEndS = createMemo(() => (props.frame?.axis_end_us ?? 0) / 1e6);
  const scale = createMemo(
    (): Scale => ({
      startS: props.window?.fromS ?? 0,
      endS: props.window?.toS ?? axisEndS(),
      width: width(),
      plot: Math.max(1, width() - EDGE.left - EDGE.right),
    }),
  );
  const nowS = (): number => (props.frame?.now_us ?? 0) / 1e6;
  /** Rounded to a pixel of the screen, so that it only moves visibly; undefined beyond the window. */
  const playhead = createMemo(() => {
    if (props.window && (nowS() < props.window.fromS || nowS() > props.window.toS)) return undefined;
    const ratio = globalThis.devicePixelRatio || 1;
    return Math.round(placeAt(scale(), nowS()) * ratio) / ratio;
  });
  return { stacked, names, hasShares, rows, heights, scrolls, width, scale, axisEndS, nowS, playhead };
}

/** The charts over time by their names, as far as their code is loaded. */
function rowsOf(names: readonly ChartName[], hasStrip: boolean, fits: (spec: TimeSpec) => boolean): readonly Row[] {
  const all = [...TIME_SPECS, ...more()];
  return names.flatMap((name): Row[] => {
    if (isBeside(name)) return [];
    if (name === 'ttft-density') return hasStrip ? [STRIP] : [];
    const specs = all.filter((spec) => spec.view === name);
    if (specs.length === 0) loadMore();
    return specs.filter(fits).map((spec) => rowOf(spec));
  });
}

/** The same row for a chart each time, so that a new list builds no chart again. */
const known = new Map<TimeSpec, Row>();
function rowOf(spec: TimeSpec): Row {
  const row = known.get(spec) ?? { name: spec.view, spec };
  known.set(spec, row);
  return row;
}

/** The charts beside those over time. */
function Shares(props: {
  readonly charts: AllProps;
  readonly names: readonly ChartName[];
  readonly palette: Palette;
  readonly onTable: (name: ChartName, data?: ViewColumns) => void;
}): JSX.Element {
  const charts = props.charts;
  const nowS = (): number => (charts.frame?.now_us ?? 0) / 1e6;
  /** The latencies up to a point of a distribution. */
  const inWindow = (of: Place['of'], atMostMs: number): Place => ({
    of,
    fromS: nowS() - (charts.frame?.key.window_s ?? WINDOW_S),
    toS: nowS(),
    atMostMs,
  });
  /** The other run, once it is at the same instant. */
  const there = (): Without | undefined =>
    charts.without?.nowUs === charts.frame?.now_us ? charts.without : undefined;
  const share = (of: Place['of'], title: string, none: string): JSX.Element => (
    <Ecdf
      title={title}
      data={charts.data[`${of}-ecdf`]}
      tail={charts.figures?.key[of]}
      within={charts.figures?.key[`${of}_within`] ?? 0}
      span={lastSpan(charts.figures)}
      sloMs={(charts.figures?.key[`slo_${of}_us`] ?? 0) / 1000}
      palette={props.palette}
      stroke={of === 'ttft' ? props.palette.prefill : props.palette.ink2}
      nowS={nowS()}
      empty={`${none}, ${lastSpan(charts.figures)}`}
      onTable={() => props.onTable(`${of}-ecdf`)}
      onTools={charts.onTools}
      onValue={(ms) => charts.onPlace?.(inWindow(of, ms))}
      measured={charts.measured?.[of] ?? NONE}
      markMs={charts.marks?.[of]?.ms}
      without={there() && { label: there()?.label ?? '', data: there()?.data[`${of}-ecdf`] }}
    />
  );
  return (
    <div class="charts-shares">
      <For each={props.names.filter(isBeside)}>
        {(name) =>
          name === 'ttft-ecdf'
            ? share('ttft', 'TTFT', 'no first token')
            : name === 'e2e-ecdf'
              ? share('e2e', 'E2E', 'no request finished')
              : charts.beside?.(name, (data) => props.onTable(name, data))
        }
      </For>
    </div>
  );
}
