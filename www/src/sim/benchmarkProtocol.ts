// What the page and the thread that reads benchmarks and policies and writes rows say to each other.
import type { AdoptedPolicies, Band, Benchmark, Comparison, OneRun } from '../generated/boundary.ts';

export type BenchmarkQuestion =
  /** The runs in a file. */
  | { readonly kind: 'read'; readonly text: string }
  /** One of them beside the same traffic on a scenario's cluster. */
  | { readonly kind: 'compare'; readonly text: string; readonly run: number; readonly scenario: string }
  /** The scenario with the coefficients that the run fixes. */
  | {
      readonly kind: 'calibrate';
      readonly text: string;
      readonly run: number;
      readonly scenario: string;
      readonly file: string;
    }
  /** The bands that the intervals of coefficients make of TTFT and TPOT. */
  | { readonly kind: 'bands'; readonly scenario: string }
  /** What documents of another program make of a scenario; `texts` has the YAML that stands as text within them. All JSON text. */
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
  /** The next piece of these rows; null once all of it has been given. */
  | { readonly kind: 'rows-next' };

/** The tables, and how rows are written, by the names that the command line has for them. */
export const ROW_TABLES = ['requests', 'decisions', 'events', 'series'] as const;
export const ROW_FORMATS = ['csv', 'jsonl'] as const;
export type RowTable = (typeof ROW_TABLES)[number];
export type RowFormat = (typeof ROW_FORMATS)[number];

/** A piece of a file of rows, and how far the run is by then. */
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
