// Notices of the page, and the wording of problems with the input.
import type { Diagnostic, TraceSummary } from '../../generated/boundary.ts';
import type { Crash } from '../../sim/client.ts';

export type Notice =
  | { readonly kind: 'crash'; readonly crash: Crash }
  /** An action that needs the user's consent. */
  | { readonly kind: 'ask'; readonly text: string; readonly action: string; readonly run: () => void }
  | { readonly kind: 'info'; readonly text: string; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'problem'; readonly text: string };

export type TraceReading = {
  readonly name: string;
  readonly size: number;
  readonly read: number;
  readonly done: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: TraceSummary | null;
  /** Ends the reading, if that is possible. */
  readonly cancel?: (() => void) | undefined;
};

/** Keeps each problem by its field; one without a field belongs to the changed field. */
export function byPath(diagnostics: readonly Diagnostic[], fallback: string): ReadonlyMap<string, Diagnostic> {
  const map = new Map<string, Diagnostic>();
  for (const d of diagnostics) {
    // Problems that a change causes in other fields are shown at the changed field.
    const path = fallback !== '' && !d.path.startsWith(fallback) ? fallback : d.path;
    if (!map.has(path)) map.set(path, d);
  }
  return map;
}

/**
 * The problems after the document was accepted with a change at `path`: its new warnings, and earlier refused input of
 * other fields.
 */
export function ofDocument(
  before: ReadonlyMap<string, Diagnostic>,
  diagnostics: readonly Diagnostic[],
  path: string,
): ReadonlyMap<string, Diagnostic> {
  const refused = [...before].filter(([at, d]) => d.severity === 'error' && !at.startsWith(path));
  return new Map([...refused, ...byPath(diagnostics, '')]);
}

/** A problem in one line. */
export function explain(d: Diagnostic): string {
  const where = d.path === '' ? '' : `${d.path}: `;
  // The nearest name is what the reader wants; all names come after it.
  if (d.fix.startsWith('did you mean'))
    return `${where}${d.found}. D${d.fix.slice(1)}${d.allowed === '' ? '' : ` Allowed: ${d.allowed}.`}`;
  const fix = d.fix === '' ? '' : `; ${d.fix}`;
  // A problem without allowed values is a sentence.
  return d.allowed === '' ? `${where}${d.found}${fix}` : `${where}found ${d.found}; allowed: ${d.allowed}${fix}`;
}
