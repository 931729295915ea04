// Refusals of the module, which throws a list of diagnostics.
import type { Diagnostic } from '../generated/boundary.ts';

/** A refusal: the user's input is at fault, not the program. */
export class Refused extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super('refused');
    this.diagnostics = diagnostics;
  }
}

/** Runs a call that the module may refuse by throwing a list of diagnostics. */
export function refusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (Array.isArray(error)) throw new Refused(error);
    throw error;
  }
}
