// What the page and the thread of links say to each other.
import type {
  DescribedModel,
  Diagnostic,
  ExpressionReading,
  LinkAsked,
  MadeLink,
  OpenedLink,
  TraceMark,
  TraceOutcome,
} from '../generated/boundary.ts';

/** What became of a trace file: what is told of it, and its columns for the simulation; none if it was refused. */
export type TraceRead = { readonly outcome: TraceOutcome; readonly packed: Uint8Array<ArrayBuffer> };

export type LinkQuestion =
  /** What a link carries. */
  | { readonly kind: 'open'; readonly text: string }
  /** The link of a scenario, JSON text, and of a second one where `asked` names a second run. */
  | {
      readonly kind: 'make';
      readonly scenario: string;
      readonly asked: LinkAsked;
      readonly beside: string | undefined;
    }
  /** A report with the link of what ran. */
  | { readonly kind: 'report'; readonly report: string; readonly link: string }
  /** Whether a trace is the one that a link names. */
  | { readonly kind: 'trace'; readonly mark: TraceMark; readonly rows: number; readonly digest: string }
  /** What is wrong with an expression, and what the word at the caret could become. */
  | { readonly kind: 'read-expression'; readonly text: string; readonly caret: number }
  /** A scorer of a weighted router, whose settings are JSON text, as an expression. */
  | { readonly kind: 'as-expression'; readonly weighted: string; readonly index: number }
  /** The shape of the model that a Hugging Face config.json describes. */
  | { readonly kind: 'architecture'; readonly text: string }
  /** Opens a trace file, takes its next piece, ends it. */
  | { readonly kind: 'trace-open'; readonly name: string }
  | { readonly kind: 'trace-push'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'trace-finish' };

export type LinkAnswers = {
  open: OpenedLink;
  /** `null` where the link would be too long. */
  make: MadeLink | null;
  report: string;
  /** What is wrong with it; `null` if it is the one. */
  trace: Diagnostic | null;
  'read-expression': ExpressionReading;
  /** `null` where it is none. */
  'as-expression': string | null;
  architecture: DescribedModel;
  'trace-open': null;
  'trace-push': null;
  'trace-finish': TraceRead;
};
