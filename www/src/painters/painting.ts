// Draws the pictures of the page's first painter: stage, charts, distributions, timeline.

import { drawEcdf } from '../charts/drawEcdf.ts';
import { drawScrubber } from '../charts/drawScrubber.ts';
import { drawStrip } from '../charts/drawStrip.ts';
import { drawTime } from '../charts/drawTime.ts';
import type { EcdfPicture } from '../charts/ecdfPicture.ts';
import type { StripPicture } from '../charts/stripPicture.ts';
import type { TimelinePicture } from '../charts/timeline.ts';
import type { TimePicture } from '../charts/timePicture.ts';
import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import { createEasels, type Painting } from '../draw/thread/easels.ts';
import type { FromPainter, Paint } from '../draw/thread/paintProtocol.ts';
import { drawStage, StageMemory } from '../stage/drawStage.ts';
import type { StagePicture } from '../stage/picture.ts';

type AnyPicture = StagePicture | TimePicture | StripPicture | EcdfPicture | TimelinePicture;

export function createPainting(tell: (message: FromPainter) => void): Painting<AnyPicture> {
  return createEasels<AnyPicture, StageMemory>(
    {
      memory: () => new StageMemory(),
      take: (picture, memory) => {
        if (picture.of === 'stage') memory.take(picture.notes, performance.now());
      },
      draw: drawPicture,
    },
    tell,
  );
}

/** Returns whether something on the picture still moves. */
function drawPicture(pen: Pen, p: Palette, size: Paint<AnyPicture>, picture: AnyPicture, memory: StageMemory): boolean {
  const { width, height } = size;
  switch (picture.of) {
    case 'stage':
      return drawStage(pen, p, size, picture, memory);
    case 'time':
      drawTime({ ...picture, pen, p, width, height });
      return false;
    case 'strip':
      drawStrip({ ...picture, pen, p, width, height });
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
