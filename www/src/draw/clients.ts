// The shapes of clients: one table for canvases and for marks in a line of text.
import type { Pen } from './pen.ts';

const FULL = Math.PI * 2;

/** A shape as a path in a square of eight, and as one around a point. */
type ClientShape = { readonly path: string; readonly trace: (pen: Pen, x: number, y: number, r: number) => void };

/** ● ■ ▲ ✚ ◗ ⬟ */
export const CLIENT_SHAPES: readonly ClientShape[] = [
  { path: 'M4 .6a3.4 3.4 0 1 0 .01 0z', trace: (pen, x, y, r) => pen.arc(x, y, r, 0, FULL) },
  {
    path: 'M.8.8h6.4v6.4H.8z',
    trace: (pen, x, y, r) => pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8),
  },
  {
    path: 'M4 .5l3.8 7H.2z',
    trace: (pen, x, y, r) => {
      pen.moveTo(x, y - r);
      pen.lineTo(x + r * 1.1, y + r * 0.9);
      pen.lineTo(x - r * 1.1, y + r * 0.9);
      pen.closePath();
    },
  },
  {
    path: 'M3 .5h2V3h2.500v2H5v2.500H3V5H.5V3H3z',
    trace: (pen, x, y, r) => {
      pen.rect(x - r * 0.36, y - r, r * 0.72, r * 2);
      pen.rect(x - r, y - r * 0.36, r * 2, r * 0.72);
    },
  },
  {
    path: 'M2.500.6a3.4 3.4 0 0 1 0 6.800z',
    trace: (pen, x, y, r) => {
      pen.arc(x - r * 0.4, y, r * 1.1, -Math.PI / 2, Math.PI / 2);
      pen.closePath();
    },
  },
  {
    path: 'M4 .4l3.700 2.700-1.400 4.400H1.700L.3 3.100z',
    trace: (pen, x, y, r) => {
      for (let i = 0; i < 5; i++) {
        const a = -Math.PI / 2 + (i * FULL) / 5;
        pen.lineTo(x + r * 1.1 * Math.cos(a), y + r * 1.1 * Math.sin(a));
      }
      pen.closePath();
    },
  },
];

/** Whether a client is marked by a letter, because shapes have run out. */
export const hasLetter = (client: number): boolean => client >= CLIENT_SHAPES.length;

/** The letter of a client without a shape. */
export const letterOf = (client: number): string => String.fromCharCode(65 + ((client - CLIENT_SHAPES.length) % 26));
