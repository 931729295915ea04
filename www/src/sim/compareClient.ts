// The page's side of the thread that compares runs.
import { type AskedWorker, Asking } from './asking.ts';
import type { CompareAnswers, CompareQuestion } from './compareProtocol.ts';

export class CompareClient extends Asking<CompareQuestion, CompareAnswers> {}

/** The real worker. */
export function spawnCompare(): AskedWorker<CompareQuestion> {
  return new Worker(new URL('./compare.ts', import.meta.url), { type: 'module', name: 'comparison' });
}
