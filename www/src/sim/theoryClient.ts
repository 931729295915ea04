// The page's side of the thread of laws of queueing theory.
import { type AskedWorker, Asking } from './asking.ts';
import type { TheoryAnswers, TheoryQuestion } from './theoryProtocol.ts';

export class TheoryClient extends Asking<TheoryQuestion, TheoryAnswers> {}

/** The real worker. */
export function spawnTheory(): AskedWorker<TheoryQuestion> {
  return new Worker(new URL('./theory.ts', import.meta.url), { type: 'module', name: 'theory' });
}
