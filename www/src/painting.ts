// Draws pictures on given canvases. The drawing depends on the picture and the palette alone, in any thread.
//
// The latest picture of each canvas is kept, so that moving dots continue without new pictures.

import { drawEcdf } from './charts/drawEcdf.ts';
import { drawScrubber } from './charts/drawScrubber.ts';
import { drawTime } from './charts/drawTime.ts';
import type { EcdfPicture } from './charts/ecdfPicture.ts';
import type { TimelinePicture } from './charts/timeline.ts';
import type { TimePicture } from './charts/timePicture.ts';
import { type Palette, type Tokens, withHatches } from './draw/inks.ts';
import type { FromPainter, Paint, Sheet, ToPainter } from './draw/paintProtocol.ts';
import type { Pen } from './draw/pen.ts';
import { drawStage, StageMemory } from './stage/drawStage.ts';
import type { StagePicture } from './stage/picture.ts';

type AnyPicture = StagePicture | TimePicture | EcdfPicture | TimelinePicture;

/** A canvas with its state. */
type Easel = {
  readonly canvas: Sheet;
  readonly pen: Pen;
  readonly memory: StageMemory;
  tokens: Tokens | undefined;
  palette: Palette | undefined;
  shown: Paint<AnyPicture> | undefined;
  /** Drawn since the latest display frame. */
  fresh: boolean;
  /** Whether something on it moves without new pictures. */
  moves: boolean;
};

export type Painting = {
  readonly take: (message: ToPainter<AnyPicture>) => void;
  /** Redraws everything, because the font has loaded. */
  readonly again: () => void;
};

export function createPainting(tell: (message: FromPainter) => void): Painting {
  const easels = new Map<number, Easel>();
  let ticking = false;
  /**
   * Appended to every font list. A thread of Chromium caches the fonts found for a list, so a font that loads later
   * needs a new list.
   */
  let lastFamily = '';

  const tick = (): void => {
    ticking = false;
    for (const easel of easels.values()) {
      if (easel.moves && !easel.fresh) draw(easel);
      easel.fresh = false;
      if (easel.moves) run();
    }
  };
  const takeTokens = (easel: Easel, tokens: Tokens | undefined): void => {
    easel.tokens = tokens;
    easel.palette = tokens && withHatches({ ...tokens, font: tokens.font + lastFamily });
  };
  const run = (): void => {
    if (!ticking) requestAnimationFrame(tick);
    ticking = true;
  };
  const paint = (easel: Easel, message: Paint<AnyPicture>): void => {
    easel.shown = message;
    if (message.picture?.of === 'stage') easel.memory.take(message.picture.notes, performance.now());
    easel.fresh = true;
    try {
      draw(easel);
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
        draw(easel);
      }
    },
    take: (message) => {
      if (message.kind === 'sheet') {
        const easel = easelOf(message.canvas);
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

function easelOf(canvas: Sheet): Easel | undefined {
  const pen = canvas.getContext('2d');
  const memory = new StageMemory();
  return pen
    ? { canvas, pen, memory, tokens: undefined, palette: undefined, shown: undefined, fresh: false, moves: false }
    : undefined;
}

function draw(easel: Easel): void {
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
  easel.moves = picture !== undefined && drawPicture(easel, p, shown, picture);
}

/** Returns whether something on the picture still moves. */
function drawPicture(easel: Easel, p: Palette, size: Paint<AnyPicture>, picture: AnyPicture): boolean {
  const { pen, memory } = easel;
  const { width, height } = size;
  switch (picture.of) {
    case 'stage':
      return drawStage(pen, p, size, picture, memory);
    case 'time':
      drawTime({ ...picture, pen, p, width, height });
      return false;
    case 'ecdf':
      drawEcdf({ ...picture, pen, p, width, height });
      return false;
    case 'timeline':
      drawScrubber({ ...picture, pen, p, width });
      return false;
    default: {
      const left: never = picture;
      return left;
    }
  }
}
