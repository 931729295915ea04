// What the reader of traces finds in a file.
import type { TraceInspection, TraceOutcome } from '../generated/boundary.ts';

export type {
  TraceBin,
  TraceFigures,
  TraceFound,
  TraceInspection,
  TraceLengths,
  TraceLines,
  TraceName,
} from '../generated/boundary.ts';

/**
 * The result of reading a trace file: its summary, and its columns for the simulation, which are missing if it was
 * refused; and what it is like.
 */
export type TraceRead = {
  readonly outcome: TraceOutcome;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly inspection: TraceInspection | null;
};

/** What is done to the rows of a trace before they run, in this order; a change that is missing is not made. */
export type TraceChanges = {
  readonly window?: { readonly start_s: number; readonly length_s: number };
  readonly speed?: number;
  readonly subsample?: number;
  readonly max_prompt_tokens?: number;
  readonly max_output_tokens?: number;
  readonly jitter_s?: number;
};
