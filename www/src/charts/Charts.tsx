// The linked charts: those over time on one clock with one playhead and one crosshair, and two distributions beside them.
import {
  createEffect,
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
import { clock, plain } from '../base/units.ts';
import { type ChartsProps, holderOf, lastSpan, type Place, WINDOW_S } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import { pagePalette } from '../draw/palette.ts';
import { slideOf } from '../draw/slide.ts';
import type { View } from '../generated/boundary.ts';
import { Ecdf } from './Ecdf.tsx';
import { timeTicks } from './scales.ts';
import { TIME_SPECS, type TimeSpec } from './specs.ts';
import { TimeChart } from './TimeChart.tsx';
import type { Over } from './timeContent.ts';
import { EDGE } from './timePicture.ts';
import './charts.css';

const ChartTable = lazy(() => import('./Tables.tsx'));

/** For runs without measured percentiles. */
const NONE: readonly (readonly [number, number])[] = [];
const AXIS = 18;
const STACKED_HEIGHT = 560;
/** Distance between the middles of two times on the axis that do not touch. */
const CHIPS_APART = 46;
/** Width of the distributions, as in charts.css. */
const SHARES = 264;
/** The charts that those of hand-overs take the place of, where all have one column. */
const IN_PLACE: readonly View[] = ['e2e-over-time', 'throughput'];
const TITLES: Partial<Record<View, string>> = {
  'ttft-over-time': 'TTFT over time',
  'e2e-over-time': 'E2E over time',
  throughput: 'Throughput',
  'queue-depth': 'Queue depth by replica',
  'kv-use': 'KV in use by replica',
  'gateway-bands': 'Gateway queue by band, and saturation',
  'ports-out': 'Ports out by replica',
  'ttft-ecdf': 'TTFT distribution',
  'e2e-ecdf': 'E2E distribution',
};

export function Charts(
  props: ChartsProps & {
    /** Content beside the title of the first chart, and an overlay over the lines of each. */
    readonly head?: JSX.Element;
    readonly over?: Over | undefined;
    /** Overlays on all charts over time. */
    readonly layer?: JSX.Element;
  },
): JSX.Element {
  let region: HTMLDivElement | undefined;
  const palette = pagePalette();
  const [size, setSize] = createSignal({ width: 0, height: 0 });
  const [table, setTable] = createSignal<View>();
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

  const stacked = createMemo(() => size().width > 0 && size().width < 640);
  const hasGateway = createMemo(() => props.frame?.gateway !== undefined);
  const hasSplit = createMemo(() => props.frame?.split !== undefined);
  const isShown = (view: View): boolean =>
    (props.only?.includes(view) ?? true) &&
    (view !== 'gateway-bands' || hasGateway()) &&
    (view !== 'ports-out' || hasSplit()) &&
    (props.only !== undefined || stacked() || !hasSplit() || !IN_PLACE.includes(view));
  const isHighEnough = ({ from = 0 }: TimeSpec): boolean =>
    size().height >= from || stacked() || props.only !== undefined;
  const specs = createMemo(() => TIME_SPECS.filter((spec) => isShown(spec.view) && isHighEnough(spec)));
  const shares = createMemo(() => specs().reduce((sum, spec) => sum + spec.share, 0) || 1);
  const hasShares = createMemo(() => isShown('ttft-ecdf') || isShown('e2e-ecdf'));
  const width = createMemo(() => (stacked() ? size().width : size().width - (hasShares() ? SHARES + 1 : 0)));
  const total = createMemo(() =>
    stacked() && !props.only ? STACKED_HEIGHT * shares() : Math.max(props.only ? 60 : 240, size().height - 6 - AXIS),
  );
  const heightOf = (share: number): number => Math.floor((total() * share) / shares());
  const plotWidth = (): number => Math.max(1, width() - EDGE.left - EDGE.right);
  const endS = createMemo(() => (props.frame?.axis_end_us ?? 0) / 1e6);
  const nowS = (): number => (props.frame?.now_us ?? 0) / 1e6;
  const place = (t: number): number => EDGE.left + (plotWidth() * Math.min(t, endS())) / Math.max(1e-6, endS());
  /** Rounded to a pixel of the screen, so that it only moves visibly. */
  const playhead = createMemo(() => {
    const ratio = globalThis.devicePixelRatio || 1;
    return Math.round(place(nowS()) * ratio) / ratio;
  });
  /** The middle of the clock under the playhead. */
  const nowX = (): number => Math.min(width() - 24, Math.max(22, playhead()));
  /** The middle of the time under the cursor: beside that clock, not under it. */
  const cursorChipX = createMemo(() => {
    if (props.cursorS === undefined) return Number.NaN;
    const x = place(props.cursorS);
    const aside = x < nowX() ? nowX() - CHIPS_APART : nowX() + CHIPS_APART;
    return Math.abs(x - nowX()) < CHIPS_APART ? aside : x;
  });
  const ticks = createMemo(() => timeTicks(endS(), plotWidth(), 52));
  const focus = createMemo(() => {
    if (props.selected.replica !== undefined) return props.selected.replica;
    const request = props.selected.request;
    return request !== undefined && props.frame ? holderOf(props.frame, request) : undefined;
  });
  const warmUpS = (): number => props.warmUpS ?? 0;

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
          onMouseLeave={() => tell(undefined)}
          onClick={() => told !== undefined && props.onSeek?.(told)}
        >
          <For each={specs()}>
            {(spec, i) => (
              <TimeChart
                spec={spec}
                data={props.data[spec.view]}
                frame={props.frame}
                figures={props.figures}
                palette={palette()}
                focus={focus()}
                width={width()}
                height={heightOf(spec.share)}
                warmUpS={warmUpS()}
                first={i() === 0}
                cursorS={props.cursorS}
                onCursor={tell}
                onTable={() => setTable(spec.view)}
                onPlace={props.onPlace}
                head={i() === 0 ? props.head : undefined}
                over={props.over}
              />
            )}
          </For>
          <div class="time-axis" aria-hidden="true">
            <For each={ticks()}>
              {(t, i) => (
                <span
                  classList={{ covered: [nowX(), cursorChipX()].some((x) => Math.abs(place(t) - x) < 36) }}
                  ref={(el) => createEffect(() => (el.style.left = `${place(t)}px`))}
                >
                  {plain(t)}
                  {i() === ticks().length - 1 ? ' s' : ''}
                </span>
              )}
            </For>
            <Show when={props.cursorS !== undefined}>
              <span class="cursor-chip" ref={(el) => createEffect(() => (el.style.left = `${cursorChipX()}px`))}>
                {(props.cursorS ?? 0).toFixed(2)}
              </span>
            </Show>
            <NowChip us={props.frame?.now_us ?? 0} x={nowX()} />
          </div>
          <div class="playhead" ref={(el) => slides(el, playhead)} aria-hidden="true" />
          {props.layer}
        </div>
        <Show when={hasShares()}>
          <Shares charts={props} palette={palette()} onTable={setTable} />
        </Show>
      </Show>
      <Show when={table()} keyed>
        {(view) => (
          <Suspense>
            <ChartTable title={TITLES[view] ?? view} data={props.data[view]} onClose={() => setTable(undefined)} />
          </Suspense>
        )}
      </Show>
    </div>
  );
}

/** The two distributions beside the charts over time. */
function Shares(props: {
  readonly charts: ChartsProps;
  readonly palette: Palette;
  readonly onTable: (view: View) => void;
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
  return (
    <div class="charts-shares">
      <Ecdf
        title="TTFT"
        data={charts.data['ttft-ecdf']}
        tail={charts.figures?.key.ttft}
        within={charts.figures?.key.ttft_within ?? 0}
        span={lastSpan(charts.figures)}
        sloMs={(charts.figures?.key.slo_ttft_us ?? 0) / 1000}
        palette={props.palette}
        stroke={props.palette.prefill}
        nowS={nowS()}
        empty={`no first token, ${lastSpan(charts.figures)}`}
        onTable={() => props.onTable('ttft-ecdf')}
        onValue={(ms) => charts.onPlace?.(inWindow('ttft', ms))}
        measured={charts.measured?.ttft ?? NONE}
      />
      <Ecdf
        title="E2E"
        data={charts.data['e2e-ecdf']}
        tail={charts.figures?.key.e2e}
        within={charts.figures?.key.e2e_within ?? 0}
        span={lastSpan(charts.figures)}
        sloMs={(charts.figures?.key.slo_e2e_us ?? 0) / 1000}
        palette={props.palette}
        stroke={props.palette.ink2}
        nowS={nowS()}
        empty={`no request finished, ${lastSpan(charts.figures)}`}
        onTable={() => props.onTable('e2e-ecdf')}
        onValue={(ms) => charts.onPlace?.(inWindow('e2e', ms))}
        measured={charts.measured?.e2e ?? NONE}
      />
    </div>
  );
}

/** The playhead moves up to sixty times a second, without layout and without redrawing the lines below it. */
function slides(el: HTMLElement, x: () => number, after?: string): void {
  const slide = slideOf(el, after);
  createEffect(() => slide(x()));
}

/** The clock under the playhead, on the axis, to the nearest hundredth of a second. */
function NowChip(props: { readonly us: number; readonly x: number }): JSX.Element {
  return (
    <span class="now-chip" ref={(el) => slides(el, () => props.x, ' translateX(-50%)')}>
      {clock(10_000 * Math.round(props.us / 10_000)).slice(0, -1)}
    </span>
  );
}
