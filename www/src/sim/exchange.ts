// The thread that reads and writes the configuration of other programs. It starts with the first paste and loads a
// WebAssembly module of its own; only this file imports that.
import init, { exportConfiguration, importTexts } from '../../pkg/exchange.js';
import wasmUrl from '../../pkg/exchange_bg.wasm?url';
import { answering } from './answering.ts';
import type { ExchangeQuestion } from './exchangeProtocol.ts';
import { never } from './protocol.ts';

function answer(question: ExchangeQuestion): unknown {
  switch (question.kind) {
    case 'import':
      return importTexts(
        JSON.stringify(question.texts),
        question.into,
        JSON.stringify(question.settled),
        JSON.stringify(question.asked ?? {}),
      );
    case 'export':
      return exportConfiguration(question.scenario, question.system, question.beside);
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
