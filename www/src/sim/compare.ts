// The thread that compares runs. It is started when a comparison is opened; only this file imports its module.
import init, {
  CapacityStudy,
  Comparison,
  entrantOf,
  OpenLesson,
  oracleOf,
  RatioStudy,
  rankRace,
  readStudy,
  runPolicies,
  runRow,
  studyCsv,
  sweepCases,
  sweepElsewhere,
  sweepSummary,
  writeStudy,
} from '../../pkg/compare.js';
import wasmUrl from '../../pkg/compare_bg.wasm?url';
import { answering } from './answering.ts';
import type { CompareAnswers, Compared, CompareQuestion, Outcomes } from './compareProtocol.ts';
import { never } from './protocol.ts';

type Pairs = readonly (readonly [Outcomes, Outcomes])[];

function compare(pairs: Pairs, scenarios: readonly [a: string, b: string], bounds: Pairs): Compared | null {
  const comparison = new Comparison();
  try {
    comparison.setScenarios(...scenarios);
    for (const [i, [a, b]] of pairs.entries()) {
      const bound = bounds[i];
      if (bound) comparison.addBounds(a, b, ...bound);
      comparison.add(a, b);
    }
    const result = comparison.result();
    return result && { comparison: result, cloud: comparison.cloud() };
  } finally {
    comparison.free();
  }
}

let study: CapacityStudy | undefined;
let ratios: RatioStudy | undefined;
let lesson: OpenLesson | undefined;

function opened(): OpenLesson {
  if (lesson) return lesson;
  throw new Error('no lesson is open');
}

function answer(question: CompareQuestion): CompareAnswers[keyof CompareAnswers] {
  switch (question.kind) {
    case 'compare':
      return compare(question.pairs, question.scenarios, question.bounds ?? []);
    case 'cases':
      return sweepCases(question.scenario, [...question.varied], question.seeds);
    case 'policies':
      return runPolicies(question.scenario, question.path);
    case 'entrant':
      return entrantOf(question.scenario, JSON.stringify(question.set), question.fromUs);
    case 'elsewhere':
      return sweepElsewhere(question.scenario, [...question.varied], question.seeds, question.workers, question.caseMs);
    case 'row':
      return runRow(question.outcomes);
    case 'rank':
      return rankRace([...question.entries], [...question.bound], question.by, question.seeds);
    case 'write-study':
      return writeStudy(question.study);
    case 'read-study':
      return readStudy(question.text);
    case 'study-csv':
      return studyCsv(question.study);
    case 'oracle':
      return oracleOf(question.scenario);
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
    case 'ratios':
      ratios?.free();
      ratios = undefined;
      ratios = new RatioStudy(question.scenario, question.seeds, question.share, []);
      return ratios.cases().length;
    case 'ratio-next':
      return ratios?.next(question.row, question.seed);
    case 'ratio-saw':
      ratios?.saw(question.row, question.seed, question.outcomes);
      return undefined;
    case 'ratio-refused':
      return ratios?.refused(question.row, question.seed) ?? false;
    case 'ratios-found':
      return ratios?.result();
    case 'lesson':
      lesson?.free();
      lesson = undefined;
      lesson = new OpenLesson(question.text);
      return lesson.read();
    case 'lesson-cases':
      return opened().cases(question.step);
    case 'lesson-verdict':
      return opened().judge(question.step, [...question.ended], question.guess);
    default:
      return never(question);
  }
}

answering(init({ module_or_path: wasmUrl }), answer);
