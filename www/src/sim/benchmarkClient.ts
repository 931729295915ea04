// The page's side of the thread that reads benchmarks.
import { type AskedWorker, Asking } from './asking.ts';
import script from './benchmark.ts?worker&url';
import type { BenchmarkAnswers, BenchmarkQuestion } from './benchmarkProtocol.ts';
import { thread } from './thread.ts';

export class BenchmarkClient extends Asking<BenchmarkQuestion, BenchmarkAnswers> {}

/** The real worker. */
export function spawnBenchmark(): AskedWorker<BenchmarkQuestion> {
  return thread(script, 'benchmarks');
}
