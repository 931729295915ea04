// The keys and the turns of the wheel that zoom the charts; what they do is loaded with the first of them.
import { offsetIn } from '../base/pointer.ts';
import type { Scale } from './TimeAxis.tsx';
import { EDGE } from './timePicture.ts';
import type { TimeWindow } from './zoom.ts';

/** Ctrl and the wheel, and the keys + − 0 and arrows, zoom and pan. The wheel alone scrolls, as everywhere. */
export function zooms(
  el: HTMLElement,
  on: {
    readonly scale: () => Scale;
    readonly endS: () => number;
    readonly nowS: () => number;
    readonly onWindow: (next: TimeWindow | undefined) => void;
  },
): void {
  const present = (): TimeWindow => ({ fromS: on.scale().startS, toS: on.scale().endS });
  const wheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && !(event.shiftKey && present().toS - present().fromS < on.endS())) return;
    event.preventDefault();
    const { startS, endS, plot } = on.scale();
    const share = (offsetIn(el, event).offsetX - EDGE.left) / plot;
    const turn = { dx: event.deltaX, dy: event.deltaY, zooms: isZoom };
    void import('./zoom.ts').then(({ byWheel }) =>
      on.onWindow(byWheel(turn, present(), on.endS(), startS + share * (endS - startS))),
    );
  };
  const key = (event: KeyboardEvent): void => {
    const isZoomed = present().toS - present().fromS < on.endS();
    const mine = '+=-−0'.includes(event.key) || (isZoomed && ['ArrowLeft', 'ArrowRight'].includes(event.key));
    if (!mine || event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return;
    if (event.target.closest('input, select, [role=slider], dialog, [role=dialog]')) return;
    event.preventDefault();
    event.stopPropagation();
    void import('./zoom.ts').then(({ byKey }) => {
      const found = byKey(event.key, present(), on.endS(), on.nowS());
      if (found) on.onWindow(found.window);
    });
  };
  el.addEventListener('wheel', wheel, { passive: false });
  el.addEventListener('keydown', key);
}
