// The thread that opens and makes links, reads expressions, descriptions of models and traces, and makes the edits that
// split a fleet. It starts on demand; only this file imports its module.
import init, {
  architectureFromHf,
  figuresDigest,
  linkedReport,
  makeLink,
  openLink,
  readExpression,
  refusesTrace,
  renamedReport,
  scorerAsExpression,
  splitChange,
  TraceFile,
  TraceRows,
} from '../../pkg/links.js';
import wasmUrl from '../../pkg/links_bg.wasm?url';
import { answering } from './answering.ts';
import type { LinkAnswers, LinkQuestion } from './linkProtocol.ts';
import { never } from './protocol.ts';
import type { TraceRead } from './traceTypes.ts';

/** The trace file being read; a thread reads one at a time. */
let file: TraceFile | undefined;
/** The rows of which figures are asked for. */
let rows: TraceRows | undefined;

function finishTrace(): TraceRead {
  const outcome = file?.finish() ?? { ok: false, diagnostics: [], summary: null };
  const inspection = file?.inspectTrace() ?? null;
  const packed = new Uint8Array(file?.packed() ?? []);
  file?.free();
  file = undefined;
  return { outcome, packed, inspection };
}

function answer(question: LinkQuestion): LinkAnswers[keyof LinkAnswers] {
  switch (question.kind) {
    case 'open':
      return openLink(question.text);
    case 'make':
      return makeLink(question.scenario, question.asked, question.beside);
    case 'report':
      return linkedReport(question.report, question.link);
    case 'figures':
      return figuresDigest(question.report);
    case 'renamed':
      return renamedReport(question.report, question.scenario, question.title, question.note);
    case 'trace':
      return refusesTrace(question.mark, question.rows, question.digest);
    case 'read-expression':
      return readExpression(question.text, question.caret);
    case 'as-expression':
      return scorerAsExpression(question.weighted, question.index);
    case 'split':
      return splitChange(question.scenario, question.asked);
    case 'architecture':
      return architectureFromHf(question.text);
    case 'trace-open':
      file?.free();
      file = new TraceFile(question.name);
      if (question.columns) file.nameColumns(question.columns);
      return null;
    case 'trace-push':
      file?.push(question.bytes);
      return null;
    case 'trace-finish':
      return finishTrace();
    case 'trace-rows':
      rows?.free();
      rows = new TraceRows(question.packed);
      return null;
    case 'trace-figures':
      return rows?.figures(question.settings, question.seed) ?? null;
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
