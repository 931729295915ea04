// The messages between the page and the thread of what-if questions.
import type { ExplainQuery, Explanation, WhatIf, WhatIfQuery } from '../generated/boundary.ts';

/** The run in question: a scenario as JSON text, and the file of its trace if it replays one. */
export type AskedRun = { readonly scenario: string; readonly trace: File | undefined };

export type WhatIfQuestion =
  /** One routing decision and its alternatives. */
  | { readonly kind: 'what-if'; readonly run: AskedRun; readonly query: WhatIfQuery }
  /** Runs ahead what such a question needs, for a quicker answer. */
  | { readonly kind: 'prepare'; readonly run: AskedRun; readonly query: WhatIfQuery }
  /** Why slow requests are slow. */
  | { readonly kind: 'explain'; readonly run: AskedRun; readonly query: ExplainQuery }
  /** The same as Markdown. */
  | { readonly kind: 'explain-markdown'; readonly run: AskedRun; readonly query: ExplainQuery };

export type WhatIfAnswers = {
  'what-if': WhatIf;
  prepare: undefined;
  explain: Explanation;
  'explain-markdown': string;
};
