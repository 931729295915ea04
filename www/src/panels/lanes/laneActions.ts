// What the keys and the pointer do in the lanes.

import { hitLanes, type LanesLayout, sliceAt, usAt } from '../../closeup/lanesLayout.ts';
import type { LaneSteps, Lanes } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { chosenStep, openReplica, setChosenStep, setOpenReplica } from '../../state/view/closeup.ts';
import { setSpan, span, spanBetween } from '../../state/view/span.ts';
import { setSpanShown } from '../../state/view/spanShown.ts';
import type { LaneAction } from './laneKeys.ts';
import type { LanesWindow } from './lanesWindow.ts';

/** What one key zooms by, and the share of the window that it pans by. */
const ZOOM = 1.5;
const PAN = 0.2;
/** Pixels beside a slice that still choose it. */
const SLACK = 4;

type Slices = Pick<App, 'transport' | 'selection' | 'dialogs'>;
type Steps = ReturnType<typeof createSteps>;

export type LaneActions = ReturnType<typeof createLaneActions>;

export function createLaneActions(
  app: Slices,
  window: LanesWindow,
  lanes: () => Lanes | undefined,
  layout: () => LanesLayout,
) {
  const replicas = (): number => lanes()?.lanes.length ?? 0;
  const endS = (): number => (app.transport.frame()?.axis_end_us ?? 0) / 1e6;
  const nowS = (): number => (app.transport.frame()?.now_us ?? 0) / 1e6;
  const steps = createSteps(app, window, lanes, nowS);

  function selectWindow(): void {
    const { fromS, toS } = window.shown();
    if (span()) {
      setSpan(undefined);
      return;
    }
    brush(fromS, Math.min(toS, nowS()));
  }
  function brush(fromS: number, toS: number): void {
    setSpan(spanBetween(fromS, toS, nowS(), endS(), span()?.of ?? 'e2e'));
    setSpanShown(true);
    app.selection.setRightTab('step');
  }
  function openBy(by: 1 | -1): void {
    const next = Math.min(replicas() - 1, Math.max(0, (openReplica() ?? (by > 0 ? -1 : 1)) + by));
    setOpenReplica(next);
  }

  const doing: Readonly<Record<LaneAction, () => void>> = {
    'zoom-in': () => window.zoom(ZOOM, undefined),
    'zoom-out': () => window.zoom(1 / ZOOM, undefined),
    left: () => window.pan(-PAN),
    right: () => window.pan(PAN),
    'step-back': () => steps.by(-1),
    'step-on': () => steps.by(1),
    fit: window.fit,
    select: selectWindow,
    'replica-back': () => openBy(-1),
    'replica-on': () => openBy(1),
    open: () => toggleOpen(openReplica() ?? 0),
    leave: () => (span() ? setSpan(undefined) : setChosenStep(undefined)),
  };
  function toggleOpen(replica: number): void {
    setOpenReplica((now) => (now === replica ? undefined : replica));
  }

  return {
    act: (action: LaneAction): void => doing[action](),
    /** Whether Escape has something to do here. */
    leaves: (): boolean => span() !== undefined || chosenStep() !== undefined,
    brush,
    choose: steps.choose,
    toggleOpen,
    click: (x: number, y: number): void => click(app, window, lanes(), layout(), { steps, toggleOpen, endS }, x, y),
  };
}

/** The selected step, and the next one. */
function createSteps(app: Slices, window: LanesWindow, lanes: () => Lanes | undefined, nowS: () => number) {
  function choose(replica: number, seq: number): void {
    setChosenStep({ replica, seq });
    app.selection.setRightTab('step');
    app.selection.setDrawer(true);
  }
  function chooseSlice(replica: number, steps: LaneSteps, i: number): void {
    const [seq, at, count] = [steps.seq[i], steps.at_us[i], steps.steps[i]];
    if (seq === undefined || at === undefined) return;
    choose(replica, seq);
    window.reveal(at / 1e6);
    app.dialogs.tell(
      count === 1 ? `Step ${seq} of r${replica}` : `Step ${seq} of r${replica}, the first of ${count} drawn as one`,
    );
  }
  function by(one: 1 | -1): void {
    const replica = chosenStep()?.replica ?? openReplica() ?? 0;
    const steps = lanes()?.lanes[replica]?.steps;
    if (!steps || steps.seq.length === 0) return;
    const now = chosenStep();
    const i = now === undefined ? -1 : steps.seq.findLastIndex((seq) => seq <= now.seq);
    if (now === undefined || i < 0) {
      const latest = sliceAt(steps, Math.min(nowS(), window.shown().toS) * 1e6, Number.POSITIVE_INFINITY);
      chooseSlice(replica, steps, Math.max(0, latest));
      return;
    }
    const next = i + one;
    if (next >= 0 && next < steps.seq.length) chooseSlice(replica, steps, next);
    else if (steps.steps[i] === 1 && now.seq + one >= 0 && isThere(one)) {
      // Beyond the window: it moves, and the step is known by its number.
      choose(replica, now.seq + one);
      window.pan(one * PAN);
    }
  }
  /** Whether steps are kept beyond the window: up to the playhead, and back to the first kept one. */
  function isThere(one: 1 | -1): boolean {
    const { fromS, toS } = window.shown();
    return one > 0 ? toS < nowS() : fromS * 1e6 > (lanes()?.kept_from_us ?? 0);
  }
  return { choose, chooseSlice, by };
}

/** A click chooses a step or a request, opens a replica, or moves the window. */
function click(
  app: Slices,
  window: LanesWindow,
  now: Lanes | undefined,
  layout: LanesLayout,
  on: { readonly steps: Steps; readonly toggleOpen: (replica: number) => void; readonly endS: () => number },
  x: number,
  y: number,
): void {
  if (!now) return;
  const ends = { fromUs: now.from_us, toUs: now.to_us };
  const us = usAt(layout.plot, ends, x);
  const hit = hitLanes(layout, y);
  if (hit.on === 'lane' && x < layout.plot.x) on.toggleOpen(hit.replica);
  else if (hit.on === 'lane') {
    const steps = now.lanes[hit.replica]?.steps;
    const slack = (SLACK * (ends.toUs - ends.fromUs)) / layout.plot.w;
    const i = steps ? sliceAt(steps, us, slack) : -1;
    if (steps && i >= 0) on.steps.chooseSlice(hit.replica, steps, i);
  } else if (hit.on === 'requests') {
    const there = now.open?.requests.find((r) => r.row === hit.row && r.from_us <= us && us <= r.to_us);
    if (there) app.selection.select({ request: there.request, replica: undefined });
  } else if (hit.on === 'router') {
    const near = (at: number): number => Math.abs(at - us);
    const mark = now.marks.toSorted((a, b) => near(a.at_us) - near(b.at_us))[0];
    if (mark) app.selection.select({ request: mark.request, replica: undefined });
  } else if (hit.on === 'minimap') {
    const share = (Math.min(layout.plot.x + layout.plot.w, Math.max(layout.plot.x, x)) - layout.plot.x) / layout.plot.w;
    window.centre(share * on.endS());
  }
}
