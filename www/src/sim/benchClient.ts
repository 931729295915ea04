// The page's side of the thread that reads benchmarks.
import { type AskedWorker, Asking } from './asking.ts';
import script from './bench.ts?worker&url';
import type { BenchAnswers, BenchQuestion } from './benchProtocol.ts';
import { thread } from './thread.ts';

export class BenchClient extends Asking<BenchQuestion, BenchAnswers> {}

/** The real worker. */
export function spawnBench(): AskedWorker<BenchQuestion> {
  return thread(script, 'benchmarks');
}
