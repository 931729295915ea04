// The thread that reads benchmarks, fits to them and writes rows. It starts on demand and loads the second WebAssembly
// module; only this file imports that.
import init, {
  calibrateBenchmark,
  compareBenchmark,
  Rows,
  readBenchmark,
  uncertaintyBands,
} from '../../pkg/measured.js';
import wasmUrl from '../../pkg/measured_bg.wasm?url';
import { answering } from './answering.ts';
import type { BenchmarkAnswers, BenchmarkQuestion, RowPiece } from './benchmarkProtocol.ts';
import { never } from './protocol.ts';

/** Events between two pieces of rows. */
const EVENTS_AT_ONCE = 20_000;
let rows: Rows | undefined;

async function openRows(question: Extract<BenchmarkQuestion, { kind: 'rows-open' }>): Promise<null> {
  rows?.free();
  rows = new Rows(question.scenario, question.table, question.format);
  if (question.spanUs) rows.span(...question.spanUs);
  if (question.link !== undefined) rows.link(question.link);
  const reader = question.trace?.stream().getReader();
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) rows.trace(piece.value);
  rows.start();
  return null;
}

function nextRows(): RowPiece | null {
  const bytes = rows?.next(EVENTS_AT_ONCE);
  return rows && bytes ? { bytes: new Uint8Array(bytes), nowUs: rows.nowUs() } : null;
}

function answer(question: BenchmarkQuestion): BenchmarkAnswers[keyof BenchmarkAnswers] | Promise<null> {
  switch (question.kind) {
    case 'read':
      return readBenchmark(question.text);
    case 'compare':
      return compareBenchmark(question.text, question.run, question.scenario, JSON.stringify(question.load));
    case 'calibrate':
      return calibrateBenchmark(
        question.text,
        question.run,
        question.scenario,
        JSON.stringify(question.load),
        question.file,
      );
    case 'bands':
      return uncertaintyBands(question.scenario);
    case 'rows-open':
      return openRows(question);
    case 'rows-next':
      return nextRows();
    case 'rows-note':
      return rows?.note() ?? '';
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
