// The frame of a chart of a comparison or a sweep: its title, its axes, and the positions of values on them.
import { createSignal, For, type JSX, onCleanup, onMount } from 'solid-js';
import { NBSP, plain } from '../../base/units.ts';
import { logCeil, logFloor } from '../../charts/scales.ts';

const HEIGHT = 132;
export const EDGE = { left: 58, right: 14, top: 8, bottom: 22 } as const;
/** The y of the base line of a chart. */
export const FOOT = HEIGHT - EDGE.bottom;

/** The range of a log axis around all positive values; a single one is in its middle. */
export function logRange(
  values: Iterable<number>,
  none: readonly [number, number] = [1, 1000],
): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const v of values) if (Number.isFinite(v) && v > 0) [least, most] = [Math.min(least, v), Math.max(most, v)];
  if (most === 0) return none;
  const [low, high] = [logFloor(least), logCeil(most)];
  return low < high ? [low, high] : [low / 2, high * 2];
}

/** The position of a value. */
export type Place = (value: number) => number;

/** A tick: its value and its label. */
export type Tick = readonly [value: number, says: string];

/** A time as the label of a tick. */
export function tickMs(ms: number): string {
  return ms < 1000 ? `${plain(ms)}${NBSP}ms` : `${plain(ms / 1000)}${NBSP}s`;
}

/** The y of the base line of a chart of a height. */
export const footOf = (height: number): number => height - EDGE.bottom;

/** The position on the vertical axis of a share of its range. */
export const upward = (share: number, foot = FOOT): number =>
  foot - Math.min(1, Math.max(0, share)) * (foot - EDGE.top);

/** The length of the horizontal axis in a figure. */
export const roomIn = (width: number): number => width - EDGE.left - EDGE.right;

/** The position on the horizontal axis of a share of its range. */
export const along = (share: number, width: number): number => EDGE.left + share * roomIn(width);

/** A figure as wide as its container, so that its texts keep their size. */
export function StudyFigure(props: {
  title: JSX.Element;
  label: string;
  height?: number;
  /** A further class. */
  class?: string;
  children: (width: number) => JSX.Element;
}): JSX.Element {
  const height = (): number => props.height ?? HEIGHT;
  const [width, setWidth] = createSignal(600);
  let host: HTMLElement | undefined;
  onMount(() => {
    const sized = new ResizeObserver(([entry]) => setWidth(Math.max(220, Math.round(entry?.contentRect.width ?? 600))));
    if (host) sized.observe(host);
    onCleanup(() => sized.disconnect());
  });
  return (
    <figure class={`compare-figure ${props.class ?? ''}`} ref={host}>
      <figcaption>{props.title}</figcaption>
      <svg width={width()} height={height()} viewBox={`0 0 ${width()} ${height()}`} role="img" aria-label={props.label}>
        <defs>
          <pattern id="compare-worse" width="4" height="4" patternUnits="userSpaceOnUse">
            <path class="worse-hatch" d="M1 0v4" />
          </pattern>
          <pattern id="study-future" width="6" height="6" patternUnits="userSpaceOnUse">
            <path class="future-hatch" d="M0 6L6 0" />
          </pattern>
        </defs>
        {props.children(width())}
      </svg>
    </figure>
  );
}

/**
 * The values of a horizontal axis and its unit: a value at the end has the unit behind it, and the one before leaves room for
 * both; else values near the end make room for the unit alone.
 */
export function withUnit(all: readonly Tick[], x: Place, end: number, unit: string | undefined): readonly Tick[] {
  const last = all.at(-1);
  if (unit === undefined || last === undefined) return all;
  const clear = (chars: number): number => end - 8 - 7 * chars;
  if (x(last[0]) < end - 2) return all.filter(([value]) => x(value) <= clear(unit.length));
  const text = `${last[1]}\u00a0${unit}`;
  return [...all.slice(0, -1).filter(([value]) => x(value) <= clear(text.length + 2)), [last[0], text]];
}

/** Values of a horizontal axis without those whose names would touch the one before. */
export function apart(all: readonly Tick[], x: Place): readonly Tick[] {
  let right = Number.NEGATIVE_INFINITY;
  return all.filter(([value, text]) => {
    const half = 3.5 * text.length;
    if (x(value) - half < right + 6) return false;
    right = x(value) + half;
    return true;
  });
}

/** Lines and values of the vertical axis, values of the horizontal one, and its unit at the end. */
export function Axes(props: {
  width: number;
  rows: readonly Tick[];
  y: Place;
  columns: readonly Tick[];
  x: Place;
  unit?: string;
  height?: number;
}): JSX.Element {
  const height = (): number => props.height ?? HEIGHT;
  const end = (): number => props.width - EDGE.right;
  // A value at the end leaves room for the unit, or goes inside the plot.
  const anchor = (value: number): 'middle' | 'end' => (props.x(value) > end() - 24 ? 'end' : 'middle');
  const shown = (): readonly Tick[] => withUnit(apart(props.columns, props.x), props.x, end(), props.unit);
  const isJoined = (): boolean => shown().at(-1)?.[0] === props.columns.at(-1)?.[0];
  return (
    <>
      <For each={props.rows}>
        {([value, says]) => (
          <>
            <path class="grid" d={`M${EDGE.left} ${props.y(value)}H${end()}`} />
            <text x={EDGE.left - 6} y={props.y(value) + 4} text-anchor="end">
              {says}
            </text>
          </>
        )}
      </For>
      <For each={shown()}>
        {([value, says]) => (
          <text x={props.x(value)} y={height() - 6} text-anchor={anchor(value)}>
            {says}
          </text>
        )}
      </For>
      <text x={end()} y={height() - 6} text-anchor="end">
        {isJoined() ? '' : props.unit}
      </text>
    </>
  );
}

/** A line through points, with gaps for missing values. */
export function lineOf(points: Iterable<readonly [at: number, value: number]>, x: Place, y: Place): string {
  let pen = 'M';
  let d = '';
  for (const [at, value] of points) {
    if (Number.isFinite(value)) d += `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = Number.isFinite(value) ? 'L' : 'M';
  }
  return d;
}
