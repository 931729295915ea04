// What the page tells the reader, and how a problem with the input is put into words.
import type { Diagnostic, TraceSummary } from '../generated/boundary.ts';
import type { Crash } from '../sim/client.ts';

export type Notice =
  | { readonly kind: 'crash'; readonly crash: Crash }
  /** Something that goes on only when the reader says so. */
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
};

/** Keeps each problem by its field; one that names no field belongs to the field that was being changed. */
export function byPath(diagnostics: readonly Diagnostic[], fallback: string): ReadonlyMap<string, Diagnostic> {
  const map = new Map<string, Diagnostic>();
  for (const d of diagnostics) {
    // Problems of other fields that a change brings about are shown at the field that was changed.
    const path = fallback !== '' && !d.path.startsWith(fallback) ? fallback : d.path;
    if (!map.has(path)) map.set(path, d);
  }
  return map;
}

/**
 * What is known to be wrong after the document was accepted with a change at `path`: its warnings anew, and what is typed into
 * other fields and was refused before.
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
  const fix = d.fix === '' ? '' : `; ${d.fix}`;
  // What nothing is allowed beside is a sentence.
  return d.allowed === '' ? `${where}${d.found}${fix}` : `${where}found ${d.found}; allowed: ${d.allowed}${fix}`;
}
