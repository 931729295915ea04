// The axis of time below the charts: its ticks, the clock under the playhead, and the time under the cursor.
import { createEffect, createMemo, For, type JSX, Show } from 'solid-js';
import { clock, plain } from '../base/units.ts';
import { slideOf } from '../draw/slide.ts';
import { timeTicks } from './scales.ts';
import { EDGE } from './timePicture.ts';

/** Distance between the middles of two times on the axis that do not touch. */
const CHIPS_APART = 46;
/** A tick closer than this to such a time has no label. */
const COVERED = 36;

/** The part of the time axis on screen, and the places of instants on it. */
export type Scale = {
  readonly startS: number;
  readonly endS: number;
  /** Width of the plots. */
  readonly plot: number;
  /** Width of the charts. */
  readonly width: number;
};

/** The position of an instant; those beyond the window are at its edges. */
export function placeAt({ startS, endS, plot }: Scale, t: number): number {
  return EDGE.left + (plot * (Math.min(endS, Math.max(startS, t)) - startS)) / Math.max(1e-6, endS - startS);
}

export function TimeAxis(props: {
  readonly scale: Scale;
  readonly nowUs: number;
  /** The position of the playhead; undefined beyond the window. */
  readonly playhead: number | undefined;
  readonly cursorS: number | undefined;
}): JSX.Element {
  const ticks = createMemo(() => timeTicks(props.scale.endS, props.scale.plot, 52, props.scale.startS));
  const place = (t: number): number => placeAt(props.scale, t);
  /** The middle of the clock under the playhead. */
  const nowX = (): number =>
    props.playhead === undefined ? Number.NaN : Math.min(props.scale.width - 24, Math.max(22, props.playhead));
  /** The middle of the time under the cursor: beside that clock, not under it. */
  const cursorX = createMemo(() => {
    if (props.cursorS === undefined) return Number.NaN;
    const x = place(props.cursorS);
    const aside = x < nowX() ? nowX() - CHIPS_APART : nowX() + CHIPS_APART;
    return Math.abs(x - nowX()) < CHIPS_APART ? aside : x;
  });
  return (
    <div class="time-axis" aria-hidden="true">
      <For each={ticks()}>
        {(t, i) => (
          <span
            classList={{ covered: [nowX(), cursorX()].some((x) => Math.abs(place(t) - x) < COVERED) }}
            ref={(el) => createEffect(() => (el.style.left = `${place(t)}px`))}
          >
            {plain(t)}
            {i() === ticks().length - 1 ? ' s' : ''}
          </span>
        )}
      </For>
      <Show when={props.cursorS !== undefined}>
        <span class="cursor-chip" ref={(el) => createEffect(() => (el.style.left = `${cursorX()}px`))}>
          {(props.cursorS ?? 0).toFixed(2)}
        </span>
      </Show>
      <Show when={props.playhead !== undefined}>
        <NowChip us={props.nowUs} x={nowX()} />
      </Show>
    </div>
  );
}

/** The playhead moves up to sixty times a second, without layout and without redrawing the lines below it. */
export function slides(el: HTMLElement, x: () => number, after?: string): void {
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
