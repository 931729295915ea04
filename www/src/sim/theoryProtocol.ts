// The messages between the page and the thread of laws of queueing theory.
import type { CaseTheory, TheoryOfRun } from '../generated/boundary.ts';

export type TheoryQuestion =
  /**
   * The laws beside a run: its scenario as JSON text, the outcomes of its requests, and a law by name, or nothing for
   * the best.
   */
  | { readonly kind: 'run'; readonly scenario: string; readonly outcomes: Uint8Array; readonly law: string }
  /** The predictions of a law for each case of a sweep. */
  | { readonly kind: 'cases'; readonly scenarios: readonly string[]; readonly law: string };

export type TheoryAnswers = { run: TheoryOfRun; cases: readonly CaseTheory[] };
