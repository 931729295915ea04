// The page's side of the thread that compares runs.
import { type AskedWorker, Asking } from './asking.ts';
import script from './compare.ts?worker&url';
import type { CompareAnswers, CompareQuestion } from './compareProtocol.ts';
import { thread } from './thread.ts';

export class CompareClient extends Asking<CompareQuestion, CompareAnswers> {}

/** The real worker. */
export function spawnCompare(): AskedWorker<CompareQuestion> {
  return thread(script, 'comparison');
}
