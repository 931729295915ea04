// The messages between the page and the thread of links.
import type {
  DescribedModel,
  Diagnostic,
  ExpressionReading,
  LinkAsked,
  MadeLink,
  OpenedLink,
  SplitAsked,
  TraceFigures,
  TraceMark,
} from '../generated/boundary.ts';
import type { TraceRead } from './traceTypes.ts';

export type LinkQuestion =
  /** Reads the contents of a link. */
  | { readonly kind: 'open'; readonly text: string }
  /** The link of a scenario, JSON text, and of a second one if `asked` names a second run. */
  | {
      readonly kind: 'make';
      readonly scenario: string;
      readonly asked: LinkAsked;
      readonly beside: string | undefined;
    }
  /** The digest of the figures of a report, which links carry. */
  | { readonly kind: 'figures'; readonly report: string }
  /** A report under the title and note of a scenario, JSON text, from one of the same run under others. */
  | {
      readonly kind: 'renamed';
      readonly report: string;
      readonly scenario: string;
      readonly title: string;
      readonly note: string;
    }
  /** A report with the link of its run. */
  | { readonly kind: 'report'; readonly report: string; readonly link: string }
  /** Whether a trace is the one named in a link. */
  | { readonly kind: 'trace'; readonly mark: TraceMark; readonly rows: number; readonly digest: string }
  /** The errors of an expression, and completions for the word at the caret. */
  | { readonly kind: 'read-expression'; readonly text: string; readonly caret: number }
  /** A scorer of a weighted router, whose settings are JSON text, as an expression. */
  | { readonly kind: 'as-expression'; readonly weighted: string; readonly index: number }
  /** The edit that a change of roles needs in a scenario, JSON text. */
  | { readonly kind: 'split'; readonly scenario: string; readonly asked: SplitAsked }
  /** The shape of the model that a Hugging Face config.json describes. */
  | { readonly kind: 'architecture'; readonly text: string }
  /** Opens a trace file, takes its next piece, ends it. */
  | { readonly kind: 'trace-open'; readonly name: string; readonly columns?: string | undefined }
  | { readonly kind: 'trace-push'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'trace-finish' }
  /** Takes the rows of a trace that was read. */
  | { readonly kind: 'trace-rows'; readonly packed: Uint8Array<ArrayBuffer> }
  /** The figures of what a run with this seed replays of them under settings of `workload.trace`, JSON text. */
  | { readonly kind: 'trace-figures'; readonly settings: string; readonly seed: number };

export type LinkAnswers = {
  open: OpenedLink;
  /** `null` if the link would be too long. */
  make: MadeLink | null;
  report: string;
  /** `null` for a text that is no report. */
  figures: string | null;
  /** `null` if it is of another scenario. */
  renamed: { readonly json: string; readonly digest: string } | null;
  /** The error; `null` if it is the right one. */
  trace: Diagnostic | null;
  'read-expression': ExpressionReading;
  /** `null` if it has none. */
  'as-expression': string | null;
  /** The edit, JSON text. */
  split: string;
  architecture: DescribedModel;
  'trace-open': null;
  'trace-push': null;
  'trace-finish': TraceRead;
  'trace-rows': null;
  /** `null` if no row is left. */
  'trace-figures': TraceFigures | null;
};
