// The timeline as a control: it shows the health of the run and, if seeking is possible, moves the playhead.

import {
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  lazy,
  onCleanup,
  onMount,
  Show,
  Suspense,
  untrack,
} from 'solid-js';
import { clusters } from '../base/anomalies.ts';
import { offsetIn } from '../base/pointer.ts';
import { clock } from '../base/units.ts';
import type { ViewColumns } from '../base/view.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import { pagePalette } from '../draw/palette.ts';
import { slideOf } from '../draw/slide.ts';
import { createThrottled } from '../draw/throttled.ts';
import type { AnomalyMark, Frame } from '../generated/boundary.ts';
import { barEndAt, faultBars } from './faultBars.ts';
import { carried, drop, type Held, measured, placeOf } from './flagHits.ts';
import { PENNANT, pennantAt, placePennants } from './flags.ts';
import { offers } from './pictures.ts';
import { describeTimeline, flagPlaces, placeOn, scrubberEdges, type TimelinePicture } from './timeline.ts';
import './charts.css';

// Not needed in runs without anomalies.
const AnomalyMarks = lazy(() => import('./AnomalyMarks.tsx'));

export type ScrubberProps = {
  readonly data: ViewColumns | undefined;
  /** The health of the run beside the one on screen. */
  readonly beside?: ViewColumns | undefined;
  readonly frame: Frame | undefined;
  /** The id of what describes the control. */
  readonly describedBy?: string | undefined;
  /** Whether it is that of the first view: health alone, with few labels. Its edits are flags above the chart. */
  readonly few?: boolean;
  readonly warmUpS?: number | undefined;
  readonly anomalies: readonly AnomalyMark[];
  readonly onAnomaly: (mark: AnomalyMark) => void;
  /** The part of the time axis that the charts show, in seconds. */
  readonly window?: { readonly fromS: number; readonly toS: number } | undefined;
  /** Decisions of autoscalers that changed the wanted number. */
  readonly decisions?: TimelinePicture['decisions'];
  readonly onSeek?: ((us: number) => void) | undefined;
  /** Seeks by this much, from the target of a seek under way or the present instant. */
  readonly onSeekBy?: ((us: number) => void) | undefined;
  /** A flag was dragged to another instant. */
  readonly onMoveFlag?: ((index: number, us: number) => void) | undefined;
  /** The end of a fault was dragged to another instant. */
  readonly onStretchFlag?: ((index: number, us: number) => void) | undefined;
  /** A pennant was clicked; gets its flags. */
  readonly onFlags?: ((indices: readonly number[]) => void) | undefined;
};

export function Scrubber(props: ScrubberProps): JSX.Element {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const [width, setWidth] = createSignal(0);
  const [pointed, setPointed] = createSignal(-1);
  /** The dragged flag: its old place, and its new one once it was moved. */
  const [held, setHeld] = createSignal<Held>();
  // The strip below the playhead changes with its data, a few times a second; the playhead itself is moved each frame.
  const drawnFrame = createThrottled(() => props.frame, 250);
  const spokenFrame = createThrottled(() => props.frame, 500);
  // The data of all charts are one signal: the strip is redrawn only if its own columns are new.
  const data = createMemo(() => props.data);
  const spokenData = createThrottled(data, 500);
  const palette = pagePalette();
  const playhead = createMemo(() => playheadIn(props, width()));
  const axis = createMemo(() => ({ frame: props.frame, endUs: props.frame?.axis_end_us }), undefined, {
    equals: (a, b) => a?.endUs === b?.endUs,
  });
  // Marks are far enough apart to hit each, on a phone with a finger.
  const placed = createMemo(() =>
    props.few ? [] : clusters(props.anomalies, placeOn(axis().frame, width()), width() < 720 ? 44 : 36),
  );

  const picture = (): TimelinePicture | undefined => {
    const frame = props.frame;
    if (!frame) return undefined;
    const { now_us, axis_end_us, flags, faults } = frame;
    return {
      of: 'timeline',
      frame: { now_us, axis_end_us, flags, ...(faults ? { faults } : {}) },
      data: data(),
      beside: props.beside,
      warmUpS: props.warmUpS ?? 0,
      anomalies: placed(),
      pointed: pointed(),
      decisions: props.decisions ?? [],
      few: props.few ?? false,
      carried: held()?.us,
    };
  };
  offers({ title: 'Timeline', picture: () => untrack(picture), columns: data });
  onMount(() => {
    if (!host || !canvas) return;
    const fit = (w: number): number => {
      setWidth(w);
      return 0;
    };
    surface = attachSurface(canvas, host, { palette, picture, fit });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    palette();
    drawnFrame();
    axis();
    void data();
    void props.beside;
    void props.warmUpS;
    placed();
    pointed();
    held();
    void props.decisions;
    surface?.request();
  });

  /** The indices in the list of edits of the flags at a pennant. */
  const flagsAt = (x: number): number[] => {
    if (!props.frame) return [];
    const { flags, places, edges } = flagPlaces(props.frame, width());
    const pennants = placePennants(flags, places, edges, measured(palette()));
    const found = pennantAt(pennants, x)?.flags ?? [];
    return found.map((flag) => placeOf(flag, props.frame)).filter((i) => i >= 0);
  };
  const seek = (us: number): void => {
    const end = props.frame?.axis_end_us ?? 0;
    props.onSeek?.(Math.round(Math.min(end, Math.max(0, us))));
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (!props.onSeek || !props.frame || (event.type === 'pointermove' && event.buttons === 0)) return;
    const { left, right } = scrubberEdges(width(), props.few);
    const { offsetX, offsetY } = offsetIn(event.currentTarget, event);
    const us = ((offsetX - left) / (right - left)) * props.frame.axis_end_us;
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    if (event.type === 'pointerdown' && !props.few) {
      const bars = props.onStretchFlag ? faultBars(props.frame, placeOn(props.frame, width())) : [];
      const end = barEndAt(bars, offsetX, offsetY);
      if (end) {
        setHeld({ indices: [end.index], fromX: offsetX, us: undefined, end: end.untilUs ?? 0 });
        return;
      }
      const indices = offsetY <= PENNANT + 2 ? flagsAt(offsetX) : [];
      if (indices.length > 0 && props.onFlags) {
        setHeld({ indices, fromX: offsetX, us: undefined });
        return;
      }
    }
    const flag = held();
    if (!flag) seek(us);
    else setHeld(carried(flag, offsetX, us, props.frame.axis_end_us));
  };
  const release = (): void => {
    const flag = held();
    setHeld(undefined);
    if (flag) drop(flag, props);
  };

  return (
    <div class="timeline">
      <div class="scrubber" ref={host}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={describeTimeline(spokenFrame(), spokenData(), props.decisions?.length)}
        />
        <Show when={props.window}>{(shown) => <Shown window={shown()} place={placeOn(axis().frame, width())} />}</Show>
        {props.few ? <Line x={playhead()} /> : <Head x={playhead()} />}
        <Show when={props.onSeek}>
          <div
            class="scrubber-slider"
            role="slider"
            tabIndex={0}
            aria-label="Time"
            aria-describedby={props.describedBy}
            aria-valuemin={0}
            aria-valuemax={(spokenFrame()?.axis_end_us ?? 0) / 1e6}
            aria-valuenow={(spokenFrame()?.now_us ?? 0) / 1e6}
            aria-valuetext={`${clock(spokenFrame()?.now_us ?? 0)} s`}
            onPointerDown={drag}
            onPointerMove={drag}
            onPointerUp={release}
            onPointerCancel={() => setHeld(undefined)}
            onKeyDown={(event) => seekByKey(event, props, seek)}
          />
        </Show>
      </div>
      <Show when={!props.few && props.anomalies.length > 0}>
        <Suspense>
          <AnomalyMarks
            clusters={placed()}
            count={props.frame?.anomaly_count ?? 0}
            width={width()}
            nowUs={props.frame?.now_us ?? 0}
            onPoint={setPointed}
            onPick={props.onAnomaly}
          />
        </Suspense>
      </Show>
    </div>
  );
}

/** The place of the playhead, to a whole pixel. */
function playheadIn({ frame, few }: ScrubberProps, width: number): number {
  // To a pixel of the screen in the first view, as the playhead of the chart above it.
  const ratio = few ? globalThis.devicePixelRatio || 1 : 1;
  return Math.round(placeOn(frame, width, few)((frame?.now_us ?? 0) / 1e6) * ratio) / ratio;
}

/** The lower end of the playhead of the first view, whose knob is above the chart. */
function Line(props: { readonly x: number }): JSX.Element {
  return (
    <div
      class="scrubber-line"
      aria-hidden="true"
      ref={(el) => {
        const slide = slideOf(el);
        createEffect(() => slide(props.x));
      }}
    />
  );
}

/** The playhead. */
function Head(props: { readonly x: number }): JSX.Element {
  return (
    <svg
      class="scrubber-head"
      width="15"
      height="43"
      viewBox="0 0 15 43"
      aria-hidden="true"
      ref={(el) => {
        const slide = slideOf(el);
        createEffect(() => slide(props.x - 7.5));
      }}
    >
      <path d="M2 2h11v5l-4.5 4.5V41h-2V11.5L2 7z" />
    </svg>
  );
}

/** The part of the time axis that the charts show. */
function Shown(props: {
  readonly window: NonNullable<ScrubberProps['window']>;
  readonly place: (timeS: number) => number;
}): JSX.Element {
  return (
    <i
      class="scrubber-window"
      ref={(el) =>
        createEffect(() => {
          const [left, right] = [props.place(props.window.fromS), props.place(props.window.toS)];
          el.style.left = `${left}px`;
          el.style.width = `${Math.max(3, right - left)}px`;
        })
      }
    />
  );
}

/** Arrow and page keys seek by a step, Home and End to an end of the run. */
function seekByKey(event: KeyboardEvent, props: ScrubberProps, seek: (us: number) => void): void {
  const frame = props.frame;
  if (!props.onSeek || !frame) return;
  const step = frame.axis_end_us / (event.shiftKey ? 20 : 200);
  const by: Record<string, number> = {
    ArrowLeft: -step,
    ArrowRight: step,
    PageDown: -frame.axis_end_us / 10,
    PageUp: frame.axis_end_us / 10,
  };
  const to: Record<string, number> = { Home: 0, End: frame.axis_end_us };
  const [us, moved] = [to[event.key], by[event.key]];
  if (us === undefined && moved === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (moved !== undefined) props.onSeekBy?.(Math.round(moved));
  else seek(us ?? 0);
}
