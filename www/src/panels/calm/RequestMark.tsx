// A request on the stage that wears the ring, as a control over its bar.
import { createEffect, type JSX, Show } from 'solid-js';
import type { BatchPlace } from '../../base/view.ts';
import type { App } from '../../state/app.ts';
import { describedBy, ring } from '../../state/view/minute.ts';
import { onStage } from './minuteSteps.ts';

/** Least width for a pointer. */
const LEAST = 24;
/** Room around the bar. */
const AROUND = 5;

export function RequestMark(props: {
  app: Pick<App, 'transport' | 'selection'>;
  batches: readonly BatchPlace[];
}): JSX.Element {
  const found = () => {
    const id = ring()?.id;
    return id === undefined ? undefined : onStage(props.app.transport.writtenFrame(), [id]);
  };
  const spot = () => {
    const at = found();
    const batch = props.batches.find(({ replica }) => replica === at?.replica);
    return at && batch && at.place < batch.places ? { ...batch, x: batch.x + at.place * batch.pitch } : undefined;
  };
  return (
    <Show when={spot() && found()}>
      {(at) => (
        <button
          type="button"
          class="request-mark"
          aria-label={`Request ${at().request}, now at r${at().replica}`}
          aria-describedby={describedBy('request', at().request)}
          ref={(el) =>
            createEffect(() => {
              const { x = 0, y = 0, bar = 0, height = 0 } = spot() ?? {};
              const wide = Math.max(LEAST, bar + 2 * AROUND);
              el.style.left = `${x + bar / 2 - wide / 2}px`;
              el.style.top = `${y - AROUND}px`;
              el.style.width = `${wide}px`;
              el.style.height = `${height + 2 * AROUND}px`;
              el.style.setProperty('--mark', `${bar + 6}px`);
            })
          }
          onClick={() => props.app.selection.select({ request: at().request, replica: undefined })}
        />
      )}
    </Show>
  );
}
