// The user's hand on a time axis: pennants for edits, a knob for the playhead.
import type { Pen } from '../stage/canvas.ts';
import { font } from '../stage/marks.ts';
import type { Palette } from '../stage/palette.ts';

/** A pennant with its label: solid in force, hollow before the playhead has reached it. Returns its width. */
export function pennant(pen: Pen, p: Palette, x: number, y: number, text: string, applied: boolean): number {
  pen.font = font(p, 11, 600);
  const w = Math.ceil(pen.measureText(text).width) + 15;
  pen.beginPath();
  pen.moveTo(x + 0.5, y + 0.5);
  pen.lineTo(x + w, y + 0.5);
  pen.lineTo(x + w - 4, y + 6.5);
  pen.lineTo(x + w, y + 12.5);
  pen.lineTo(x + 0.5, y + 12.5);
  pen.closePath();
  pen.fillStyle = applied ? p.accent : p.surface;
  pen.fill();
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1;
  pen.stroke();
  pen.fillStyle = applied ? p.onAccent : p.accent;
  pen.textAlign = 'left';
  pen.fillText(text, x + 6, y + 10.5);
  return w;
}

/** The playhead: an unbroken line under a knob. */
export function playhead(pen: Pen, p: Palette, x: number, top: number, bottom: number): void {
  pen.fillStyle = p.accent;
  pen.fillRect(x - 1, top, 2, bottom - top);
  pen.beginPath();
  pen.moveTo(x - 5.5, top);
  pen.lineTo(x + 5.5, top);
  pen.lineTo(x + 5.5, top + 5);
  pen.lineTo(x, top + 10);
  pen.lineTo(x - 5.5, top + 5);
  pen.closePath();
  pen.fill();
}
