// The window of the time axis, in the row above the charts; what follows the run beside them. Loaded once the page is built.
import { createEffect, type JSX, on, Show, untrack } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { plain } from '../../base/units.ts';
import { followed } from '../../charts/zoom.ts';
import type { App } from '../../state/app.ts';
import { isScaled } from '../../state/edits/scaledPools.ts';
import { scalingMarks, setScalingMarks } from '../../state/run/scalingMarks.ts';
import { setTimeWindow, timeWindow } from '../../state/view/closeup.ts';
import { marksOf } from './scalingMarksOf.ts';
import './chartTools.css';

/** The latest of this many decisions are on the timeline. */
const MOST_DECISIONS = 200;

export default function ChartTools(props: { app: Pick<App, 'transport' | 'selection' | 'document'> }): JSX.Element {
  createScalingMarks(props.app);
  followPlay(props.app);
  return (
    <Show when={timeWindow()}>
      {(shown) => (
        <span class="chart-tools">
          <span class="chart-window">
            {plain(Number(shown().fromS.toFixed(3)))} – {plain(Number(shown().toS.toFixed(3)))} s
          </span>
          <button type="button" class="btn box" onClick={() => setTimeWindow(undefined)} title="Show the whole run (0)">
            All
          </button>
        </span>
      )}
    </Show>
  );
}

/** A zoomed window goes on with a run that plays out of it. */
function followPlay(app: Pick<App, 'transport'>): void {
  createEffect((beforeS: number) => {
    const { now_us = 0, axis_end_us = 0 } = app.transport.throttledFrame() ?? {};
    const now = untrack(timeWindow);
    const next = now && app.transport.playing() && followed(now, axis_end_us / 1e6, beforeS, now_us / 1e6);
    if (next) setTimeWindow(next);
    return now_us / 1e6;
  }, 0);
}

/** The decisions on the timeline follow the run. */
function createScalingMarks(app: Pick<App, 'transport' | 'selection' | 'document'>): void {
  const ask = oneAtATime(async () => {
    if (!isScaled(app.document.current())) {
      if (scalingMarks().length > 0) setScalingMarks([]);
      return;
    }
    const query = { changes_only: true, most: MOST_DECISIONS };
    const found = await app.selection.closeUp('scaling', query).catch(() => undefined);
    const marks = marksOf(found?.rows ?? []);
    const same = marks.length === scalingMarks().length && marks.at(-1)?.us === scalingMarks().at(-1)?.us;
    if (!same) setScalingMarks(marks);
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing, app.document.current], ask));
}
