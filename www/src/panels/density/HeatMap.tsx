// The heat map with its brush: cells by the painter, pointer and keys here.

import { createEffect, createMemo, createSignal, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { LATENCIES } from '../../base/latencies.ts';
import { offsetIn } from '../../base/pointer.ts';
import { count } from '../../base/units.ts';
import { TableButton } from '../../charts/TableButton.tsx';
import { type HeatPart, heatPlaces } from '../../closeup/heatPicture.ts';
import { closeUpPainter } from '../../closeup/painter.ts';
import type { DensityPicture } from '../../closeup/pictures.ts';
import { attachSurface, type Surface } from '../../draw/canvas.ts';
import { heatPaint } from '../../draw/heat.ts';
import { pagePalette } from '../../draw/palette.ts';
import type { Density, LatencyBox } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { boxes, measure, setBoxes, timeWindow } from '../../state/view/closeup.ts';
import { answers } from '../../state/view/density.ts';
import { cellAt, hasCells, keyed } from './brush.ts';
import { createDragging, type Spot } from './dragging.ts';
import { cellWords, countedWords, mapSentence } from './words.ts';

/** Steps of the legend. */
const STEPS = [0.05, 0.25, 0.5, 0.75, 1] as const;
/** A corner is taken within this distance, in pixels. */
const NEAR = 12;

export function HeatMap(props: {
  app: Pick<App, 'transport' | 'selection' | 'document'>;
  onTable: () => void;
}): JSX.Element {
  let host: HTMLDivElement | undefined;
  const app = props.app;
  const palette = pagePalette();
  const [active, setActive] = createSignal(0);
  const [over, setOver] = createSignal<string>();
  const map = createMemo((): Density | undefined => {
    const found = answers()?.map;
    return found?.of === measure() ? found : undefined;
  });
  const grid = () => {
    const found = map();
    return hasCells(found) ? found : undefined;
  };
  // Drawn again only when edits or the axis change, not with every frame.
  const ground = createMemo(
    () => {
      const frame = app.transport.writtenFrame();
      return { endS: (frame?.axis_end_us ?? 1e6) / 1e6, flags: frame?.flags ?? [] };
    },
    undefined,
    { equals: (a, b) => a.endS === b.endS && JSON.stringify(a.flags) === JSON.stringify(b.flags) },
  );
  const own = createMemo(() => boxes().filter((b) => b.of === measure()));
  const selected = (): string => (boxes().length === 0 ? '' : `${count(answers()?.rows.matching ?? 0)} selected`);
  const axis = () => ({
    map: map(),
    startS: timeWindow()?.fromS ?? 0,
    endS: timeWindow()?.toS ?? ground().endS,
  });
  const part = createMemo<HeatPart>(() => ({
    part: 'heat',
    ...axis(),
    nowS: (map()?.now_us ?? untrack(app.transport.writtenFrame)?.now_us ?? 0) / 1e6,
    warmUpS: app.document.warmUpS() ?? 0,
    flags: ground().flags,
    boxes: own(),
    active: active(),
    selected: selected(),
    mark: markOf(app, map()),
    empty: map() ? 'no latency known yet' : 'after the first seconds',
  }));
  const change = (next: readonly LatencyBox[], index: number): void => {
    const others = boxes().filter((b) => b.of !== measure());
    setActive(index);
    setBoxes([...next, ...others]);
    if (next.length > 0) app.selection.setRightTab('selection');
  };
  const places = () => heatPlaces(axis(), host?.clientWidth ?? 1, host?.clientHeight ?? 1);
  const at = (event: MouseEvent): readonly [x: number, y: number] => {
    if (!host) return [0, 0];
    const { offsetX, offsetY } = offsetIn(host, event);
    return [offsetX, offsetY];
  };
  const spotOf = (event: MouseEvent): Spot => {
    const [x, y] = at(event);
    return { atUs: places().timeAt(x) * 1e6, us: places().usAt(y) };
  };
  const brush = createDragging({
    grid,
    boxes: own,
    active,
    set: change,
    spotOf,
    isNear: (event, atUs, us) => {
      const [x, y] = at(event);
      return Math.abs(places().x(atUs / 1e6) - x) <= NEAR && Math.abs(places().y(us) - y) <= NEAR;
    },
  });
  const point = (event: PointerEvent): void => {
    brush.drag(event);
    const cells = grid();
    const { atUs, us } = spotOf(event);
    const cell = cells && cellAt(cells, atUs, us);
    setOver(cells && cell ? cellWords(cells, cell.column, cell.row) : undefined);
    app.selection.setCursorS(atUs / 1e6);
  };
  const press = (event: KeyboardEvent): void => {
    const cells = grid();
    if (!cells || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = keyed(cells, own(), active(), event);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    change(next.boxes, next.active);
  };
  return (
    <figure class="heat" aria-label={mapSentence(map(), selected())}>
      <Title map={map()} over={over()} dark={palette().dark} onTable={props.onTable} />
      <section
        class="plot heat-plot"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys make, move and size the boxes of the brush
        tabIndex={0}
        aria-label={`Brush of the ${LATENCIES[measure()].name} map: B begins a box, arrows move it, Shift and arrows size it, Delete removes it, Escape clears`}
        onKeyDown={press}
      >
        <div
          class="heat-host"
          ref={host}
          onPointerDown={brush.take}
          onPointerMove={point}
          onPointerUp={brush.release}
          onPointerCancel={brush.release}
          onPointerLeave={() => {
            setOver(undefined);
            app.selection.setCursorS(undefined);
          }}
        >
          <Sheet host={() => host} part={part()} />
        </div>
      </section>
    </figure>
  );
}

/** A canvas that the painter of close-ups draws a part of the view on. */
export function Sheet(props: { host: () => HTMLElement | undefined; part: DensityPart }): JSX.Element {
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const palette = pagePalette();
  onMount(() => {
    const host = props.host();
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, {
      palette,
      picture: () => untrack((): DensityPicture => ({ of: 'density', ...props.part })),
      by: closeUpPainter(),
    });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    palette();
    void props.part;
    surface?.request();
  });
  return <canvas ref={canvas} />;
}

type DensityPart = DensityPicture extends infer P
  ? P extends { readonly of: unknown }
    ? Omit<P, 'of'>
    : never
  : never;

function Title(props: {
  map: Density | undefined;
  over: string | undefined;
  dark: boolean;
  onTable: () => void;
}): JSX.Element {
  const name = (): string => `${LATENCIES[measure()].name} density`;
  return (
    <figcaption>
      <b>{name()}</b>
      <i>
        <Show when={props.map}>
          {(map) => (
            <>
              {(map().edges_us.at(-1) ?? 0) >= 1e6 ? 's' : 'ms'}, log · {countedWords(map())}
            </>
          )}
        </Show>
      </i>
      <TableButton title={name()} onOpen={props.onTable} />
      <span class="grow" />
      <span class="heat-legend">
        <Show when={props.over} fallback={<i>{measure() === 'itl' ? 'gaps' : 'requests'} 1</i>}>
          <i>{props.over}</i>
        </Show>
        <Show when={!props.over}>
          <span class="heat-steps" aria-hidden="true">
            {STEPS.map((step) => (
              <i ref={(el) => createEffect(() => (el.style.background = heatPaint(props.dark, step - 0.01)))} />
            ))}
          </span>
          <i>{count(Math.max(1, props.map?.most ?? 1))}</i>
        </Show>
      </span>
    </figcaption>
  );
}

/** The place of the selected request on the map, once its latency is known. */
function markOf(app: Pick<App, 'selection'>, map: Density | undefined): HeatPart['mark'] {
  const detail = app.selection.detail();
  if (!detail || !map) return undefined;
  const us = { ttft: detail.ttft_us, itl: undefined, e2e: detail.e2e_us }[map.of];
  return us === undefined ? undefined : { atS: detail.arrival_us / 1e6, us };
}
