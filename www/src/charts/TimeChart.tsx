// One chart on the shared clock: title and values in the page, lines by uPlot.
import { createEffect, createMemo, createSignal, Index, type JSX, on, onCleanup, untrack } from 'solid-js';
import type uPlot from 'uplot';
import { DASH, plain } from '../base/units.ts';
import type { Place, ViewColumns } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import type { Frame } from '../generated/boundary.ts';
import { makePlot, type Over, plotHeight } from './plot.ts';
import { HeldRange, lastFinite, linearTop, logCeil, logFloor, logTicks } from './scales.ts';
import { describeLines, type Line, type TimeSpec, valueNow } from './specs.ts';
import { TableButton } from './TableButton.tsx';

export type TimeChartProps = {
  readonly spec: TimeSpec;
  readonly data: ViewColumns | undefined;
  readonly frame: Frame | undefined;
  readonly palette: Palette;
  readonly focus: number | undefined;
  readonly width: number;
  readonly height: number;
  readonly warmUpS: number;
  readonly first: boolean;
  readonly cursorS: number | undefined;
  readonly onCursor: (timeS: number | undefined) => void;
  readonly onTable: () => void;
  readonly onPlace: ((place: Place) => void) | undefined;
  /** What stands beside the title, and what is drawn over the lines. */
  readonly head: JSX.Element;
  readonly over: Over | undefined;
};

const TITLE = 16;
const HINT = 'Click: go there, and open the slowest request';

export function TimeChart(props: TimeChartProps): JSX.Element {
  let host: HTMLDivElement | undefined;
  let plot: uPlot | undefined;
  const held = new HeldRange();
  const [index, setIndex] = createSignal<number>();
  const [top, setTop] = createSignal(0);
  const spec = untrack(() => props.spec);
  // The data of all charts are one signal: this one is drawn anew where its own columns are new.
  const data = createMemo(() => props.data);
  const names = createMemo(() => data()?.names.join() ?? '');
  const lines = createMemo<Line[]>(() => {
    names();
    const columns = untrack(data);
    return columns ? spec.lines(columns) : [];
  });
  // Reused from draw to draw: uPlot wants null where a value is missing, columns say NaN.
  let buffers: (number | null)[][] = [];
  let times: number[] = [];
  let finite = 0;
  let ranges = { low: spec.log ? 10 : 0, high: spec.log ? 10_000 : spec.top };
  let ticks: number[] = [];

  /** Copies the columns, and holds the range that they and the objective need. */
  const take = (data: ViewColumns | undefined): void => {
    if (!data) held.reset();
    const from = data?.columns[0];
    const n = from?.length ?? 0;
    times.length = n;
    for (let i = 0; i < n; i++) times[i] = from?.[i] ?? 0;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    finite = 0;
    buffers = lines().map((line, k) => {
      const out = buffers[k] ?? [];
      const column = data?.columns[line.column];
      out.length = n;
      for (let i = 0; i < n; i++) {
        const v = column?.[i] ?? Number.NaN;
        const known = Number.isFinite(v) && (!spec.log || v > 0);
        out[i] = known ? v : null;
        if (!known) continue;
        finite += 1;
        if (v < low) low = v;
        if (v > high) high = v;
      }
      return out;
    });
    const slo = props.frame ? spec.slo(props.frame) : 0;
    // A little above the objective, so that its line is not the edge of the plot.
    if (slo > 0) high = Math.max(high, slo * 1.3);
    if (slo > 0 && finite > 0) low = Math.min(low, slo);
    held.extend(finite > 0 ? low : Number.NaN, finite > 0 ? high : Number.NaN, times[n - 1] ?? 0);
    ranges = rangeOf(spec, held);
    setTop(ranges.high);
    const tall = plotHeight(props.height - TITLE, props.first);
    ticks = spec.log
      ? logTicks(ranges.low, ranges.high, Math.max(2, Math.floor(tall / 14)))
      : tall >= 30
        ? [0, ranges.high / 2, ranges.high]
        : [0, ranges.high];
  };

  // Built without tracking: the plot reads frame and palette whenever it draws, and must not be rebuilt when they change.
  const build = (current: Line[]): void => {
    if (!host) return;
    plot?.destroy();
    buffers = [];
    times = [];
    plot = makePlot(host, props.width, Math.max(20, props.height - TITLE), {
      palette: () => props.palette,
      frame: () => props.frame,
      focus: () => props.focus,
      lines: current,
      spec,
      range: () => ranges,
      ticks: () => ticks,
      warmUpS: () => props.warmUpS,
      filled: () => finite > 0,
      first: props.first,
      over: () => props.over,
      onCursor: (timeS, at) => {
        setIndex(at);
        props.onCursor(timeS);
      },
    });
    update();
  };
  const update = (): void => {
    take(data());
    // When the replicas change, the new columns can come before the plot with the new lines.
    if (plot && plot.series.length === buffers.length + 1) plot.setData([times, ...buffers]);
  };
  createEffect(() => {
    const current = lines();
    untrack(() => build(current));
  });
  // Only these fields of a frame change the plot; the playhead is an element above it.
  const ground = createMemo(() => {
    const f = props.frame;
    return f
      ? `${f.axis_end_us} ${f.flags.map((x) => `${x.at_us}${x.applied}${x.label}`).join()} ${spec.slo(f)} ${f.anomalies.length}`
      : '';
  });
  createEffect(() => {
    void data();
    ground();
    void props.warmUpS;
    untrack(update);
  });
  createEffect(() => {
    plot?.setSize({ width: Math.max(80, props.width), height: Math.max(20, props.height - TITLE) });
    untrack(update);
  });
  createEffect(() => {
    void props.palette;
    const focus = props.focus;
    lines().forEach((line, i) => {
      const series = plot?.series[i + 1];
      if (!series) return;
      series.width = line.width(focus);
      series.dash = line.dash(focus);
    });
    plot?.redraw(true);
  });
  createEffect(() => {
    const t = props.cursorS;
    if (!props.first || !plot) return;
    const left = t === undefined ? -10 : plot.valToPos(t, 'x');
    if (Math.abs(left - (plot.cursor.left ?? -10)) > 1) plot.setCursor({ left, top: t === undefined ? -10 : 4 });
  });
  createEffect(
    on(
      () => props.over,
      () => plot?.redraw(false),
      { defer: true },
    ),
  );
  onCleanup(() => plot?.destroy());

  const readouts = createMemo(() => {
    const columns = data();
    const at = index();
    if (!columns) return [];
    // As often as the lines are renewed: sixty times a second nobody can read them.
    const frame = untrack(() => props.frame);
    const all = lines().map((line) => {
      const value =
        at === undefined ? valueNow(spec, line, columns, frame) : lastFinite(columns.columns[line.column] ?? [], at, 1);
      return { line, value, text: Number.isFinite(value) ? spec.show(value) : DASH };
    });
    return all.length <= 8 ? all : all.filter((r) => r.line.replica === props.focus);
  });
  /** What the values beside the title are about: the span of all figures, or the bucket under the cursor. */
  const span = createMemo(() => {
    const times = data()?.columns[0] ?? [];
    const at = index();
    const frame = untrack(() => props.frame);
    if (!frame) return '';
    if (at === undefined) return spec.span(frame);
    const width = (times[1] ?? 0) - (times[0] ?? 0);
    return `${spec.span(frame) === 'now' || width <= 0 ? '' : `${plain(width)} s `}at ${plain(Math.round((times[at] ?? 0) * 10) / 10)} s`;
  });
  /** A click goes there, as on every chart, and opens the slowest request of the bucket. */
  const openBucket = (): void => {
    const times = data()?.columns[0] ?? [];
    const at = times[index() ?? -1];
    if (at === undefined || spec.of === undefined) return;
    const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2;
    props.onPlace?.({ of: spec.of, fromS: at - half, toS: at + half, atMostMs: Number.MAX_SAFE_INTEGER });
  };
  const missed = (value: number): boolean => {
    const slo = props.frame ? spec.slo(props.frame) : 0;
    return slo > 0 && value > slo;
  };

  return (
    <figure
      class="time-chart"
      aria-label={describeLines(
        spec,
        data(),
        untrack(() => props.frame),
      )}
    >
      <figcaption>
        <b>{spec.title}</b> <i>{spec.unit(top())}</i>
        <TableButton title={spec.title} onOpen={props.onTable} />
        {props.head}
        <span class="readouts">
          <i class="span">{span()}</i>
          <Index each={readouts()}>
            {(r) => (
              <span>
                <i>{r().line.name}</i>{' '}
                <span
                  classList={{
                    strong:
                      r().line.name === 'p99' || (r().line.replica !== undefined && r().line.replica === props.focus),
                    missed: missed(r().value),
                  }}
                >
                  {r().text}
                </span>
              </span>
            )}
          </Index>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the inspector's list of the slowest requests is the keyboard's way */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the inspector's list of the slowest requests is the keyboard's way */}
      <div ref={host} class="plot" title={spec.of === undefined ? undefined : HINT} onClick={openBucket} />
    </figure>
  );
}

function rangeOf(spec: TimeSpec, held: HeldRange): { low: number; high: number } {
  if (!spec.log)
    return {
      low: 0,
      high: spec.fixed
        ? spec.top
        : linearTop(Math.max(spec.top, Number.isFinite(held.high) ? held.high : 0), spec.stepped),
    };
  if (!Number.isFinite(held.low) || !Number.isFinite(held.high)) return { low: 10, high: 10_000 };
  const low = logFloor(held.low);
  return { low, high: Math.max(logCeil(held.high), low * 10) };
}
