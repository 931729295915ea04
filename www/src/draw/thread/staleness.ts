// Whether a canvas shows a picture that is no longer of what is on screen: of another run, or of another size, which would
// be stretched. Such a picture is hidden until one that was asked for later is painted.

import { onRunChange } from '../../base/runChange.ts';

/** A bitmap is stretched by at most this many pixels until its next picture comes. */
const STRETCH_PX = 8;

export class Staleness {
  private asked = 0;
  private stale = 0;
  private width = 0;
  private height = 0;

  /** The picture on the canvas, and one under way, are of another run. */
  turn(): void {
    this.stale = this.asked + 1;
  }

  /** A picture of a size is asked for now. */
  ask(width: number, height: number): void {
    const grew = Math.max(Math.abs(width - this.width), Math.abs(height - this.height));
    if (this.asked > 0 && grew > STRETCH_PX) this.turn();
    [this.width, this.height] = [width, height];
    this.asked += 1;
  }

  /** The latest picture that was asked for is painted. Returns whether the canvas is to be seen. */
  painted(): boolean {
    if (this.asked >= this.stale) this.stale = 0;
    return this.fresh;
  }

  get fresh(): boolean {
    return this.stale === 0;
  }
}

/** Hides a canvas while its picture is stale. `request` asks for another picture, which a change of the run needs. */
export function hideWhileStale(canvas: HTMLCanvasElement, request: () => void) {
  const staleness = new Staleness();
  const hide = (): void => void canvas.classList.toggle('stale', !staleness.fresh);
  return {
    /** A picture of a size is asked for. */
    ask: (width: number, height: number): void => {
      staleness.ask(width, height);
      hide();
    },
    /** The picture that was asked for is painted. */
    painted: (): void => {
      staleness.painted();
      hide();
    },
    end: onRunChange(() => {
      staleness.turn();
      hide();
      request();
    }),
  };
}
