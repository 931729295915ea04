// The thread of laws of queueing theory. It is started when they are first shown; only this file imports its module.
import init, { theoryOfCases, theoryOfRun } from '../../pkg/theory.js';
import wasmUrl from '../../pkg/theory_bg.wasm?url';
import { answering } from './answering.ts';
import { never } from './protocol.ts';
import type { TheoryAnswers, TheoryQuestion } from './theoryProtocol.ts';

function answer(question: TheoryQuestion): TheoryAnswers[keyof TheoryAnswers] {
  switch (question.kind) {
    case 'run':
      return theoryOfRun(question.scenario, question.outcomes, question.law);
    case 'cases':
      return theoryOfCases([...question.scenarios], question.law);
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
