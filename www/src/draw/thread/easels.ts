// Canvases with the latest picture of each, so that what moves on them continues without new pictures. The drawing depends on the
// picture and the palette alone, in any thread.

import { type Palette, type Tokens, withHatches } from '../inks.ts';
import type { Pen } from '../pen.ts';
import type { FromPainter, Paint, Picture, Sheet, ToPainter } from './paintProtocol.ts';

/** How the pictures of a painter are drawn. */
export type Drawing<P extends Picture, Memory> = {
  /** What a canvas remembers between its pictures. */
  readonly memory: () => Memory;
  /** A picture came for a canvas. */
  readonly take?: (picture: P, memory: Memory) => void;
  /** Draws it; returns whether something on it still moves. */
  readonly draw: (pen: Pen, palette: Palette, size: Paint<P>, picture: P, memory: Memory) => boolean;
};

/** A canvas with its state. */
type Easel<P extends Picture, Memory> = {
  readonly canvas: Sheet;
  readonly pen: Pen;
  readonly memory: Memory;
  tokens: Tokens | undefined;
  palette: Palette | undefined;
  shown: Paint<P> | undefined;
  /** Drawn since the latest display frame. */
  fresh: boolean;
  /** Whether something on it moves without new pictures. */
  moves: boolean;
};

export type Painting<P extends Picture> = {
  readonly take: (message: ToPainter<P>) => void;
  /** Redraws everything, because the font has loaded. */
  readonly again: () => void;
};

export function createEasels<P extends Picture, Memory>(
  drawing: Drawing<P, Memory>,
  tell: (message: FromPainter) => void,
): Painting<P> {
  const easels = new Map<number, Easel<P, Memory>>();
  let ticking = false;
  /**
   * Appended to every font list. A thread of Chromium caches the fonts found for a list, so a font that loads later
   * needs a new list.
   */
  let lastFamily = '';

  const tick = (): void => {
    ticking = false;
    for (const easel of easels.values()) {
      if (easel.moves && !easel.fresh) drawOn(easel, drawing);
      easel.fresh = false;
      if (easel.moves) run();
    }
  };
  const takeTokens = (easel: Easel<P, Memory>, tokens: Tokens | undefined): void => {
    easel.tokens = tokens;
    easel.palette = tokens && withHatches({ ...tokens, font: tokens.font + lastFamily });
  };
  const run = (): void => {
    if (!ticking) requestAnimationFrame(tick);
    ticking = true;
  };
  const paint = (easel: Easel<P, Memory>, message: Paint<P>): void => {
    easel.shown = message;
    if (message.picture) drawing.take?.(message.picture, easel.memory);
    easel.fresh = true;
    try {
      drawOn(easel, drawing);
    } finally {
      // A failing picture is reported as an error, and the next one is drawn.
      tell({ kind: 'painted', sheet: message.sheet });
    }
    if (easel.moves) run();
  };
  return {
    again: () => {
      lastFamily = ', serif';
      for (const easel of easels.values()) {
        takeTokens(easel, easel.tokens);
        drawOn(easel, drawing);
      }
    },
    take: (message) => {
      if (message.kind === 'sheet') {
        const easel = easelOf(message.canvas, drawing);
        if (easel) easels.set(message.sheet, easel);
        return;
      }
      const easel = easels.get(message.sheet);
      if (!easel) return;
      if (message.kind === 'paint') paint(easel, message);
      else if (message.kind === 'tokens') takeTokens(easel, message.tokens);
      else easels.delete(message.sheet);
    },
  };
}

function easelOf<P extends Picture, Memory>(canvas: Sheet, drawing: Drawing<P, Memory>): Easel<P, Memory> | undefined {
  const pen = canvas.getContext('2d');
  const memory = drawing.memory();
  return pen
    ? { canvas, pen, memory, tokens: undefined, palette: undefined, shown: undefined, fresh: false, moves: false }
    : undefined;
}

function drawOn<P extends Picture, Memory>(easel: Easel<P, Memory>, drawing: Drawing<P, Memory>): void {
  const { canvas, pen, palette: p, shown } = easel;
  if (!p || !shown) return;
  const { width, height, ratio, picture } = shown;
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  easel.moves = picture !== undefined && drawing.draw(pen, p, shown, picture, easel.memory);
}
