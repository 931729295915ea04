// What the threads of painters have in common: the font, and the messages.

import face from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { Painting } from '../draw/thread/easels.ts';
import type { FromPainter, Picture } from '../draw/thread/paintProtocol.ts';

/** Draws in this thread what the page asks for. */
export function paintHere<P extends Picture>(create: (tell: (message: FromPainter) => void) => Painting<P>): void {
  // Without a 2D context the page draws by itself; this error tells it so.
  if (!new OffscreenCanvas(1, 1).getContext('2d')) throw new Error('this browser cannot draw in a thread');
  const { take, again } = create((message) => postMessage(message));
  self.onmessage = ({ data }) => take(data);
  // Threads do not share the fonts of the page. As on the page, everything is redrawn once the font has loaded.
  const inter = new FontFace('Inter Variable', `url(${face})`, { weight: '100 900', featureSettings: '"tnum"' });
  self.fonts.add(inter);
  inter.load().then(again, () => undefined);
  postMessage({ kind: 'ready' });
}
