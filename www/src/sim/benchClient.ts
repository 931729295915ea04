// The page's side of the thread that reads benchmarks.
import { type AskedWorker, Asking } from './asking.ts';
import type { BenchAnswers, BenchQuestion } from './benchProtocol.ts';

export class BenchClient extends Asking<BenchQuestion, BenchAnswers> {}

/** The real worker. */
export function spawnBench(): AskedWorker<BenchQuestion> {
  return new Worker(new URL('./bench.ts', import.meta.url), { type: 'module', name: 'benchmarks' });
}
