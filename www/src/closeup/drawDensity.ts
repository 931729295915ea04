// The pictures of the view of density.
import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import { drawHeat } from './drawHeat.ts';
import { drawSpread, drawSteps } from './drawSpread.ts';
import type { DensityPicture } from './pictures.ts';

export function drawDensity(pen: Pen, p: Palette, width: number, height: number, picture: DensityPicture): void {
  if (picture.part === 'heat') drawHeat(pen, p, width, height, picture);
  else if (picture.part === 'spread') drawSpread(pen, p, width, height, picture);
  else drawSteps(pen, p, width, height, picture);
}
