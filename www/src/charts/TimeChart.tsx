// One chart on the shared clock: title, values and crosshair in the page, lines by the painter.
import { createEffect, createMemo, Index, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { count, DASH, plain } from '../base/units.ts';
import { isFew, lastSpan, type Place, type ViewColumns, WINDOW_S, type Without } from '../base/view.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import type { Palette } from '../draw/inks.ts';
import type { Frame } from '../generated/boundary.ts';
import { ghostsOf, ghostsSaid } from './ghosts.ts';
import { PlotArea } from './PlotArea.tsx';
import { offers } from './pictures.ts';
import { HeldRange, nearest } from './scales.ts';
import { describeLines, type Line, type TimeSpec, valueNow } from './specs.ts';
import { type OnTools, ToolsButton } from './ToolsButton.tsx';
import { type Over, pictureOf, shownOf } from './timeContent.ts';
import { type Axes, type Ghost, type Mark, plotBox, type TimePicture } from './timePicture.ts';

export type TimeChartProps = {
  readonly spec: TimeSpec;
  readonly data: ViewColumns | undefined;
  /** The rows of what is drawn in lanes in place of lines; their number is on the axis where a pool scales. */
  readonly spans: ViewColumns | undefined;
  readonly scales: boolean;
  readonly frame: Frame | undefined;
  /** The frame of the figures beside the title. */
  readonly figures: Frame | undefined;
  readonly palette: Palette;
  readonly focus: number | undefined;
  readonly width: number;
  readonly height: number;
  readonly warmUpS: number;
  /** The part of the time axis on screen. */
  readonly startS: number;
  readonly endS: number;
  /** The value of the selected request. */
  readonly mark: Mark | undefined;
  readonly first: boolean;
  readonly cursorS: number | undefined;
  readonly onCursor: (timeS: number | undefined) => void;
  readonly onTable: () => void;
  readonly onTools: OnTools;
  readonly onPlace: ((place: Place) => void) | undefined;
  /** Content beside the title, and an overlay over the lines. */
  readonly head: JSX.Element;
  readonly over: Over | undefined;
  readonly without: Without | undefined;
  /** Whether it names the lines of the run without the last edit, as one of the charts does. */
  readonly names: boolean;
};

const TITLE = 16;
const HINT = 'Click: go there, and open the slowest request';
const NONE = new Float64Array();
const SILENT: readonly (readonly [string, string])[] = [];
/** The least size of a chart without its title. */
const LEAST = { width: 80, height: 20 } as const;

export function TimeChart(props: TimeChartProps): JSX.Element {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const held = new HeldRange();
  const spec = untrack(() => props.spec);
  // The data of all charts are one signal: this chart is redrawn only if its own columns are new.
  const data = createMemo(() => props.data);
  // Which lines there are can depend on the values too.
  const lines = createMemo<Line[]>(
    () => {
      const columns = data();
      return columns ? spec.lines(columns) : [];
    },
    [],
    { equals: (a, b) => namesOf(a) === namesOf(b) },
  );
  const times = (): Float64Array => data()?.columns[0] ?? NONE;
  const slo = createMemo(() => (props.frame ? spec.slo(props.frame) : 0));
  const height = (): number => Math.max(LEAST.height, props.height - TITLE);
  const box = createMemo(() => plotBox(Math.max(LEAST.width, props.width), height(), props.first));
  const zoom = createMemo(() => `${props.startS} ${props.endS}`);
  const rows = createMemo(() => props.spans);
  const lanes = createMemo(() => spec.lanes?.of(rows(), props.scales, props.focus));
  const drawn = createMemo(() =>
    lanes() ? lines().filter((line) => props.scales && spec.lanes?.over(line) === true) : lines(),
  );
  const ghosts = createMemo(() => ghostsOf(spec, props.without, drawn(), props.focus));
  const shown = createMemo(() => shownOf(spec, data(), drawn(), slo(), held, zoom(), lanes(), ghosts()));
  const axes = createMemo<Axes>(() => ({
    startS: props.startS,
    endS: props.endS,
    low: shown().low,
    high: shown().high,
    log: spec.log,
  }));

  const named = (first: boolean): readonly Ghost[] =>
    first || props.names ? ghosts() : ghosts().map((ghost) => ({ ...ghost, name: '' }));
  const picture = (width: number, height: number, first = props.first): TimePicture => {
    const { frame, palette, focus, warmUpS, over, startS, endS, mark } = props;
    const seen = { data: data(), lines: drawn(), lanes: lanes(), ghosts: named(first), shown: shown() };
    const content = { spec, ...seen, startS, endS, mark };
    return pictureOf({ ...content, frame, palette, focus, warmUpS, first, over }, width, height);
  };
  offers({
    title: spec.title,
    picture: (w, h) => untrack(() => picture(w, h, true)),
    columns: data,
    unit: () => untrack(() => spec.unit(shown().high, props.frame)),
  });
  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, {
      palette: () => props.palette,
      picture: (w, h) => untrack(() => picture(w, h)),
    });
    onCleanup(() => surface?.dispose());
  });
  // Only these fields of a frame change the picture; the playhead is a separate element.
  const ground = createMemo(() => groundOf(props.frame));
  createEffect(() => {
    void data();
    ground();
    shown();
    box();
    void [props.warmUpS, props.palette, props.focus, props.over, props.mark, lanes(), ghosts(), zoom()];
    surface?.request();
  });

  /** The bucket under the cursor. */
  const index = createMemo(() => (props.cursorS === undefined ? undefined : nearest(times(), props.cursorS)));
  /** The values of the lines in that bucket. */
  const marks = createMemo(() => {
    const at = index();
    if (at === undefined) return [];
    return drawn().map((line) => ({
      value: data()?.columns[line.column]?.[at],
      ink: line.stroke(props.palette, props.focus),
    }));
  });

  const readouts = createMemo(() => readoutsOf(spec, lines(), data(), index(), props.figures, props.focus));
  /** The number of values behind the percentiles: in the span of all figures, or in the bucket under the cursor. */
  const samples = createMemo(() => {
    if (!spec.samples) return 0;
    const at = index();
    if (at === undefined) return props.figures ? spec.samples(props.figures, data()) : 0;
    return data()?.columns[data()?.names.indexOf('count') ?? -1]?.[at] ?? 0;
  });
  const span = createMemo(() => (props.figures ? spanSaid(spec, props.figures, times(), index()) : ''));
  /** A click seeks, as on every chart, and opens the slowest request of the bucket. */
  const openBucket = (): void => {
    const [at, width] = [times()[index() ?? -1], bucketWidth(times())];
    if (at === undefined || spec.of === undefined) return;
    const fromS = at - (isRolling(times()) ? width : width / 2);
    props.onPlace?.({ of: spec.of, fromS, toS: fromS + width, atMostMs: Number.MAX_SAFE_INTEGER });
  };
  const missed = (value: number): boolean => slo() > 0 && value > slo();

  return (
    <figure
      class="time-chart"
      data-chart={spec.view}
      ref={(el) => createEffect(() => (el.style.width = `${props.width}px`))}
      aria-label={describeLines(spec, data(), props.figures) + ghostsSaid(spec, ghosts())}
    >
      <figcaption>
        <b>{spec.title}</b> <i>{spec.unit(shown().high, props.frame)}</i>
        <ToolsButton title={spec.title} onTable={props.onTable} onTools={props.onTools} />
        {props.head}
        <Sum spec={spec} figures={props.cursorS === undefined ? props.figures : undefined} />
        <Readouts
          span={span()}
          usual={props.figures ? lastSpan(props.figures) : ''}
          samples={samples()}
          states={(props.cursorS !== undefined && spec.lanes?.said(lanes(), props.cursorS)) || SILENT}
          all={readouts()}
          focus={props.focus}
          missed={missed}
          asked={props.cursorS !== undefined}
        />
      </figcaption>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the inspector's list of the slowest requests is the keyboard's way */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the inspector's list of the slowest requests is the keyboard's way */}
      <div
        ref={(el) => {
          host = el;
          createEffect(() => (el.style.height = `${height()}px`));
        }}
        class="plot"
        title={spec.of === undefined ? undefined : HINT}
        onClick={openBucket}
      >
        <canvas ref={canvas} />
        <PlotArea
          box={box()}
          axes={axes()}
          cursorS={props.cursorS}
          atS={times()[index() ?? -1]}
          marks={marks()}
          onCursor={props.onCursor}
        />
      </div>
    </figure>
  );
}

/** The sum of all replicas beside the title, while no instant is pointed at. */
function Sum(props: { readonly spec: TimeSpec; readonly figures: Frame | undefined }): JSX.Element {
  return (
    <Show when={props.spec.sum && props.figures}>
      {(figures) => (
        <span class="chart-sum">
          <i>now</i> {count(props.spec.sum?.(figures()) ?? 0)}
        </span>
      )}
    </Show>
  );
}

/** What stands beside the title: the span, the number of values, what replicas are that do not simply serve, and each value. */
function Readouts(props: {
  readonly span: string;
  /** The span of the key figures, which say it once for all. */
  readonly usual: string;
  readonly samples: number;
  readonly states: readonly (readonly [name: string, state: string])[];
  readonly all: readonly Readout[];
  readonly focus: number | undefined;
  readonly missed: (value: number) => boolean;
  /** Whether an instant is pointed at. */
  readonly asked: boolean;
}): JSX.Element {
  const isStrong = (line: Line): boolean =>
    line.name === 'p99' || (line.replica !== undefined && line.replica === props.focus);
  /** A p99 determined by one request has the light ink of the key figures. */
  const isWeak = (line: Line): boolean => line.name === 'p99' && isFew(props.samples);
  return (
    <span class="readouts" classList={{ asked: props.asked }}>
      <i class="span" classList={{ now: props.span === 'now' || props.span === props.usual }}>
        {props.span}
      </i>
      <Show when={isFew(props.samples)}>
        <i>n = {count(props.samples)}</i>
      </Show>
      <Index each={props.states}>
        {(one) => (
          <span>
            <i>{one()[0]}</i> {one()[1]}
          </span>
        )}
      </Index>
      <Index each={props.all}>
        {(r) => (
          <span>
            <i>{r().line.name}</i>{' '}
            <span
              classList={{
                strong: isStrong(r().line) && !isWeak(r().line),
                missed: props.missed(r().value) && !isWeak(r().line),
                few: isWeak(r().line),
              }}
            >
              {r().text}
            </span>
          </span>
        )}
      </Index>
    </span>
  );
}

/** The time of the values beside the title: the span of all figures, or the bucket under the cursor. */
function spanSaid(spec: TimeSpec, frame: Frame, times: Float64Array, at: number | undefined): string {
  if (at === undefined) return spec.span(frame);
  const width = bucketWidth(times);
  const t = plain(Math.round((times[at] ?? 0) * 10) / 10);
  if (spec.samples && isRolling(times)) return `${WINDOW_S} s to ${t} s`;
  return `${spec.span(frame) === 'now' || width <= 0 ? '' : `${plain(width)} s `}at ${t} s`;
}

/** The distance of two rows; the last one, at the playhead, can be closer. */
function bucketWidth(times: Float64Array): number {
  const [first = 0, second = 0, third = 0] = times;
  return Math.max(second - first, third - second);
}

/** Whether percentiles are of the latest seconds up to each instant, not of a bucket around it. */
function isRolling(times: Float64Array): boolean {
  const [first = 0, second = 0] = times;
  const place = (first / (second - first)) % 1;
  return times.length > 1 && Math.abs(place - 0.5) > 1e-3;
}

/** The parts of a frame that the picture shows, as a text to compare. */
function groundOf(f: Frame | undefined): string {
  if (!f) return '';
  return `${f.axis_end_us} ${f.flags.map((x) => `${x.at_us}${x.applied}${x.label}`).join()} ${f.anomalies.length}`;
}

const namesOf = (lines: readonly Line[]): string => lines.map((line) => `${line.column} ${line.name}`).join();

type Readout = { readonly line: Line; readonly value: number; readonly text: string };

/** The values beside the title: the present ones, or those in the bucket under the cursor. */
function readoutsOf(
  spec: TimeSpec,
  lines: readonly Line[],
  columns: ViewColumns | undefined,
  at: number | undefined,
  figures: Frame | undefined,
  focus: number | undefined,
): Readout[] {
  if (!columns) return [];
  const asides = spec.aside ? [spec.aside] : [];
  const told = at === undefined ? lines.filter((line) => !line.quiet) : lines;
  const all = [...asides, ...told.map((line) => ({ line, show: spec.show }))].map(({ line, show }) => {
    const value =
      at === undefined ? valueNow(spec, line, figures, columns) : (columns.columns[line.column]?.[at] ?? Number.NaN);
    return { line, value, text: Number.isFinite(value) ? show(value) : DASH };
  });
  return all.length <= 8 ? all : all.filter((r) => r.line.replica === undefined || r.line.replica === focus);
}
