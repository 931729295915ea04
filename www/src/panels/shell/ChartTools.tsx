// The tools of the charts, in the row above them: which charts, and the window of the time axis. Loaded once the page is built.
import { createEffect, type JSX, lazy, on, Show, Suspense, untrack } from 'solid-js';
import { type ChartedRun, chartedRun } from '../../base/chartList.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { plain } from '../../base/units.ts';
import { followed, zoomed } from '../../charts/zoom.ts';
import type { App } from '../../state/app.ts';
import { breaks } from '../../state/edits/breaks.ts';
import { isScaled } from '../../state/edits/scaledPools.ts';
import { scalingMarks, setScalingMarks } from '../../state/run/scalingMarks.ts';
import { setTimeWindow, timeWindow } from '../../state/view/closeup.ts';
import { Flyout } from '../parts/Flyout.tsx';
import { EditFigureTools } from './EditFigureTools.tsx';
import { marksOf } from './scalingMarksOf.ts';
import './chartTools.css';

const SaveCharts = lazy(() => import('./SaveCharts.tsx'));
const ChartChooser = lazy(() => import('./ChartChooser.tsx'));

/** The latest of this many decisions are on the timeline. */
const MOST_DECISIONS = 200;
/** What a press of a button zooms by. */
const STEP = 2;

export default function ChartTools(props: { app: App }): JSX.Element {
  const app = props.app;
  const run = (): ChartedRun => {
    const document = app.document.current();
    return chartedRun(app.transport.throttledFrame(), isScaled(document), breaks(document));
  };
  createScalingMarks(app);
  followPlay(app);
  return (
    <span class="chart-tools">
      <Flyout
        label="Charts to show"
        name="Choose charts"
        class="btn box"
        title="Which charts are shown, and their order"
        trigger="Choose charts"
      >
        {() => (
          <Suspense>
            <ChartChooser run={run()} />
          </Suspense>
        )}
      </Flyout>
      <Flyout label="Save charts" class="btn box" title="The charts on screen as PNG, SVG or CSV" trigger="Save charts">
        {() => (
          <Suspense>
            <SaveCharts app={app} />
          </Suspense>
        )}
      </Flyout>
      <EditFigureTools app={app} />
      <Zoom app={app} />
    </span>
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

/** Buttons that do what Ctrl and the wheel, and the keys + − 0, do. */
function Zoom(props: { app: Pick<App, 'transport'> }): JSX.Element {
  const frame = () => props.app.transport.frame();
  const endS = (): number => (frame()?.axis_end_us ?? 0) / 1e6;
  const by = (factor: number): void => {
    const now = timeWindow() ?? { fromS: 0, toS: endS() };
    const nowS = (frame()?.now_us ?? 0) / 1e6;
    const around = nowS >= now.fromS && nowS <= now.toS ? nowS : (now.fromS + now.toS) / 2;
    setTimeWindow(zoomed(now, endS(), around, factor));
  };
  return (
    <span class="chart-zoom">
      <Show when={timeWindow()}>
        {(shown) => (
          <>
            <span class="chart-window">
              {plain(Number(shown().fromS.toFixed(3)))} – {plain(Number(shown().toS.toFixed(3)))} s
            </span>
            <button
              type="button"
              class="btn box"
              onClick={() => setTimeWindow(undefined)}
              title="Show the whole run (0)"
            >
              All
            </button>
            <button
              type="button"
              class="btn box"
              aria-label="Zoom out"
              title="Zoom out (−)"
              onClick={() => by(1 / STEP)}
            >
              −
            </button>
          </>
        )}
      </Show>
      <button
        type="button"
        class="btn box"
        aria-label="Zoom in"
        title="Zoom in (+, or Ctrl and the wheel over a chart; Shift and the wheel moves)"
        onClick={() => by(STEP)}
      >
        +
      </button>
    </span>
  );
}
