// Draws any picture of a chart for a file: with the clock, which the page draws beside its charts.
import { plain } from '../base/units.ts';
import type { Palette } from '../draw/inks.ts';
import { font, label } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { drawEcdf } from './drawEcdf.ts';
import { drawScrubber } from './drawScrubber.ts';
import { drawStrip } from './drawStrip.ts';
import { drawTime } from './drawTime.ts';
import type { ChartPicture } from './pictures.ts';
import { timeTicks } from './scales.ts';
import { placesIn, plotBox } from './timePicture.ts';

/** Height of the axis of time. */
export const AXIS = 18;
const SIZES: Readonly<Record<ChartPicture['of'], readonly [width: number, height: number]>> = {
  time: [960, 300],
  strip: [960, 200],
  ecdf: [640, 360],
  timeline: [1440, 54],
};

/** The size of a picture in a file; charts over time have their axis below. */
export function sizeOf(of: ChartPicture['of']): {
  readonly width: number;
  readonly height: number;
  readonly axis: number;
} {
  const [width, height] = SIZES[of];
  return { width, height, axis: of === 'time' || of === 'strip' ? AXIS : 0 };
}

export function drawPicture(pen: Pen, p: Palette, picture: ChartPicture): void {
  const { width, height } = sizeOf(picture.of);
  const at = { pen, p, width, height };
  switch (picture.of) {
    case 'time':
      drawTime({ ...picture, ...at });
      drawClock(picture, at);
      return;
    case 'strip':
      drawStrip({ ...picture, ...at });
      drawClock(picture, at);
      return;
    case 'ecdf':
      drawEcdf({ ...picture, ...at });
      return;
    case 'timeline':
      drawScrubber({ ...picture, pen, p, width });
      return;
    default: {
      const left: never = picture;
      throw new Error(`no drawing for ${String(left)}`);
    }
  }
}

/** The axis of time, and the playhead. */
function drawClock(
  picture: Extract<ChartPicture, { readonly of: 'time' | 'strip' }>,
  {
    pen,
    p,
    width,
    height,
  }: { readonly pen: Pen; readonly p: Palette; readonly width: number; readonly height: number },
): void {
  const box = plotBox(width, height, picture.first);
  const { x } = placesIn(box, picture);
  const { startS = 0, endS, nowS } = picture;
  pen.font = font(p, 11);
  const ticks = timeTicks(endS, box.w, 52, startS);
  ticks.forEach((t, i) => {
    const said = i === ticks.length - 1 ? `${plain(t)} s` : plain(t);
    label(pen, said, x(t), height + 11, p.ink3, 'center');
  });
  if (nowS < startS || nowS > endS) return;
  pen.fillStyle = p.accent;
  pen.fillRect(x(nowS) - 0.75, box.y, 1.5, box.h);
}
