// The messages between the page and the painter. Pictures are data; only the painter knows how to draw each kind.

import type { Tokens } from '../inks.ts';
import type { Pen } from '../pen.ts';

/** A canvas, of the page or of a thread. */
export type Sheet = { width: number; height: number; getContext(kind: '2d'): Pen | null };

/** The content of a canvas. Its bytes are transferred instead of copied. */
export type Picture = { readonly of: string; readonly bytes?: Uint8Array | undefined };

/** A picture for a sheet of this size, in CSS pixels; undefined leaves it empty. */
export type Paint<P extends Picture = Picture> = {
  readonly kind: 'paint';
  readonly sheet: number;
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly picture: P | undefined;
};

export type ToPainter<P extends Picture = Picture> =
  | { readonly kind: 'sheet'; readonly sheet: number; readonly canvas: Sheet }
  | { readonly kind: 'tokens'; readonly sheet: number; readonly tokens: Tokens }
  | Paint<P>
  | { readonly kind: 'gone'; readonly sheet: number };

/** `painted` answers each `paint`. The next picture of that sheet waits for it, so that pictures do not queue up. */
export type FromPainter = { readonly kind: 'ready' } | { readonly kind: 'painted'; readonly sheet: number };
