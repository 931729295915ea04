// The painter of the close-ups: a thread of its own, started when the first of them is opened.

import painter from 'virtual:closeup-painter';
import { trust } from '../base/trust.ts';
import { makePainter, type Painter, type Take } from '../draw/thread/painter.ts';
import { thread } from '../sim/thread.ts';

let started: Promise<Painter> | undefined;

export function closeUpPainter(): Promise<Painter> {
  started ??= makePainter({
    spawn: () => thread(painter, 'close-up painter'),
    here: async () => {
      const { createCloseUpPainting } = await import('./painting.ts');
      return (tell) => trust<Take>(createCloseUpPainting(tell).take);
    },
  });
  return started;
}
