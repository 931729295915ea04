// The thread of what-if questions. It starts with the first question.
import { answering } from './answering.ts';
import { never } from './protocol.ts';
import { Questions, ready } from './quick.ts';
import type { AskedRun, WhatIfAnswers, WhatIfQuestion } from './whatIfProtocol.ts';

/** The run of the latest question; further questions about it reuse its computed parts. */
let last: { readonly run: AskedRun; readonly questions: Questions } | undefined;

async function about(run: AskedRun): Promise<Questions> {
  if (last && last.run.scenario === run.scenario && sameFile(last.run.trace, run.trace)) return last.questions;
  last?.questions.free();
  last = undefined;
  const trace = run.trace ? new Uint8Array(await run.trace.arrayBuffer()) : new Uint8Array();
  const questions = new Questions(run.scenario, run.trace?.name ?? '', trace);
  last = { run, questions };
  return questions;
}

/** Compares by value, because a file is a new object in each question. */
function sameFile(a: File | undefined, b: File | undefined): boolean {
  return a?.name === b?.name && a?.size === b?.size && a?.lastModified === b?.lastModified;
}

async function answer(question: WhatIfQuestion): Promise<WhatIfAnswers[keyof WhatIfAnswers]> {
  const questions = await about(question.run);
  switch (question.kind) {
    case 'what-if':
      return questions.whatIf(question.query);
    case 'prepare':
      questions.prepare(question.query);
      return undefined;
    case 'explain':
      return questions.explain(question.query);
    case 'explain-markdown':
      return questions.explainMarkdown(question.query);
    default:
      return never(question);
  }
}

answering(ready(), answer);
