// The present cluster: a canvas and, behind it, a table with the same content and actions.

import { createEffect, createMemo, createSignal, lazy, onCleanup, onMount, Show, Suspense } from 'solid-js';
import { takeBytes } from '../base/frameBytes.ts';
import { offsetIn } from '../base/pointer.ts';
import { holderOf, type StageProps } from '../base/view.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import { pagePalette } from '../draw/palette.ts';
import { createThrottled } from '../draw/throttled.ts';
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { askFor, choose, pick } from './choosing.ts';
import { awayWords, contextScale, describeStage, followable, present, writtenOf } from './facts.ts';
import { kvSaid } from './kvHover.ts';
import type { StageLayout } from './layout.ts';
import { layoutFor, needsFor } from './layoutFor.ts';
import type { StageFrame, StageNote, StagePicture } from './picture.ts';
import { ribbonSaid } from './splitHits.ts';
import './stage.css';

const StageTable = lazy(() => import('./StageTable.tsx'));

/** Least time between two pictures of a stage without dots. */
const RIBBONS_MS = 25;
/** The most frames per picture. */
const NOTES = 64;

/** The parts of a frame used for drawing. */
function drawnOf({ now_us, key, gateway, split, clients, pools, counts, moves, replicas }: Frame): StageFrame {
  const some = { ...(gateway ? { gateway } : {}), ...(split ? { split } : {}) };
  return { now_us, key, ...some, clients, pools, counts, moves, replicas };
}

export function Stage(props: StageProps) {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  /** The frame of the latest picture. */
  let size: { readonly width: number; readonly height: number } | undefined;
  let notes: StageNote[] = [];
  let scale = 512;
  let askedMs = 0;
  /** The frame of the numbers that the painter has. */
  let given: Frame | undefined;
  const palette = pagePalette();
  const [table, setTable] = createSignal(false);
  const focus = createMemo(() => {
    if (props.selected.replica !== undefined) return props.selected.replica;
    const request = props.selected.request;
    return request !== undefined && props.frame ? (holderOf(props.frame, request) ?? props.holder) : undefined;
  });

  const shown = (): readonly ReplicaFrame[] => present(props.frame?.replicas ?? []);
  const away = createMemo(() => awayWords(props.frame?.replicas ?? []));
  /** The height that the stage requests from its panel, if the page scrolls instead of the stage. */
  const [width, setWidth] = createSignal(0);
  const needs = createMemo(() => needsFor(width(), props.frame, shown()));
  const apart = createMemo(() => props.frame?.split !== undefined);
  const [under, setUnder] = createSignal('');
  const written = (): Frame | undefined => props.written ?? props.frame;
  const throttled = createThrottled(() => props.frame, 250);
  const readFrame = (): Frame | undefined => props.written ?? throttled();
  const ribbons = (): boolean => props.reducedMotion || !props.frame || !followable(props.frame, props.speed);

  const layoutOf = (width: number, height: number): StageLayout => layoutFor(width, height, props.frame, shown());
  const picture = (width: number, height: number): StagePicture | undefined => {
    size = { width, height };
    const frame = props.frame;
    if (!frame) return undefined;
    // Bars shrink at once for a longer context, and grow again only when half their height is unused.
    const tallest = contextScale(frame.replicas);
    if (tallest > scale || tallest * 2 <= scale) scale = tallest;
    const since = notes;
    notes = [];
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
      scale,
      ribbons: ribbons(),
      notes: since,
    };
  };

  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, {
      palette,
      picture,
      fit: (width, height) => {
        setWidth(width);
        return layoutOf(width, height).height;
      },
    });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    const frame = props.frame;
    if (!frame) return;
    const ttftUs = frame.replicas.length > 8 ? [] : frame.replicas.filter((r) => r.ttft.count > 0);
    notes.push({
      nowUs: frame.now_us,
      offeredPerS: frame.key.offered_per_s,
      ttftUs: ttftUs.map((r) => [r.id, r.ttft.p50_us] as const),
      followed: ribbons() ? undefined : { moves: frame.moves, speed: props.speed },
    });
    // While nothing is drawn, only the latest frames matter.
    if (notes.length > NOTES) notes.shift();
    // Without dots nothing moves continuously: every other display frame is enough.
    const now = performance.now();
    const seldom = ribbons() && props.playing;
    if (seldom && now - askedMs < RIBBONS_MS) return;
    askedMs = now;
    // Drawn in the display frame after the one that updates the numbers: both in one would take too long.
    if (seldom) setTimeout(() => surface?.request());
    else surface?.request();
  });
  createEffect(() => {
    palette();
    focus();
    written();
    void props.selected.request;
    void props.reducedMotion;
    surface?.request();
  });

  const { pickAt, askAt, look } = pointing(props, { say: setUnder, focus }, (frame) =>
    size ? { layout: layoutOf(size.width, size.height), drawn: written() ?? frame } : undefined,
  );

  return (
    <div
      class="stage-view"
      data-split={apart() ? '' : undefined}
      ref={(el) => createEffect(() => el.style.setProperty('--stage-needs', `${needs()}px`))}
    >
      <div class="stage-host" ref={host}>
        <div
          class="stage-sheet"
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the stage takes arrow keys, as its name says
          tabIndex={0}
          aria-label="Stage: arrow keys choose a replica, Enter one of its requests"
          onKeyDown={(event) => choose(event, shown(), props)}
        >
          {/* Every click target is also a control in the table. */}
          <canvas
            ref={canvas}
            role="img"
            aria-label={describeStage(readFrame())}
            onClick={pickAt}
            onContextMenu={askAt}
            onMouseMove={look}
            onMouseLeave={() => setUnder('')}
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

/** What a click selects, and what is said of the place under the pointer. */
function pointing(
  props: StageProps,
  { say, focus }: { readonly say: (words: string) => void; readonly focus: () => number | undefined },
  drawnOn: (frame: Frame) => { readonly layout: StageLayout; readonly drawn: Frame } | undefined,
) {
  // The cards are of the frame of the numbers.
  const cards = (drawn: Frame): readonly ReplicaFrame[] =>
    present(props.frame?.replicas ?? []).map((r) => writtenOf(drawn, r));
  return {
    pickAt: (event: MouseEvent & { currentTarget: Element }): void => {
      const at = props.frame && drawnOn(props.frame);
      if (at) pick(offsetIn(event.currentTarget, event), at.layout, cards(at.drawn), props, focus());
    },
    askAt: (event: MouseEvent & { currentTarget: Element }): void => {
      const at = props.frame && drawnOn(props.frame);
      if (at && askFor(offsetIn(event.currentTarget, event), at.layout, cards(at.drawn), props)) event.preventDefault();
    },
    look: (event: MouseEvent & { currentTarget: Element }): void => {
      const { frame } = props;
      const layout = frame && drawnOn(frame)?.layout;
      if (!layout) return;
      const replicas = present(frame.replicas);
      const at = offsetIn(event.currentTarget, event);
      const words = frame.split
        ? ribbonSaid(layout, frame, replicas, at)
        : kvSaid(layout, replicas, at.offsetX, at.offsetY);
      say(words ?? '');
    },
  };
}
