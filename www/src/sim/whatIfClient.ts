// The page's side of the thread of what-if questions.
import { type AskedWorker, Asking } from './asking.ts';
import type { WhatIfAnswers, WhatIfQuestion } from './whatIfProtocol.ts';

export class WhatIfClient extends Asking<WhatIfQuestion, WhatIfAnswers> {}

/** The real worker. */
export function spawnWhatIf(): AskedWorker<WhatIfQuestion> {
  return new Worker(new URL('./whatIf.ts', import.meta.url), { type: 'module', name: 'what if' });
}
