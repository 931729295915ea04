// The glyphs of faults: a cross for a crash, a bolt for what degrades.
import type { Pen } from './pen.ts';

/** Whether a fault of this kind takes the replica down; every other kind degrades it. */
export const isCrash = (kind: string): boolean => kind === 'crash';

/** The glyph of a kind as a path of SVG, 11 × 12 pixels: a line for a crash, a shape for what degrades. */
export const glyphPath = (kind: string): string =>
  isCrash(kind) ? 'M1.5 2.5l7 7m0-7l-7 7' : 'M5.5.5L1 6.5h3l-1 5 5-6.5H4.8l.7-4.5z';

/** The room of a glyph, with the gap after it. */
export const GLYPH = 12;

/** The glyph of a kind, nine pixels high, from its upper left corner. */
export function faultGlyph(pen: Pen, kind: string, x: number, y: number, paint: string): void {
  if (isCrash(kind)) cross(pen, x + 0.5, y + 1.5, 6, paint);
  else bolt(pen, x, y - 0.3, 0.95, paint);
}

/** A cross whose arms span a square. */
export function cross(pen: Pen, x: number, y: number, size: number, paint: string): void {
  pen.strokeStyle = paint;
  pen.lineWidth = 1.75;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + size, y + size);
  pen.moveTo(x + size, y);
  pen.lineTo(x, y + size);
  pen.stroke();
  pen.lineWidth = 1;
}

/** A bolt, 7 × 11 pixels at scale 1. */
export function bolt(pen: Pen, x: number, y: number, scale: number, paint: string): void {
  const corners = [
    [4.5, 0],
    [0, 6],
    [3, 6],
    [2, 11],
    [7, 4.5],
    [3.8, 4.5],
  ] as const;
  pen.fillStyle = paint;
  pen.beginPath();
  corners.forEach(([dx, dy], i) => {
    if (i === 0) pen.moveTo(x + dx * scale, y + dy * scale);
    else pen.lineTo(x + dx * scale, y + dy * scale);
  });
  pen.closePath();
  pen.fill();
}
