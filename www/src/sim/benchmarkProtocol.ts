// The messages between the page and the thread that reads benchmarks and writes rows.
import type { Band, Benchmark, Comparison, OneRun, ToldLoad } from '../generated/boundary.ts';

export type BenchmarkQuestion =
  /** The runs in a file. */
  | { readonly kind: 'read'; readonly text: string }
  /** One run beside the same traffic on a scenario's cluster, with the load that the user gives. */
  | {
      readonly kind: 'compare';
      readonly text: string;
      readonly run: number;
      readonly scenario: string;
      readonly load: ToldLoad;
    }
  /** The scenario with the coefficients that the run determines. */
  | {
      readonly kind: 'calibrate';
      readonly text: string;
      readonly run: number;
      readonly scenario: string;
      readonly load: ToldLoad;
      readonly file: string;
    }
  /** The ranges of TTFT and TPOT that follow from the intervals of coefficients. */
  | { readonly kind: 'bands'; readonly scenario: string }
  /** Begins a run for a file. */
  | (FileKind & {
      readonly kind: 'rows-open';
      readonly scenario: string;
      /** The trace that the scenario replays. */
      readonly trace: Blob | undefined;
      /** The part of the run that a trace for Perfetto holds, in microseconds. */
      readonly spanUs?: readonly [number, number] | undefined;
      /** The address that a page gives for the run. */
      readonly link?: string;
    })
  /** The next piece of the file; null after the last. */
  | { readonly kind: 'rows-next' }
  /** What the file holds, if it has no room for all; empty otherwise. */
  | { readonly kind: 'rows-note' };

/** A file that is made of a whole run: rows, a trace for Perfetto, a page. */
export type FileKind =
  | { readonly table: RowTable; readonly format: RowFormat }
  | { readonly table: 'perfetto'; readonly format: 'json' }
  | { readonly table: 'page'; readonly format: 'html' };

/** The tables and the formats of rows, by their names on the command line. */
export const ROW_TABLES = ['requests', 'decisions', 'events', 'series', 'scaling'] as const;
export const ROW_FORMATS = ['csv', 'jsonl'] as const;
export type RowTable = (typeof ROW_TABLES)[number];
export type RowFormat = (typeof ROW_FORMATS)[number];

/** A piece of a file of rows, and the progress of the run. */
export type RowPiece = { readonly bytes: Uint8Array<ArrayBuffer>; readonly nowUs: number };

export type BenchmarkAnswers = {
  bands: readonly Band[];
  read: readonly Benchmark[];
  compare: Comparison;
  calibrate: OneRun;
  'rows-open': null;
  'rows-next': RowPiece | null;
  'rows-note': string;
};
