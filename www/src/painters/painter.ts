// The thread of the page's first painter draws its canvases, so that the page's own thread is free for other work.

import { createPainting } from './painting.ts';
import { paintHere } from './paintThread.ts';

paintHere(createPainting);
