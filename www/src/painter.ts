// The painter's thread: canvases of the page are drawn here, so that the page's own thread has time for everything else.

import face from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { createPainting } from './painting.ts';

// Without a pen the page draws itself: it is told by the error.
if (!new OffscreenCanvas(1, 1).getContext('2d')) throw new Error('this browser draws in no thread');
const { take, again } = createPainting((message) => postMessage(message));
self.onmessage = ({ data }) => take(data);
// The faces of a page are not those of its threads. As on the page: what was drawn before it comes is drawn anew.
const inter = new FontFace('Inter Variable', `url(${face})`, { weight: '100 900', featureSettings: '"tnum"' });
self.fonts.add(inter);
inter.load().then(again, () => undefined);
postMessage({ kind: 'ready' });
