// What the page and the thread that compares runs say to each other.
import type {
  Capacity,
  CaseText,
  RaceEntry,
  RaceRanking,
  RankBy,
  RunComparison,
  RunRow,
  SweepRow,
  SweepSummary,
} from '../generated/boundary.ts';

/** What became of the requests of a run, as its simulation wrote it. */
export type Outcomes = Uint8Array<ArrayBuffer>;

export type CompareQuestion =
  /** Two runs beside each other, or as many pairs of runs as there are seeds. */
  | {
      readonly kind: 'compare';
      readonly pairs: readonly (readonly [a: Outcomes, b: Outcomes])[];
      /** Both scenarios with their edits: these part the run into spans. */
      readonly scenarios: readonly [a: string, b: string];
      /** For each pair the runs of their oracles, where there are some. */
      readonly bounds?: readonly (readonly [a: Outcomes, b: Outcomes])[];
    }
  /** The scenarios of a race or a sweep: what is varied, as the command line's `--vary` takes it, and how many seeds. */
  | { readonly kind: 'cases'; readonly scenario: string; readonly varied: readonly string[]; readonly seeds: number }
  /** The figures of one run. */
  | { readonly kind: 'row'; readonly outcomes: Outcomes }
  /** The order of a race as far as it has gone. */
  | {
      readonly kind: 'rank';
      readonly entries: readonly RaceEntry[];
      /** The runs of the oracle, where autoscalers are raced. */
      readonly bound: readonly RunRow[];
      readonly by: RankBy;
    }
  /** The scenario of the oracle of a scenario. */
  | { readonly kind: 'oracle'; readonly scenario: string }
  /** What a sweep has come to as far as it has gone. */
  | { readonly kind: 'summary'; readonly paths: readonly string[]; readonly rows: readonly SweepRow[] }
  /** Begins a search for the capacity, with so many seeds, in place of the one before. */
  | { readonly kind: 'search'; readonly scenario: string; readonly seeds: number; readonly share: number }
  /** What runs next for a seed, by its place. */
  | { readonly kind: 'search-next'; readonly seed: number }
  /** The run that was asked for last. */
  | { readonly kind: 'search-saw'; readonly seed: number; readonly outcomes: Outcomes }
  /** The run that was asked for last cannot be made: whether a lower load is known to hold. */
  | { readonly kind: 'search-refused'; readonly seed: number }
  /** What the search has found. */
  | { readonly kind: 'search-found' };

export type CompareAnswers = {
  /** `null` where there is nothing to compare yet. */
  compare: RunComparison | null;
  cases: readonly CaseText[];
  row: RunRow;
  rank: RaceRanking;
  /** Nothing if no pool has an autoscaler. */
  oracle: string | undefined;
  summary: SweepSummary;
  search: undefined;
  /** Nothing once the search of the seed has ended. */
  'search-next': string | undefined;
  'search-saw': undefined;
  'search-refused': boolean;
  'search-found': Capacity | undefined;
};
