// The engine's curve over the guess: its points with their intervals, the knee, where it leaves the chart, and how far it is from
// the guess where both differ most.
import { For, type JSX, Show } from 'solid-js';
import type { Apart, Plot, Truth } from './guessScale.ts';

export function TruthLine(props: {
  readonly plot: Plot;
  readonly truth: Truth;
  /** Whether seeds are missing. */
  readonly partial: boolean;
  /** How much of it has grown, 0 to 1. */
  readonly grown: number;
}): JSX.Element {
  const box = () => props.plot.box;
  return (
    <>
      <clipPath id="guess-grown">
        <rect
          x="0"
          y="0"
          width={box().left + (box().right - box().left + 20) * props.grown}
          height={box().bottom + 8}
        />
      </clipPath>
      <g clip-path="url(#guess-grown)">
        <path class="truth-line" d={props.truth.path} />
        <For each={props.truth.points}>
          {(at) => (
            <>
              <Show when={at.low !== undefined}>
                <path
                  class="truth-bar"
                  classList={{ partial: props.partial }}
                  d={`M${at.x} ${at.low}V${at.high}M${at.x - 3} ${at.low}h6M${at.x - 3} ${at.high}h6`}
                />
              </Show>
              <circle class="truth-point" cx={at.x} cy={at.y} r="3.5" />
            </>
          )}
        </For>
        <Show when={props.truth.leaves}>
          {(at) => <path class="truth-arrow" d={`M${at().px - 4} ${box().top + 1}l4 -7 4 7`} />}
        </Show>
      </g>
    </>
  );
}

/** ◇ where the curve becomes steeper than the slope of the question. */
export function Knee(props: { readonly px: number; readonly py: number }): JSX.Element {
  return <path class="guess-knee" d={`M${props.px} ${props.py - 7}l7 7-7 7-7-7z`} />;
}

/** The dimension line between guess and engine where they differ most. */
export function DimensionLine(props: { readonly apart: Apart }): JSX.Element {
  const at = () => props.apart;
  const x = (): number => at().x + at().side;
  return (
    <>
      <path
        class="guess-apart"
        d={`M${x()} ${at().guess}V${at().engine}${at().beyond ? '' : 'm-4 0h8'}M${x() - 4} ${at().guess}h8`}
      />
      <circle class="guess-mine" cx={at().x} cy={at().guess} r="4.5" />
      <Show when={at().beyond} fallback={<circle class="truth-worst" cx={at().x} cy={at().engine} r="4.5" />}>
        <path class="truth-arrow" d={`M${x() - 4} ${at().engine + 1}l4 -7 4 7`} />
      </Show>
    </>
  );
}
