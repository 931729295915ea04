// The page's side of the thread of what-if questions.
import { type AskedWorker, Asking } from './asking.ts';
import { thread } from './thread.ts';
import script from './whatIf.ts?worker&url';
import type { WhatIfAnswers, WhatIfQuestion } from './whatIfProtocol.ts';

export class WhatIfClient extends Asking<WhatIfQuestion, WhatIfAnswers> {}

/** The real worker. */
export function spawnWhatIf(): AskedWorker<WhatIfQuestion> {
  return thread(script, 'what if');
}
