// The user's hand on a time axis: pennants for edits.

import type { Pen } from '../draw/canvas.ts';
import { font } from '../draw/marks.ts';
import type { Palette } from '../draw/palette.ts';
import type { Flag } from '../generated/boundary.ts';
import { BARE_PENNANT, type LabelSide, labelSides } from './scales.ts';

/** A pennant with its label: solid in force, hollow before the playhead has reached it. */
function pennant(pen: Pen, p: Palette, x: number, y: number, flag: Flag, side: LabelSide): void {
  const text = side === 'none' ? '' : flag.label;
  const w = (side === 'left' ? -1 : 1) * (Math.ceil(pen.measureText(text).width) + BARE_PENNANT);
  const notch = side === 'left' ? 4 : -4;
  pen.beginPath();
  pen.moveTo(x + 0.5, y + 0.5);
  pen.lineTo(x + w, y + 0.5);
  pen.lineTo(x + w + notch, y + 6.5);
  pen.lineTo(x + w, y + 12.5);
  pen.lineTo(x + 0.5, y + 12.5);
  pen.closePath();
  pen.fillStyle = flag.applied ? p.accent : p.surface;
  pen.fill();
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1;
  pen.stroke();
  pen.fillStyle = flag.applied ? p.onAccent : p.accent;
  pen.textAlign = side === 'left' ? 'right' : 'left';
  pen.fillText(text, side === 'left' ? x - 6 : x + 6, y + 10.5);
}

/** Pennants for the edits at `places`, each with its label where there is room. */
export function pennants(
  pen: Pen,
  p: Palette,
  flags: readonly Flag[],
  places: readonly number[],
  y: number,
  edges: { readonly left: number; readonly right: number; readonly playhead: number },
): void {
  pen.font = font(p, 11, 600);
  const widths = flags.map((f) => Math.ceil(pen.measureText(f.label).width) + 16);
  const sides = labelSides(places, widths, edges);
  flags.forEach((f, i) => {
    pennant(pen, p, places[i] ?? 0, y, f, sides[i] ?? 'none');
  });
}
