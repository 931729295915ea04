// What the page and the thread that compares runs say to each other.
import type { CaseText, RaceEntry, RaceRanking, RankBy, RunComparison, RunRow } from '../generated/boundary.ts';

/** What became of the requests of a run, as its simulation wrote it. */
type Outcomes = Uint8Array<ArrayBuffer>;

export type CompareQuestion =
  /** Two runs beside each other. */
  | { readonly kind: 'compare'; readonly a: Outcomes; readonly b: Outcomes }
  /** The scenarios of a race or a sweep: what is varied, as the command line's `--vary` takes it, and how many seeds. */
  | { readonly kind: 'cases'; readonly scenario: string; readonly varied: readonly string[]; readonly seeds: number }
  /** The figures of one run. */
  | { readonly kind: 'row'; readonly outcomes: Outcomes }
  /** The order of a race as far as it has gone. */
  | { readonly kind: 'rank'; readonly entries: readonly RaceEntry[]; readonly by: RankBy };

export type CompareAnswers = {
  /** `null` where there is nothing to compare yet. */
  compare: RunComparison | null;
  cases: readonly CaseText[];
  row: RunRow;
  rank: RaceRanking;
};
