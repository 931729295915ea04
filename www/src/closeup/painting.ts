// Draws the pictures of the close-ups: lanes, blocks, density.

import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import { createEasels, type Painting } from '../draw/thread/easels.ts';
import type { FromPainter, Paint } from '../draw/thread/paintProtocol.ts';
import { drawDensity } from './drawDensity.ts';
import { drawKv } from './drawKv.ts';
import { drawLanes } from './drawLanes.ts';
import { type LanesMemory, takeLanes } from './lanesPicture.ts';
import type { CloseUpPicture } from './pictures.ts';

export function createCloseUpPainting(tell: (message: FromPainter) => void): Painting<CloseUpPicture> {
  const drawing = { memory: (): LanesMemory => ({}), take: takePicture, draw: drawPicture };
  return createEasels<CloseUpPicture, LanesMemory>(drawing, tell);
}

/** Keeps what comes once, as bytes. */
function takePicture(picture: CloseUpPicture, memory: LanesMemory): void {
  if (picture.of === 'lanes') takeLanes(picture, memory);
}

/** Returns whether something on the picture still moves. */
function drawPicture(
  pen: Pen,
  p: Palette,
  size: Paint<CloseUpPicture>,
  picture: CloseUpPicture,
  memory: LanesMemory,
): boolean {
  switch (picture.of) {
    case 'lanes':
      if (memory.lanes) drawLanes(pen, p, memory.lanes, picture.view, size);
      return false;
    case 'kv':
      return drawKv(pen, p, picture);
    case 'density':
      drawDensity(pen, p, size.width, size.height, picture);
      return false;
    default: {
      const left: never = picture;
      return left;
    }
  }
}
