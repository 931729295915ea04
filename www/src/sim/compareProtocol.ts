// The messages between the page and the thread that compares runs.
import type { Json } from '../base/json.ts';
import type {
  Capacity,
  CaseFigures,
  CaseText,
  Guess,
  LessonCase,
  LessonRead,
  RaceEntry,
  RaceRanking,
  RankBy,
  RatioResult,
  RequestCloud,
  RunComparison,
  RunPolicies,
  RunRow,
  StepVerdict,
  StudyFile,
  StudyRead,
  SweepElsewhere,
  SweepRow,
  SweepSummary,
} from '../generated/boundary.ts';

/** The outcomes of the requests of a run, as written by its simulation. */
export type Outcomes = Uint8Array<ArrayBuffer>;

/** Two runs compared, with the requests of the first pair as points, if they are paired. */
export type Compared = { readonly comparison: RunComparison; readonly cloud: RequestCloud | null };

export type CompareQuestion =
  /** Two runs beside each other, or a pair of runs per seed. */
  | {
      readonly kind: 'compare';
      readonly pairs: readonly (readonly [a: Outcomes, b: Outcomes])[];
      /** Both scenarios with their edits, which divide the run into spans. */
      readonly scenarios: readonly [a: string, b: string];
      /** For each pair the runs of their oracles, if any. */
      readonly bounds?: readonly (readonly [a: Outcomes, b: Outcomes])[];
    }
  /**
   * The scenarios of a race or a sweep: the varied fields as in the command line's `--vary`, and the number of seeds.
   */
  | { readonly kind: 'cases'; readonly scenario: string; readonly varied: readonly string[]; readonly seeds: number }
  /** The policies that a run has at a path, one after the other. */
  | { readonly kind: 'policies'; readonly scenario: string; readonly path: string }
  /** The scenario of an entrant: its settings hold from an instant to the end, whatever edits set the same fields. */
  | {
      readonly kind: 'entrant';
      readonly scenario: string;
      readonly set: Readonly<Record<string, Json>>;
      readonly fromUs: number;
    }
  /** About how long a sweep takes on this page, from the milliseconds of one run, and its command for another machine. */
  | {
      readonly kind: 'elsewhere';
      readonly scenario: string;
      readonly varied: readonly string[];
      readonly seeds: number;
      readonly workers: number;
      readonly caseMs: number | undefined;
    }
  /** The figures of one run. */
  | { readonly kind: 'row'; readonly outcomes: Outcomes }
  /** The ranking of a race so far. */
  | {
      readonly kind: 'rank';
      readonly entries: readonly RaceEntry[];
      /** The runs of the oracle, where autoscalers are raced. */
      readonly bound: readonly RunRow[];
      readonly by: RankBy;
      /** The number of seeds: an entry without a run for each of them has no place. */
      readonly seeds: number;
    }
  /** The file of a study, as text. */
  | { readonly kind: 'write-study'; readonly study: StudyFile }
  /** Reads such a file. */
  | { readonly kind: 'read-study'; readonly text: string }
  /** The runs of a study as CSV. */
  | { readonly kind: 'study-csv'; readonly study: StudyFile }
  /** The scenario of the oracle of a scenario. */
  | { readonly kind: 'oracle'; readonly scenario: string }
  /** The results of a sweep so far. */
  | { readonly kind: 'summary'; readonly paths: readonly string[]; readonly rows: readonly SweepRow[] }
  /** Begins a search for the capacity with a number of seeds; it replaces the previous one. */
  | { readonly kind: 'search'; readonly scenario: string; readonly seeds: number; readonly share: number }
  /** The next run for a seed, by its index. */
  | { readonly kind: 'search-next'; readonly seed: number }
  /** The result of the run requested last. */
  | { readonly kind: 'search-saw'; readonly seed: number; readonly outcomes: Outcomes }
  /** The run requested last cannot be made; answers whether a lower load is known to hold. */
  | { readonly kind: 'search-refused'; readonly seed: number }
  /** The result of the search. */
  | { readonly kind: 'search-found' }
  /** Begins the searches for the best ratio of prefill to decode replicas; they replace the previous ones. */
  | { readonly kind: 'ratios'; readonly scenario: string; readonly seeds: number; readonly share: number }
  /** The next run of the search of a row and a seed. */
  | { readonly kind: 'ratio-next'; readonly row: number; readonly seed: number }
  /** The result of the run requested last. */
  | { readonly kind: 'ratio-saw'; readonly row: number; readonly seed: number; readonly outcomes: Outcomes }
  /** The run requested last cannot be made; answers whether a lower load is known to hold. */
  | { readonly kind: 'ratio-refused'; readonly row: number; readonly seed: number }
  /** The result so far. */
  | { readonly kind: 'ratios-found' }
  /** Opens a lesson, JSON text; it replaces the previous one. */
  | { readonly kind: 'lesson'; readonly text: string }
  /** The runs of a step of the lesson, by its number from 0. */
  | { readonly kind: 'lesson-cases'; readonly step: number }
  /** What those of its runs that have ended show, and what became of the guess. */
  | {
      readonly kind: 'lesson-verdict';
      readonly step: number;
      readonly ended: readonly CaseFigures[];
      readonly guess?: Guess | undefined;
    };

export type CompareAnswers = {
  /** `null` if there is nothing to compare yet. */
  compare: Compared | null;
  cases: readonly CaseText[];
  policies: RunPolicies;
  entrant: string;
  elsewhere: SweepElsewhere;
  row: RunRow;
  rank: RaceRanking;
  'write-study': string;
  'read-study': StudyRead;
  'study-csv': string;
  /** Nothing if no pool has an autoscaler. */
  oracle: string | undefined;
  summary: SweepSummary;
  search: undefined;
  /** Nothing once the search of the seed has ended. */
  'search-next': string | undefined;
  'search-saw': undefined;
  'search-refused': boolean;
  'search-found': Capacity | undefined;
  /** The number of rows. */
  ratios: number;
  /** Nothing once the search has ended. */
  'ratio-next': string | undefined;
  'ratio-saw': undefined;
  'ratio-refused': boolean;
  'ratios-found': RatioResult | undefined;
  lesson: LessonRead;
  'lesson-cases': readonly LessonCase[];
  'lesson-verdict': StepVerdict;
};
