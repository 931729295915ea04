// Axes of the chart of a guess, with grid lines, and the place to draw in.
import { For, type JSX, Show } from 'solid-js';
import { axisText } from '../../../base/lessonUnits.ts';
import type { DrawQuestion } from '../../../generated/boundary.ts';
import type { Plot } from './guessScale.ts';

export function Axes(props: { readonly plot: Plot; readonly ask: DrawQuestion; readonly empty: boolean }): JSX.Element {
  const box = () => props.plot.box;
  return (
    <>
      <defs>
        <pattern id="guess-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path class="guess-hatch" d="M0 0v6" />
        </pattern>
      </defs>
      <For each={props.plot.y.ticks}>
        {(value) => (
          <>
            <path class="guess-grid" d={`M${box().left} ${props.plot.y.at(value)}H${box().right}`} />
            <text class="guess-tick" x={box().left - 6} y={props.plot.y.at(value) + 4} text-anchor="end">
              {axisText(value, props.ask.y.unit)}
            </text>
          </>
        )}
      </For>
      <For each={props.plot.x.ticks}>
        {(value) => (
          <text class="guess-tick" x={props.plot.x.at(value)} y={box().bottom + 15} text-anchor="middle">
            {axisText(value, props.ask.x.unit)}
          </text>
        )}
      </For>
      <path class="guess-axis" d={`M${box().left} ${box().bottom}H${box().right}`} />
      <text class="guess-tick" x={box().left} y={box().bottom + 31}>
        {props.ask.x.label}
        {props.ask.x.unit === '' ? '' : `, ${props.ask.x.unit}`}
      </text>
      <Show when={props.empty}>
        <rect
          x={box().left}
          y={box().top}
          width={box().right - box().left}
          height={box().bottom - box().top}
          fill="url(#guess-hatch)"
        />
      </Show>
    </>
  );
}

/** What to do, over everything else. */
export function Invite(props: { readonly plot: Plot }): JSX.Element {
  const box = () => props.plot.box;
  return (
    <>
      <rect
        class="guess-ground"
        x={(box().left + box().right) / 2 - 76}
        y={(box().top + box().bottom) / 2 - 13}
        width="152"
        height="26"
        rx="4"
      />
      <text
        class="guess-invite"
        x={(box().left + box().right) / 2}
        y={(box().top + box().bottom) / 2 + 4}
        text-anchor="middle"
      >
        draw your guess here
      </text>
    </>
  );
}
