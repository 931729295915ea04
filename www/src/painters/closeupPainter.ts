// The thread of the painter of close-ups.

import { createCloseUpPainting } from '../closeup/painting.ts';
import { paintHere } from './paintThread.ts';

paintHere(createCloseUpPainting);
