// The thread that compares runs. It is started when a comparison is opened; only this file imports its module.
import init, { CapacityStudy, Comparison, rankRace, runRow, sweepCases, sweepSummary } from '../../pkg/compare.js';
import wasmUrl from '../../pkg/compare_bg.wasm?url';
import type { RunComparison } from '../generated/boundary.ts';
import { answering } from './answering.ts';
import type { CompareAnswers, CompareQuestion, Outcomes } from './compareProtocol.ts';
import { never } from './protocol.ts';

function compare(pairs: readonly (readonly [Outcomes, Outcomes])[]): RunComparison | null {
  const comparison = new Comparison();
  try {
    for (const [a, b] of pairs) comparison.add(a, b);
    return comparison.result();
  } finally {
    comparison.free();
  }
}

let study: CapacityStudy | undefined;

function answer(question: CompareQuestion): CompareAnswers[keyof CompareAnswers] {
  switch (question.kind) {
    case 'compare':
      return compare(question.pairs);
    case 'cases':
      return sweepCases(question.scenario, [...question.varied], question.seeds);
    case 'row':
      return runRow(question.outcomes);
    case 'rank':
      return rankRace([...question.entries], question.by);
    case 'summary':
      return sweepSummary([...question.paths], [...question.rows]);
    case 'search':
      study?.free();
      study = undefined;
      study = new CapacityStudy(question.scenario, question.seeds, question.share);
      return undefined;
    case 'search-next':
      return study?.next(question.seed);
    case 'search-saw':
      study?.saw(question.seed, question.outcomes);
      return undefined;
    case 'search-refused':
      return study?.refused(question.seed) ?? false;
    case 'search-found':
      return study?.result();
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
