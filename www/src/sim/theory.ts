// The thread of laws of queueing theory, started when they are first shown. Its module is the one built for speed.
import { answering } from './answering.ts';
import { never } from './protocol.ts';
import { ready, theoryOfCases, theoryOfRun } from './quick.ts';
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

answering(ready(), answer);
