// A canvas that fits its box: sharp at every pixel ratio, redrawn at most once per display frame and only on request.

import { joinPaint } from '../base/paints.ts';
import { zoomOf } from '../base/pointer.ts';
import { type Palette, tokensOf } from './inks.ts';
import { type Painter, painterReady } from './thread/painter.ts';
import type { Picture } from './thread/paintProtocol.ts';
import { hideWhileStale } from './thread/staleness.ts';

export type Surface = {
  /** Requests a redraw at the next display frame. */
  readonly request: () => void;
  readonly dispose: () => void;
};

type Content = {
  readonly palette: () => Palette;
  /** The picture for a size in CSS pixels. */
  readonly picture: (width: number, height: number) => Picture | undefined;
  /**
   * Gets the size before each picture and returns the height needed; if the host is lower, the canvas grows and the
   * host scrolls.
   */
  readonly fit?: (width: number, height: number) => number;
  /** The painter, unless it is the page's first one. */
  readonly by?: Promise<Painter>;
};

/** Pixels of the screen in a pixel of the page. */
const ratioOf = (host: HTMLElement): number => (globalThis.devicePixelRatio || 1) * zoomOf(host);

/**
 * Keeps `canvas` as large as `host` and has the painter draw on it. Sizes come from a ResizeObserver, so drawing never reads layout.
 * A picture requested while the previous one is being drawn waits for it.
 */
export function attachSurface(canvas: HTMLCanvasElement, host: HTMLElement, content: Content): Surface {
  let painter: Painter | undefined;
  let sheet = 0;
  let palette: Palette | undefined;
  let width = 0;
  let hostHeight = 0;
  let pending = 0;
  let asked = false;
  let busy = false;
  let late = false;
  let gone = false;

  const paint = (): void => {
    pending = 0;
    asked = false;
    if (gone || width < 2 || hostHeight < 2) return;
    const height = Math.max(hostHeight, Math.ceil(content.fit?.(width, hostHeight) ?? 0));
    if (busy) {
      late = true;
      return;
    }
    const [w, h] = [`${width}px`, `${height}px`];
    if (canvas.style.width !== w) canvas.style.width = w;
    if (canvas.style.height !== h) canvas.style.height = h;
    // Requested again once it is there.
    if (!painter) return;
    const now = content.palette();
    if (now !== palette) painter.say({ kind: 'tokens', sheet, tokens: tokensOf(now) });
    palette = now;
    busy = true;
    staleness.ask(width, height);
    const picture = content.picture(width, height);
    painter.say({ kind: 'paint', sheet, width, height, ratio: ratioOf(host), picture });
  };
  const request = (): void => {
    if (asked) return;
    asked = true;
    if (!joinPaint(paint)) pending = requestAnimationFrame(paint);
  };
  const staleness = hideWhileStale(canvas, request);
  const painted = (): void => {
    busy = false;
    staleness.painted();
    if (late) request();
    late = false;
  };
  void (content.by ?? painterReady()).then((found) => {
    if (gone) return;
    painter = found;
    sheet = found.adopt(canvas, painted);
    request();
  });
  const observer = new ResizeObserver((entries) => {
    for (const { contentRect } of entries)
      [width, hostHeight] = [Math.floor(contentRect.width), Math.floor(contentRect.height)];
    request();
  });
  observer.observe(host);
  return {
    request,
    dispose: () => {
      gone = true;
      staleness.end();
      observer.disconnect();
      if (pending !== 0) cancelAnimationFrame(pending);
      painter?.say({ kind: 'gone', sheet });
    },
  };
}
