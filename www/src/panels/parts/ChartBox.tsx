// A titled chart in SVG, and the lines behind it.
import { For, type JSX, Show } from 'solid-js';
import { createWidth } from './following.ts';
import './chartBox.css';

/** Room beside a chart for the values of its lines, at its right end, and below it. */
export const LEFT = 40;
export const RIGHT = 16;
export const FOOT = 18;

/** A titled chart, drawn at the width that it has. */
export function ChartBox(props: {
  title: string;
  unit: string;
  figures: JSX.Element;
  height: number;
  label: string;
  children: (width: number) => JSX.Element;
}): JSX.Element {
  const { width, ref } = createWidth();
  return (
    <figure class="chart-box">
      <figcaption>
        <b>{props.title}</b> <span class="m">{props.unit}</span>
        <span class="end m">{props.figures}</span>
      </figcaption>
      <div ref={ref}>
        <Show when={width() > 0}>
          <svg
            width={width()}
            height={props.height}
            viewBox={`0 0 ${width()} ${props.height}`}
            role="img"
            aria-label={props.label}
          >
            {props.children(width())}
          </svg>
        </Show>
      </div>
    </figure>
  );
}

/** Horizontal lines with their values. */
export function Lines(props: {
  at: readonly number[];
  y: (v: number) => number;
  say: (v: number) => string;
  width: number;
}) {
  return (
    <For each={props.at}>
      {(v) => (
        <>
          <path class="grid" d={`M${LEFT} ${props.y(v)}H${props.width - RIGHT}`} />
          <text x={LEFT - 6} y={props.y(v) + 4} text-anchor="end">
            {props.say(v)}
          </text>
        </>
      )}
    </For>
  );
}
