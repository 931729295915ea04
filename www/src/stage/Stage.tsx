// The present cluster: a canvas and, behind it, a table with the same content and actions.

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
import { takeBytes } from '../base/frameBytes.ts';
import { type Offset, offsetIn } from '../base/pointer.ts';
import { holderOf, type StageProps } from '../base/view.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import { pagePalette } from '../draw/palette.ts';
import { createThrottled } from '../draw/throttled.ts';
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { toolPlaces } from './calmLayout.ts';
import { askByKey, askFor, choose, pick } from './choosing.ts';
import { awayWords, contextScale, describeStage, present, travelOf, writtenOf } from './facts.ts';
import type { HandPlace } from './Hand.tsx';
import { kvSaid } from './kvHover.ts';
import type { StageLayout } from './layout.ts';
import { layoutFor, needsFor, rowsAsked } from './layoutFor.ts';
import { markSaid } from './markHover.ts';
import { createNotes } from './notes.ts';
import type { StageFrame, StagePicture } from './picture.ts';
import { ribbonSaid } from './splitHits.ts';
import './stage.css';

const StageTable = lazy(() => import('./StageTable.tsx'));

/** The parts of a frame used for drawing. */
function drawnOf(frame: Frame): StageFrame {
  const { now_us, key, gateway, split, clients, pools, counts, moves, replicas, servers } = frame;
  const some = { ...(gateway ? { gateway } : {}), ...(split ? { split } : {}), ...(servers ? { servers } : {}) };
  return { now_us, key, ...some, clients, pools, counts, moves, replicas };
}

/** `hand`: what takes the stage in the hand; a stage within another page or a comparison has none. */
export function Stage(props: StageProps & { hand?: ((place: HandPlace) => JSX.Element) | undefined }) {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  /** The frame of the latest picture. */
  let size: { readonly width: number; readonly height: number } | undefined;
  let scale = 512;
  /** The frame of the numbers that the painter has. */
  let given: Frame | undefined;
  const palette = pagePalette();
  const [table, setTable] = createSignal(false);
  const [sheet, setSheet] = createSignal<HTMLElement>();
  const focus = createMemo(() => {
    if (props.selected.replica !== undefined) return props.selected.replica;
    const request = props.selected.request;
    return request !== undefined && props.frame ? (holderOf(props.frame, request) ?? props.holder) : undefined;
  });

  const shown = (): readonly ReplicaFrame[] => present(props.frame?.replicas ?? []);
  const [box, setBox] = createSignal({ width: 0, height: 0 });
  const needs = createMemo(() => needsFor(box().width, props.frame, shown()));
  const written = (): Frame | undefined => props.written ?? props.frame;
  const throttled = createThrottled(() => props.frame, 250);
  const readFrame = (): Frame | undefined => props.written ?? throttled();
  const travel = () => travelOf(props.frame, props.speed, { reduced: props.reducedMotion, playing: props.playing });
  const ribbons = (): boolean => travel() !== 'dots';

  const notes = createNotes(props, ribbons, () => surface?.request());

  const layoutOf = (w: number, h: number): StageLayout =>
    layoutFor(w, h, props.frame, shown(), { calm: props.calm, tools: props.onBreak !== undefined });
  const drawnLayout = () => (box().width > 0 ? layoutOf(box().width, box().height) : undefined);
  const away = createMemo(() => awayWords(props.frame?.replicas ?? [], drawnLayout()?.rows !== undefined));
  const picture = (width: number, height: number): StagePicture | undefined => {
    size = { width, height };
    const frame = props.frame;
    if (!frame) return undefined;
    // Bars shrink at once for a longer context, and grow again only when half their height is unused.
    const tallest = contextScale(frame.replicas);
    if (tallest > scale || tallest * 2 <= scale) scale = tallest;
    const bytes = takeBytes(frame);
    const wanted = written();
    const isNew = wanted !== given;
    given = wanted;
    return {
      of: 'stage',
      frame: bytes ? undefined : drawnOf(frame),
      bytes,
      written: isNew ? (wanted && wanted !== frame ? drawnOf(wanted) : 'this') : undefined,
      request: props.selected.request,
      focus: focus(),
      menu: props.onBreak !== undefined,
      calm: props.calm ?? false,
      scale,
      ribbons: ribbons(),
      flows: travel() === 'flow',
      still: props.reducedMotion,
      router: props.router,
      notes: notes.take(),
    };
  };

  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, {
      palette,
      picture,
      fit: (width, height) => {
        setBox({ width, height });
        return layoutOf(width, height).height;
      },
    });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    void [palette(), focus(), written(), props.selected.request, props.reducedMotion, props.calm];
    surface?.request();
  });

  tellPlaces(props, shown, drawnLayout);

  const drawnOn = (frame: Frame) =>
    size ? { layout: layoutOf(size.width, size.height), drawn: written() ?? frame } : undefined;
  const { pickAt, askAt, pointAt, leave, under } = pointing(props, focus, drawnOn);
  const place = (el: HTMLElement): HandPlace => ({
    sheet: el,
    drawn: () => props.frame && drawnOn(props.frame),
    replicas: (drawn) => shown().map((r) => writtenOf(drawn, r)),
    width: () => box().width,
    read: readFrame,
    passed: notes.passed,
    onRequest: (request) => props.onSelect({ request, replica: undefined }),
  });

  return (
    <div
      class="stage-view"
      data-split={props.frame?.split ? '' : undefined}
      data-rows={rowsAsked(props.frame, shown().length)}
      ref={(el) => createEffect(() => el.style.setProperty('--stage-needs', `${needs()}px`))}
    >
      <div class="stage-host" ref={host}>
        <div
          class="stage-sheet"
          ref={setSheet}
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the stage takes arrow keys, as its name says
          tabIndex={0}
          aria-label={nameOf(props)}
          onKeyDown={(event) =>
            askByKey(event, focus(), () => drawnLayout()?.boxes ?? [], props) || choose(event, shown(), props)
          }
          onContextMenu={(event) => {
            // That of the key, which has opened the page's own.
            if (event.target === event.currentTarget && props.onBreak) event.preventDefault();
          }}
        >
          {/* Every click target is also a control in the table. */}
          <canvas
            ref={canvas}
            role="img"
            aria-label={describeStage(readFrame())}
            onClick={pickAt}
            onContextMenu={askAt}
            onMouseMove={pointAt}
            onMouseLeave={leave}
          />
          <Show when={under()}>
            <span class="stage-under">{under()}</span>
          </Show>
          <button type="button" class="stage-table-toggle" onClick={() => setTable(true)}>
            Show as table
          </button>
          <Show when={away()}>
            <span class="stage-stopped">{away()}</span>
          </Show>
          <Show when={sheet()}>{(el) => props.hand?.(place(el()))}</Show>
        </div>
      </div>
      <Show when={table()}>
        <Suspense>
          <StageTable {...props} frame={readFrame()} onClose={() => setTable(false)} />
        </Suspense>
      </Show>
    </div>
  );
}

/** The name of the stage, with its keys. */
function nameOf({ onDeeper, onBreak }: StageProps): string {
  const enter = onDeeper ? 'its batch, then a request, then its blocks' : 'one of its requests';
  const menu = onBreak ? '; the menu key shows what can be changed' : '';
  return `Stage: arrow keys choose a replica, Enter ${enter}${menu}`;
}

/** Where the stage has no rows, its tools have no place on it. */
const NO_PLACES = { rows: [], batches: [] } as const;

/** Says where the tools stand, whenever that changes. */
function tellPlaces(
  props: StageProps,
  drawn: () => readonly ReplicaFrame[],
  layoutNow: () => StageLayout | undefined,
): void {
  let said = '';
  createEffect(() => {
    const layout = props.onPlaces && props.frame ? layoutNow() : undefined;
    const ids = drawn().map((r) => r.id);
    const places = layout && (layout.rows ? toolPlaces({ ...layout, rows: layout.rows }, ids) : NO_PLACES);
    const next = JSON.stringify(places) ?? '';
    if (next !== said) props.onPlaces?.(places);
    said = next;
  });
}

type OnCanvas = MouseEvent & { currentTarget: Element };

/** What a click selects, and what is said of the place under the pointer. */
function pointing(
  props: StageProps,
  focus: () => number | undefined,
  drawnOn: (frame: Frame) => { readonly layout: StageLayout; readonly drawn: Frame } | undefined,
) {
  const [pointer, setPointer] = createSignal<Offset>();
  // The cards are of the frame of the numbers.
  const cards = (drawn: Frame): readonly ReplicaFrame[] =>
    present(props.frame?.replicas ?? []).map((r) => writtenOf(drawn, r));
  const saidAt = (at: Offset): string => {
    const { frame } = props;
    const on = frame && drawnOn(frame);
    if (!on) return '';
    const replicas = cards(on.drawn);
    const words = frame.split
      ? ribbonSaid(on.layout, frame, replicas, at)
      : kvSaid(on.layout, replicas, at.offsetX, at.offsetY);
    return words || markSaid(on.layout, replicas, at.offsetX, at.offsetY);
  };
  return {
    pickAt: (event: OnCanvas): void => {
      const at = props.frame && drawnOn(props.frame);
      if (at) pick(offsetIn(event.currentTarget, event), at.layout, cards(at.drawn), props, focus());
    },
    askAt: (event: OnCanvas): void => {
      const at = props.frame && drawnOn(props.frame);
      if (at && askFor(offsetIn(event.currentTarget, event), at.layout, cards(at.drawn), props)) event.preventDefault();
    },
    pointAt: (event: OnCanvas): void => void setPointer(offsetIn(event.currentTarget, event)),
    leave: (): void => void setPointer(undefined),
    /** What is under the pointer, in the numbers that stand there: made anew with each written frame. */
    under: createMemo(() => {
      const at = pointer();
      void (props.written ?? props.frame);
      return at ? untrack(() => saidAt(at)) : '';
    }),
  };
}
