// What the reader of traces finds in a file.

export type {
  TraceBin,
  TraceFigures,
  TraceFound,
  TraceInspection,
  TraceLengths,
  TraceLines,
  TraceName,
  TraceRead,
} from '../generated/boundary.ts';

/** What is done to the rows of a trace before they run, in this order; a change that is missing is not made. */
export type TraceChanges = {
  readonly window?: { readonly start_s: number; readonly length_s: number };
  readonly speed?: number;
  readonly subsample?: number;
  readonly max_prompt_tokens?: number;
  readonly max_output_tokens?: number;
  readonly jitter_s?: number;
};
