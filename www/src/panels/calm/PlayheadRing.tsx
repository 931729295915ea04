// The ring around the knob of the playhead, and the way back to an instant, over the chart of the first view.
import { createEffect, createSignal, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { EDGE } from '../../charts/timePicture.ts';
import type { Frame } from '../../generated/boundary.ts';

/** Radius of the ring, and how far the way begins from the playhead. */
const RADIUS = 16;
const GAP = 18;
/** The way ends this far from the instant. */
const SHORT = 8;

export function PlayheadRing(props: { frame: Frame | undefined; toUs: number }): JSX.Element {
  let host: HTMLDivElement | undefined;
  const [width, setWidth] = createSignal(0);
  onMount(() => {
    if (!host) return;
    const watch = new ResizeObserver(([entry]) => void (entry && setWidth(entry.contentRect.width)));
    watch.observe(host);
    onCleanup(() => watch.disconnect());
  });
  const at = (us: number): number =>
    EDGE.left + (Math.max(0, width() - EDGE.left - EDGE.right) * us) / Math.max(1, props.frame?.axis_end_us ?? 1);
  const x = (): number => at(props.frame?.now_us ?? 0);
  const to = (): number => at(props.toUs) - SHORT;
  return (
    <div class="minute-head" ref={host} aria-hidden="true">
      <i
        ref={(el) =>
          createEffect(() => {
            el.style.left = `${x() - RADIUS}px`;
          })
        }
      />
      <Show when={x() - GAP - to() > 12}>
        <svg aria-hidden="true" width={width()} height="32">
          <path class="way" d={`M${x() - GAP} 16H${to() + 3}`} />
          <path d={`M${to() + 7} 11l-6 5 6 5`} />
        </svg>
      </Show>
    </div>
  );
}
