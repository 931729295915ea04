// The heat map of TTFT on the clock of the charts. Loaded once the page is built.
import { createEffect, createMemo, For, type JSX, onCleanup, onMount, untrack } from 'solid-js';
import { count, plain } from '../base/units.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import { heatPaint } from '../draw/heat.ts';
import { pagePalette } from '../draw/palette.ts';
import type { Density, Frame } from '../generated/boundary.ts';
import type { Strip } from './Charts.tsx';
import { PlotArea } from './PlotArea.tsx';
import { offers } from './pictures.ts';
import { HeldRange } from './scales.ts';
import { type StripPicture, stripRange, stripTicks, tableOf } from './stripPicture.ts';
import { type OnTools, ToolsButton } from './ToolsButton.tsx';
import { type Axes, type Mark, plotBox } from './timePicture.ts';

const TITLE = 16;
const LEAST = { width: 80, height: 20 } as const;
/** Steps of the legend. */
const STEPS = [0.05, 0.25, 0.5, 0.75, 1] as const;

export default function DensityStrip(props: {
  readonly place: Strip;
  /** The heat map; undefined until there is one. */
  readonly cells: Density | undefined;
  readonly frame: Frame | undefined;
  readonly warmUpS: number;
  readonly mark: Mark | undefined;
  readonly cursorS: number | undefined;
  readonly onCursor: (timeS: number | undefined) => void;
  readonly onTable: () => void;
  readonly onTools: OnTools;
}): JSX.Element {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const held = new HeldRange();
  const palette = pagePalette();
  const height = (): number => Math.max(LEAST.height, props.place.height - TITLE);
  const box = createMemo(() => plotBox(Math.max(LEAST.width, props.place.width), height(), props.place.first));
  const slo = (): number => (props.cells?.slo_us ?? 0) / 1000;
  const range = createMemo(() => stripRange(props.cells, slo(), held));
  const axes = createMemo<Axes>(() => ({
    startS: props.place.startS,
    endS: props.place.endS,
    ...range(),
    log: true,
  }));
  const empty = (): string | undefined => {
    // Nothing is said before the cells have come.
    if (!props.frame || !props.cells || props.cells.total > 0) return undefined;
    return 'no first token yet';
  };
  const picture = (_: number, height: number): StripPicture => {
    const { low, high } = range();
    const show = (value: number): string => (high >= 1000 ? plain(value / 1000) : plain(value));
    return {
      of: 'strip',
      ...axes(),
      first: props.place.first,
      cells: props.cells,
      ticks: stripTicks(low, high, height).map((value) => ({ value, text: show(value) })),
      nowS: (props.frame?.now_us ?? 0) / 1e6,
      warmUpS: props.warmUpS,
      flags: props.frame?.flags ?? [],
      slo: slo(),
      mark: props.mark,
      empty: empty(),
    };
  };
  offers({
    title: 'TTFT density',
    picture: (w, h) => untrack(() => picture(w, h)),
    columns: () => untrack(() => props.cells && tableOf(props.cells)),
    unit: () => untrack(() => (range().high >= 1000 ? 's, log' : 'ms, log')),
  });
  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, { palette, picture: (w, h) => untrack(() => picture(w, h)) });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    palette();
    axes();
    box();
    void [props.cells, props.warmUpS, props.mark, empty()];
    surface?.request();
  });
  const sentence = (): string => {
    const cells = props.cells;
    if (!cells || cells.total === 0) return `TTFT density: ${empty() ?? ''}.`;
    return `TTFT density: ${count(cells.total)} requests by arrival, at most ${count(cells.most)} in a cell of ${plain(cells.width_us / 1e6)} s.`;
  };
  return (
    <figure
      class="time-chart"
      ref={(el) => createEffect(() => (el.style.width = `${props.place.width}px`))}
      aria-label={sentence()}
    >
      <figcaption>
        <b>TTFT density</b> <i>{range().high >= 1000 ? 's, log' : 'ms, log'}</i>
        <ToolsButton title="TTFT density" onTable={props.onTable} onTools={props.onTools} />
        <span class="readouts">
          <span>
            <i>requests 1</i>{' '}
            <span class="heat-steps" aria-hidden="true">
              <For each={STEPS}>
                {(step) => (
                  <i ref={(el) => createEffect(() => (el.style.background = heatPaint(palette().dark, step - 0.01)))} />
                )}
              </For>
            </span>{' '}
            {count(Math.max(1, props.cells?.most ?? 1))}
          </span>
        </span>
      </figcaption>
      <div
        class="plot"
        ref={(el) => {
          host = el;
          createEffect(() => (el.style.height = `${height()}px`));
        }}
      >
        <canvas ref={canvas} />
        <PlotArea
          box={box()}
          axes={axes()}
          cursorS={props.cursorS}
          atS={undefined}
          marks={[]}
          onCursor={props.onCursor}
        />
      </div>
    </figure>
  );
}
