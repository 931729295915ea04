// The pointer in the lanes: a drag on the ruler selects a span, a drag on the lanes pans, the wheel with Ctrl zooms, without it scrolls.
import { offsetIn } from '../../base/pointer.ts';
import { hitLanes, type LanesLayout, usAt } from '../../closeup/lanesLayout.ts';
import type { Lanes } from '../../generated/boundary.ts';
import type { LaneActions } from './laneActions.ts';
import type { LanesWindow } from './lanesWindow.ts';

/** A pointer that moves less than this counts as a click. */
const DRAGGED_FROM = 4;

type Held = {
  readonly x: number;
  readonly y: number;
  /** Where the latest move was. */
  lastX: number;
  lastY: number;
  readonly brushes: boolean;
  moved: boolean;
};

type On = {
  readonly lanes: () => Lanes | undefined;
  readonly layout: () => LanesLayout;
  readonly window: LanesWindow;
  readonly actions: LaneActions;
  readonly onCursor: (timeS: number | undefined) => void;
  readonly onScroll: (by: number) => void;
};

/** Where a pointer is, from the corner of the lanes. */
function placeIn(el: HTMLElement, event: MouseEvent): readonly [number, number] {
  const { offsetX, offsetY } = offsetIn(el, event);
  return [offsetX, offsetY];
}

/** The instant at a place. */
function secondsAt(on: On, x: number): number | undefined {
  const now = on.lanes();
  return now && usAt(on.layout().plot, { fromUs: now.from_us, toUs: now.to_us }, x) / 1e6;
}

/** The wheel zooms with Ctrl or ⌘, pans with Shift or sideways, and scrolls lanes that do not fit. */
function turns(on: On, x: number, event: WheelEvent): void {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    on.window.zoom(Math.exp(-Math.max(-300, Math.min(300, event.deltaY)) / 300), secondsAt(on, x));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    on.window.pan((event.deltaX || event.deltaY) / 1000);
  } else if (on.layout().mostScroll > 0) {
    event.preventDefault();
    on.onScroll(event.deltaY);
  }
}

export function pointsAt(el: HTMLElement, on: On): void {
  let held: Held | undefined;
  const place = (event: MouseEvent): readonly [number, number] => placeIn(el, event);
  const seconds = (x: number): number | undefined => secondsAt(on, x);
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 || !event.isPrimary) return;
    const [x, y] = place(event);
    held = { x, y, lastX: x, lastY: y, brushes: hitLanes(on.layout(), y).on === 'ruler', moved: false };
  };
  const drag = (event: PointerEvent, now: Held): void => {
    const [x, y] = place(event);
    if (!now.moved && Math.hypot(x - now.x, y - now.y) < DRAGGED_FROM) return;
    if (!now.moved) el.setPointerCapture(event.pointerId);
    now.moved = true;
    if (now.brushes) {
      const [a, b] = [seconds(now.x), seconds(x)];
      if (a !== undefined && b !== undefined) on.actions.brush(Math.min(a, b), Math.max(a, b));
    } else {
      if (x !== now.lastX) on.window.pan((now.lastX - x) / on.layout().plot.w);
      if (y !== now.lastY) on.onScroll(now.lastY - y);
    }
    now.lastX = x;
    now.lastY = y;
  };
  const move = (event: PointerEvent): void => {
    const [x] = place(event);
    const { plot } = on.layout();
    on.onCursor(x >= plot.x && x <= plot.x + plot.w ? seconds(x) : undefined);
    if (held && event.buttons !== 0) drag(event, held);
  };
  const up = (event: PointerEvent): void => {
    const was = held;
    held = undefined;
    if (was && !was.moved) on.actions.click(...place(event));
  };
  const wheel = (event: WheelEvent): void => turns(on, place(event)[0], event);
  const twice = (event: MouseEvent): void => {
    const hit = hitLanes(on.layout(), place(event)[1]);
    if (hit.on === 'lane') on.actions.toggleOpen(hit.replica);
  };
  el.addEventListener('pointerdown', down);
  el.addEventListener('pointermove', move);
  el.addEventListener('pointerup', up);
  el.addEventListener('pointercancel', () => {
    held = undefined;
  });
  el.addEventListener('pointerleave', () => on.onCursor(undefined));
  el.addEventListener('dblclick', twice);
  el.addEventListener('wheel', wheel, { passive: false });
}
