// What the reader of traces finds in a file.
import type { Diagnostic, TraceOutcome, TraceSummary } from '../generated/boundary.ts';

export type TraceBin = { readonly from: number; readonly to: number; readonly count: number };

/** Lengths in tokens. */
export type TraceLengths = {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly bins: readonly TraceBin[];
};

/** Requests with a name, such as that of a tenant; empty for none. */
export type TraceName = { readonly name: string; readonly requests: number };

/** Rows with something in common, and the lines of the first of them. */
export type TraceLines = {
  readonly why: string;
  readonly left_out: boolean;
  readonly rows: number;
  readonly lines: readonly number[];
};

/** What was found in a file, each with its evidence. */
export type TraceFound = {
  readonly format: string;
  readonly format_evidence: string;
  readonly unit: string;
  readonly unit_evidence: string;
  readonly block_tokens: number;
  readonly block_evidence: string;
  readonly has_sessions: boolean;
  readonly not_read: readonly string[];
  readonly lines: number;
  readonly odd: readonly TraceLines[];
};

/** What a trace is like, before anything runs. */
export type TraceInspection = {
  readonly summary: TraceSummary;
  readonly found: TraceFound;
  readonly started: string | null;
  readonly rate: {
    readonly mean_per_s: number;
    readonly peak_per_s: number;
    readonly bucket_s: number;
    readonly requests: readonly number[];
  };
  readonly prompt: TraceLengths;
  readonly output: TraceLengths;
  /** What an ideal cache finds again, by its size; null if no two prompts share text. */
  readonly reuse: {
    readonly unbounded: number;
    readonly distinct_tokens: number;
    readonly points: readonly { readonly tokens: number; readonly share: number }[];
    readonly requests: number;
  } | null;
  readonly sessions: {
    readonly sessions: number;
    readonly requests: number;
    readonly mean_requests: number;
    readonly bins: readonly TraceBin[];
    readonly gap_p50_s: number | null;
    readonly gap_p99_s: number | null;
  } | null;
  readonly arrivals: { readonly at_once: number; readonly step_s: number; readonly is_coarse: boolean };
  readonly repeated_ids: number;
  readonly repeated_rows: number;
  readonly tenants: readonly TraceName[];
  readonly classes: readonly TraceName[];
  readonly models: readonly TraceName[];
  readonly adapters: readonly TraceName[];
  readonly problems: readonly Diagnostic[];
};

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
