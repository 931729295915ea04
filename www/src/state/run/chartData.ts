// The data of the charts: each chart is requested at its own pace while the run plays, and all of them when it rests.
import { type Accessor, createEffect, createSignal, on } from 'solid-js';
import { chartedRun, hasChart, isDistribution } from '../../base/chartList.ts';
import { paintApart } from '../../base/paints.ts';
import { type ChartData, NO_DATA } from '../../base/view.ts';
import type { Frame, View } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import type { ColumnsAnswer, Mode } from '../../sim/protocol.ts';
import { shownViews } from '../view/chartList.ts';
import { timeWindow } from '../view/closeup.ts';

/** Charts are updated once per bucket, within these bounds. */
const CHARTS_MS = { least: 100, most: 400 } as const;
const BUCKETS = 240;
/** Requested with each frame while playing, one after the other: each is drawn in a display frame of its own. */
const VIEWS_A_FRAME = 2;
const DISTRIBUTIONS_MS = 250;
/** Slow charts are updated less often, so that all of them together take a small part of the worker's time. */
const TIMES_ITS_COST = 80;

/** The charts to update: all, those that are due, or the due one that has waited longest. */
type Wanted = 'all' | 'due' | 'one';

type Surroundings = {
  readonly client: () => Client;
  readonly speed: Accessor<number>;
  readonly frame: Accessor<Frame | undefined>;
  readonly mode: Accessor<Mode>;
  /** The number of the run on screen. */
  readonly run: () => number;
};

export function createChartData({ client, speed, frame, mode, run }: Surroundings) {
  const [data, setData] = createSignal<ChartData>(NO_DATA);
  const due = createDue();
  let asking = false;
  /** Whether all charts were requested while some were under way. */
  let allWanted = false;

  function refresh(wanted: Wanted, now: number, more = VIEWS_A_FRAME - 1): void {
    const all = wanted === 'all';
    // Distributions during a seek do not belong to its target, and would widen the axes.
    const has = chartedRun(frame(), true);
    const there: View[] = ['health', ...shownViews().filter((view) => hasChart(view, has))];
    const shown = mode() === 'seeking' ? there.filter((view) => !isDistribution(view)) : there;
    const views = due.of(shown, wanted, now);
    if (asking) allWanted ||= all;
    if (views.length === 0 || asking) return;
    asking = true;
    allWanted = false;
    due.ask(views, now, chartsMs());
    const asked = run();
    const ended = (): void => {
      asking = false;
      if (allWanted) refresh('all', performance.now());
      else if (wanted === 'one' && more > 0 && mode() !== 'paused') refresh('one', performance.now(), more - 1);
    };
    client()
      .columns(views, askedWindow(timeWindow(), frame()?.axis_end_us ?? 0))
      .then((answers) => {
        due.cost(answers, now);
        return show(answers, asked, all);
      })
      .then(ended, ended);
  }

  /** Shows the answer of a run, if that is still on screen. */
  function show(answers: readonly ColumnsAnswer[], asked: number, all: boolean): Promise<void> | undefined {
    const take = (): void => {
      if (asked === run()) setData((before) => ({ ...before, ...Object.fromEntries(answers.map((a) => [a.view, a])) }));
    };
    if (!all && mode() !== 'paused' && !document.hidden)
      // A chart and a frame in one display frame would take too long.
      return new Promise<void>((resolve) =>
        paintApart(() => {
          take();
          resolve();
        }),
      );
    take();
    return undefined;
  }

  function chartsMs(): number {
    const bucketMs = (frame()?.axis_end_us ?? 0) / 1000 / BUCKETS;
    return Math.min(CHARTS_MS.most, Math.max(CHARTS_MS.least, bucketMs / speed()));
  }

  createEffect(on([shownViews, timeWindow], () => refresh('all', performance.now()), { defer: true }));
  return { data, refresh, clear: () => setData(NO_DATA) };
}

/** The window of the time axis with a margin, so that lines go on to its edges. */
export function askedWindow(
  now: { readonly fromS: number; readonly toS: number } | undefined,
  axisEndUs: number,
): { readonly fromUs: number; readonly toUs: number } | undefined {
  const marginUs = Math.round(axisEndUs / BUCKETS);
  const us = (s: number): number => Math.round(s * 1e6);
  return now && { fromUs: Math.max(0, us(now.fromS) - marginUs), toUs: Math.max(1, us(now.toS) + marginUs) };
}

/** The time of the next update of each chart. */
function createDue() {
  const dueMs = new Map<View, number>();
  const at = (view: View): number => dueMs.get(view) ?? 0;
  return {
    of(shown: readonly View[], wanted: Wanted, now: number): readonly View[] {
      const due = shown.filter((view) => wanted === 'all' || now >= at(view));
      // While playing, the one that has waited longest: two charts and the stage in one display frame would take too long.
      return wanted === 'one' ? due.toSorted((a, b) => at(a) - at(b)).slice(0, 1) : due;
    },
    ask(views: readonly View[], now: number, chartsMs: number): void {
      for (const view of views) dueMs.set(view, now + (isDistribution(view) ? DISTRIBUTIONS_MS : chartsMs));
    },
    /** A slow answer is requested later. */
    cost(answers: readonly ColumnsAnswer[], now: number): void {
      for (const { view, tookMs } of answers) dueMs.set(view, Math.max(at(view), now + TIMES_ITS_COST * tookMs));
    },
  };
}
