// The page's side of the thread of laws of queueing theory.
import { type AskedWorker, Asking } from './asking.ts';
import script from './theory.ts?worker&url';
import type { TheoryAnswers, TheoryQuestion } from './theoryProtocol.ts';
import { thread } from './thread.ts';

export class TheoryClient extends Asking<TheoryQuestion, TheoryAnswers> {}

/** The real worker. */
export function spawnTheory(): AskedWorker<TheoryQuestion> {
  return thread(script, 'theory');
}
