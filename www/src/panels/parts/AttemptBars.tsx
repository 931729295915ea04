// What attempts that broke add to a waterfall: brackets at the left, the wasted prefill, and the cross of the break.
import { For, type JSX, Show } from 'solid-js';
import type { Bracket } from './attemptRows.ts';

/** Brackets left of the rows, with the number of their attempt; the last one is the attempt under way. */
export function Brackets(props: { brackets: readonly Bracket[]; row: number }): JSX.Element {
  const last = (): number => props.brackets.at(-1)?.attempt ?? 0;
  return (
    <g class="brackets">
      <For each={props.brackets}>
        {({ attempt, from, rows }) => {
          const [top, foot] = [from * props.row + 4, (from + rows) * props.row - 1];
          const mid = (top + foot) / 2;
          return (
            <g classList={{ now: attempt === last() }}>
              {/* Beside a single row there is room for the number alone. */}
              <Show when={rows > 1}>
                <path d={`M8 ${top}H3.5V${mid - 7}M3.5 ${mid + 7}V${foot}H8`} />
              </Show>
              <text x="3.5" y={mid + 4} text-anchor="middle">
                {attempt}
              </text>
            </g>
          );
        }}
      </For>
    </g>
  );
}

/** A prefill whose tokens were computed in vain. */
export function WastedBar(props: { from: number; to: number }): JSX.Element {
  const width = (): number => Math.max(2, props.to - props.from);
  return (
    <>
      <rect class="wasted" x={props.from} y="5" width={width()} height="10" />
      <rect class="wasted-edge" x={props.from + 0.5} y="5.5" width={Math.max(1, width() - 1)} height="9" />
    </>
  );
}

/** The instant at which an attempt broke. */
export function BrokenMark(props: { x: number }): JSX.Element {
  return <path class="broken" d={`M${props.x - 4} 6l8 8m0-8l-8 8`} />;
}
