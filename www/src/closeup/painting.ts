// Draws the pictures of the close-ups: lanes, blocks, density.

import { createEasels, type Painting } from '../draw/easels.ts';
import type { Palette } from '../draw/inks.ts';
import type { FromPainter, Paint } from '../draw/paintProtocol.ts';
import type { Pen } from '../draw/pen.ts';
import { drawDensity } from './drawDensity.ts';
import { drawKv } from './drawKv.ts';
import type { CloseUpPicture } from './pictures.ts';

export function createCloseUpPainting(tell: (message: FromPainter) => void): Painting<CloseUpPicture> {
  return createEasels<CloseUpPicture, undefined>({ memory: () => undefined, draw: drawPicture }, tell);
}

/** Returns whether something on the picture still moves. */
function drawPicture(pen: Pen, p: Palette, size: Paint<CloseUpPicture>, picture: CloseUpPicture): boolean {
  switch (picture.of) {
    case 'kv':
      return drawKv(pen, p, picture);
    case 'lanes':
      return false;
    case 'density':
      drawDensity(pen, p, size.width, size.height, picture);
      return false;
    default: {
      const left: never = picture;
      return left;
    }
  }
}
