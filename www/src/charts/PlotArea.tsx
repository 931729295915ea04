// The overlay of a chart's plot: it handles the pointer, and shows the shared instant with the values in its bucket.
import { createEffect, createMemo, Index, type JSX, Show } from 'solid-js';
import { offsetIn } from '../base/pointer.ts';
import { type Axes, type Box, isPlotted, placesIn } from './timePicture.ts';

export type PlotAreaProps = {
  readonly box: Box;
  readonly axes: Axes;
  readonly cursorS: number | undefined;
  /** The bucket under the cursor: its instant, and the value of each line with its ink. */
  readonly atS: number | undefined;
  readonly marks: readonly { readonly value: number | undefined; readonly ink: string }[];
  readonly onCursor: (timeS: number | undefined) => void;
};

export function PlotArea(props: PlotAreaProps): JSX.Element {
  const point = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    const share = offsetIn(event.currentTarget, event).offsetX / props.box.w;
    const { startS = 0, endS } = props.axes;
    props.onCursor(startS + Math.min(1, Math.max(0, share)) * (endS - startS));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the values under the cursor stand in the chart's table too
    <div
      class="plot-area"
      ref={(el) =>
        createEffect(() => {
          const { x, y, w, h } = props.box;
          Object.assign(el.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
        })
      }
      onMouseMove={point}
      onMouseLeave={() => props.onCursor(undefined)}
    >
      <Show when={props.cursorS !== undefined}>
        <Crosshair {...props} />
      </Show>
    </div>
  );
}

function Crosshair(props: PlotAreaProps): JSX.Element {
  const places = createMemo(() => placesIn({ ...props.box, x: 0, y: 0 }, props.axes));
  const points = createMemo(() =>
    props.marks.flatMap(({ value, ink }) => {
      const { low, high, log } = props.axes;
      const isSeen = isPlotted(value, log) && value >= low && value <= high;
      return isSeen && props.atS !== undefined ? [{ x: places().x(props.atS), y: places().y(value), ink }] : [];
    }),
  );
  return (
    <>
      <i class="crosshair" ref={(el) => createEffect(() => (el.style.left = `${places().x(props.cursorS ?? 0)}px`))} />
      <Index each={points()}>
        {(point) => (
          <i
            class="crosshair-point"
            ref={(el) =>
              createEffect(() => {
                const { x, y, ink } = point();
                Object.assign(el.style, { left: `${x}px`, top: `${y}px`, borderColor: ink });
              })
            }
          />
        )}
      </Index>
    </>
  );
}
