// What the page and the painter say to each other. Pictures are data; only the painter knows how each kind is drawn.

import type { Tokens } from './inks.ts';
import type { Pen } from './pen.ts';

/** A canvas, of the page or of a thread. */
export type Sheet = { width: number; height: number; getContext(kind: '2d'): Pen | null };

/** What is on a canvas. Its bytes are handed over instead of copied. */
export type Picture = { readonly of: string; readonly bytes?: Uint8Array | undefined };

/** A picture for a sheet of this size, in CSS pixels; none leaves it empty. */
export type Paint<P extends Picture = Picture> = {
  readonly kind: 'paint';
  readonly sheet: number;
  readonly width: number;
  readonly height: number;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly picture: P | undefined;
};

export type ToPainter<P extends Picture = Picture> =
  | { readonly kind: 'sheet'; readonly sheet: number; readonly canvas: Sheet }
  | { readonly kind: 'tokens'; readonly sheet: number; readonly tokens: Tokens }
  | Paint<P>
  | { readonly kind: 'gone'; readonly sheet: number };

/** `painted` answers each `paint`: the next picture of that sheet waits for it, so that none queue up. */
export type FromPainter = { readonly kind: 'ready' } | { readonly kind: 'painted'; readonly sheet: number };
