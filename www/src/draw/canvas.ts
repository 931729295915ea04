// A canvas that fits its box: sharp at every pixel ratio, redrawn at most once a display frame and only when asked.

import { joinPaint } from '../base/paints.ts';

export type Pen = CanvasRenderingContext2D;

export type Surface = {
  /** Asks for a redraw at the next display frame. */
  readonly request: () => void;
  readonly dispose: () => void;
};

/**
 * Keeps `canvas` as large as `host` and calls `draw` with a pen in CSS pixels. Sizes come from a ResizeObserver, so drawing never
 * reads layout. `heightFor` may ask for more height than the host has: the canvas then grows and the host scrolls.
 */
export function attachSurface(
  canvas: HTMLCanvasElement,
  host: HTMLElement,
  draw: (pen: Pen, width: number, height: number, nowMs: number) => void,
  heightFor?: (width: number, height: number) => number,
): Surface {
  const pen = canvas.getContext('2d');
  let width = 0;
  let hostHeight = 0;
  let height = 0;
  let ratio = 0;
  let pending = 0;
  let asked = false;
  let gone = false;

  const resize = (): void => {
    const wanted = Math.max(hostHeight, Math.ceil(heightFor?.(width, hostHeight) ?? 0));
    const dpr = globalThis.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(width * dpr));
    const h = Math.max(1, Math.round(wanted * dpr));
    ratio = dpr;
    height = wanted;
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${wanted}px`;
    }
  };
  const paint = (nowMs: number): void => {
    pending = 0;
    asked = false;
    if (gone || !pen || width < 2 || hostHeight < 2) return;
    resize();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    draw(pen, width, height, nowMs);
  };
  const request = (): void => {
    if (asked) return;
    asked = true;
    if (!joinPaint(paint)) pending = requestAnimationFrame(paint);
  };
  const observer = new ResizeObserver((entries) => {
    for (const entry of entries) {
      width = Math.floor(entry.contentRect.width);
      hostHeight = Math.floor(entry.contentRect.height);
    }
    request();
  });
  observer.observe(host);
  return {
    request,
    dispose: () => {
      gone = true;
      observer.disconnect();
      if (pending !== 0) cancelAnimationFrame(pending);
    },
  };
}
