// The thread that opens and makes links, and reads expressions. It is started when there is one; only this file imports its module.
import init, {
  linkedReport,
  makeLink,
  openLink,
  readExpression,
  refusesTrace,
  scorerAsExpression,
} from '../../pkg/links.js';
import wasmUrl from '../../pkg/links_bg.wasm?url';
import { answering } from './answering.ts';
import type { LinkAnswers, LinkQuestion } from './linkProtocol.ts';
import { never } from './protocol.ts';

function answer(question: LinkQuestion): LinkAnswers[keyof LinkAnswers] {
  switch (question.kind) {
    case 'open':
      return openLink(question.text);
    case 'make':
      return makeLink(question.scenario, question.asked, question.beside);
    case 'report':
      return linkedReport(question.report, question.link);
    case 'trace':
      return refusesTrace(question.mark, question.rows, question.digest);
    case 'read-expression':
      return readExpression(question.text, question.caret);
    case 'as-expression':
      return scorerAsExpression(question.weighted, question.index);
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
