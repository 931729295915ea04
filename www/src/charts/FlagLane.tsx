// The edits as flags above the chart of the first view. On a phone they are masts, and a tap shows their words.
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { offsetIn } from '../base/pointer.ts';
import { plain } from '../base/units.ts';
import { areScheduled } from '../base/view.ts';
import { GLYPH, glyphPath, isCrash } from '../draw/faultMarks.ts';
import { pagePalette } from '../draw/palette.ts';
import type { Frame } from '../generated/boundary.ts';
import { carried, drop, type Held, measured, placeOf } from './flagHits.ts';
import { glyphOf, type Pennant, placePennants } from './flags.ts';
import { flagPlaces, scrubberEdges } from './timeline.ts';
import './flagLane.css';

export type FlagLaneProps = {
  readonly frame: Frame | undefined;
  /** Whether flags are masts without words. */
  readonly bare: boolean;
  readonly onMoveFlag: (index: number, us: number) => void;
  readonly onFlags: (indices: readonly number[]) => void;
};

/** Half the width that a finger needs. */
const FINGER = 20;

export function FlagLane(props: FlagLaneProps): JSX.Element {
  let host: HTMLDivElement | undefined;
  const [width, setWidth] = createSignal(0);
  const [held, setHeld] = createSignal<Held>();
  const palette = pagePalette();
  onMount(() => {
    if (!host) return;
    const watch = new ResizeObserver(([entry]) => void (entry && setWidth(Math.floor(entry.contentRect.width))));
    watch.observe(host);
    onCleanup(() => watch.disconnect());
  });
  const measure = createMemo(() => measured(palette()));
  /** Changes when a flag or the axis does, not with the clock: a flag stands still while the playhead passes it. */
  const shown = createMemo(() => props.frame, undefined, {
    equals: (a, b) => width() > 0 && flagsIn(a) === flagsIn(b),
  });
  const pennants = createMemo((): readonly Pennant[] => {
    const frame = shown();
    if (!frame || width() === 0) return [];
    const { flags, places, edges } = flagPlaces(frame, width(), true);
    // The knob of the playhead is below the flags.
    return placePennants(flags, places, { ...edges, playhead: Number.NEGATIVE_INFINITY }, measure());
  });
  const instantAt = (x: number): number => {
    const { left, right } = scrubberEdges(width(), true);
    return ((x - left) / (right - left)) * (props.frame?.axis_end_us ?? 0);
  };
  const move = (event: PointerEvent): void => {
    const flag = held();
    if (!flag || !host) return;
    const { offsetX: x } = offsetIn(host, event);
    setHeld(carried(flag, x, instantAt(x), props.frame?.axis_end_us ?? 0));
  };
  const release = (): void => {
    const flag = held();
    setHeld(undefined);
    if (flag) drop(flag, props);
  };
  const take = (event: PointerEvent & { currentTarget: HTMLElement }, one: Pennant): void => {
    const indices = one.flags.map((flag) => placeOf(flag, props.frame)).filter((i) => i >= 0);
    event.currentTarget.setPointerCapture(event.pointerId);
    if (host) setHeld({ indices, fromX: offsetIn(host, event).offsetX, us: undefined });
  };
  return (
    <div class="flag-lane" ref={host} aria-hidden="true" data-bare={props.bare ? '' : undefined}>
      <For each={pennants()}>
        {(one) => (
          <div
            class="flag-mark"
            classList={{
              scheduled: areScheduled(one.flags),
              applied: one.flags.every((flag) => flag.applied),
              off: one.flags.every((flag) => flag.off),
            }}
            ref={(el) => {
              const w = props.bare ? 2 * FINGER : one.width;
              el.style.width = `${w}px`;
              el.style.left = `${props.bare ? one.x - FINGER : one.side === 'right' ? one.x : one.x - w}px`;
            }}
            title={one.flags.map((flag) => flag.label).join(', ')}
            onPointerDown={(event) => take(event, one)}
            onPointerMove={move}
            onPointerUp={release}
            onPointerCancel={() => setHeld(undefined)}
          >
            <Show when={!props.bare} fallback={<i />}>
              <Flag of={one} />
            </Show>
          </div>
        )}
      </For>
      <Show when={held()?.us}>
        {(us) => (
          <span
            class="flag-carried"
            ref={(el) =>
              createEffect(() => {
                const { left, right } = scrubberEdges(width(), true);
                el.style.left = `${left + ((right - left) * us()) / Math.max(1, props.frame?.axis_end_us ?? 1)}px`;
              })
            }
          >
            {plain(Number((us() / 1e6).toFixed(2)))} s
          </span>
        )}
      </Show>
    </div>
  );
}

/** A flag with its words: filled if the user's hand made it and it is in force. */
function Flag(props: { readonly of: Pennant }): JSX.Element {
  const { side, text, pad, width, flags } = props.of;
  const right = side === 'right';
  const kind = glyphOf(flags);
  const w = Math.round(width);
  const d = right ? `M.5.5H${w}l-4 6 4 6H.5z` : `M${w - 0.5}.5H0l4 6-4 6h${w - 0.5}z`;
  return (
    <svg width={w} height="13" viewBox={`0 0 ${w} 13`} aria-hidden="true">
      <path class="ground" d={d} />
      <Show when={kind}>
        {(kind) => (
          <path
            class="glyph"
            classList={{ crash: isCrash(kind()) }}
            transform={`translate(${right ? pad - GLYPH : w - pad + 3} 1) scale(.9)`}
            d={glyphPath(kind())}
          />
        )}
      </Show>
      <text x={right ? pad : w - pad} y="10.5" text-anchor={right ? 'start' : 'end'}>
        {text}
      </text>
    </svg>
  );
}

/** What of a frame the flags show, as a text to compare. */
function flagsIn(frame: Frame | undefined): string {
  const all = frame?.flags ?? [];
  return `${frame?.axis_end_us} ${all.map((f) => `${f.at_us}${f.label}${f.applied}${f.off}${areScheduled([f])}`).join()}`;
}
