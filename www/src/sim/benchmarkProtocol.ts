// The messages between the page and the thread that reads benchmarks and policies and writes rows.
import type { AdoptedPolicies, Band, Benchmark, Comparison, OneRun } from '../generated/boundary.ts';

export type BenchmarkQuestion =
  /** The runs in a file. */
  | { readonly kind: 'read'; readonly text: string }
  /** One run beside the same traffic on a scenario's cluster. */
  | { readonly kind: 'compare'; readonly text: string; readonly run: number; readonly scenario: string }
  /** The scenario with the coefficients that the run determines. */
  | {
      readonly kind: 'calibrate';
      readonly text: string;
      readonly run: number;
      readonly scenario: string;
      readonly file: string;
    }
  /** The ranges of TTFT and TPOT that follow from the intervals of coefficients. */
  | { readonly kind: 'bands'; readonly scenario: string }
  /**
   * Translates documents of another program into a scenario; `texts` has the YAML contained in them as text. All JSON
   * text.
   */
  | { readonly kind: 'policies'; readonly scenario: string; readonly documents: string; readonly texts: string }
  /** Begins a run for the rows of one table. */
  | {
      readonly kind: 'rows-open';
      readonly scenario: string;
      readonly table: RowTable;
      readonly format: RowFormat;
      /** The trace that the scenario replays. */
      readonly trace: Blob | undefined;
    }
  /** The next piece of these rows; null after the last. */
  | { readonly kind: 'rows-next' };

/** The tables and the formats of rows, by their names on the command line. */
export const ROW_TABLES = ['requests', 'decisions', 'events', 'series'] as const;
export const ROW_FORMATS = ['csv', 'jsonl'] as const;
export type RowTable = (typeof ROW_TABLES)[number];
export type RowFormat = (typeof ROW_FORMATS)[number];

/** A piece of a file of rows, and the progress of the run. */
export type RowPiece = { readonly bytes: Uint8Array<ArrayBuffer>; readonly nowUs: number };

export type BenchmarkAnswers = {
  bands: readonly Band[];
  policies: AdoptedPolicies;
  read: readonly Benchmark[];
  compare: Comparison;
  calibrate: OneRun;
  'rows-open': null;
  'rows-next': RowPiece | null;
};
