// Actions on the runs listed beside the one on screen. Loaded with the panels that use them.
import { equal, type Json } from '../../base/json.ts';
import { type PlacedEdit, placedEdits, samePlaced } from '../edits/edits.ts';
import type { DocumentSlice } from '../slices/document.ts';
import { type NamedRun, type NamedRuns, withNamedRun } from './namedRuns.ts';

/** The part of the document slice used by listed runs. */
type Listing = Pick<DocumentSlice, 'current' | 'namedRuns' | 'listRuns' | 'refreshNamedRun' | 'branch' | 'restartWith'>;

/** Shows another run, at the instant shown. */
export async function showNamedRun(document: Listing, run: NamedRun): Promise<void> {
  await document.refreshNamedRun();
  await document.restartWith(run.document);
}

/** Keeps the run on screen under its name and shows the run of another document, at the same instant. */
export async function applyAsRun(document: Listing, next: Json): Promise<boolean> {
  if (equal(next, document.current())) return true;
  const known = document.namedRuns().all.find((run) => equal(run.document, next));
  if (known) {
    await showNamedRun(document, known);
    return equal(next, document.current());
  }
  await document.branch();
  return document.restartWith(next);
}

export function renameNamedRun(document: Listing, id: number, name: string): void {
  document.listRuns(withNamedRun(document.namedRuns(), id, { name }));
}

export function removeNamedRun(document: Listing, id: number): void {
  document.listRuns(withoutNamedRun(document.namedRuns(), id));
}

/** Removes a run; the one on screen stays. */
export function withoutNamedRun(namedRuns: NamedRuns, id: number): NamedRuns {
  return id === namedRuns.shown ? namedRuns : { ...namedRuns, all: namedRuns.all.filter((c) => c.id !== id) };
}

/** The edits that only a run has, and those that only another has. */
export type OwnEdits = { readonly has: readonly PlacedEdit[]; readonly lacks: readonly PlacedEdit[] };

export function ownEdits(run: Json, other: Json): OwnEdits {
  const beside = (some: Json, from: Json): readonly PlacedEdit[] =>
    placedEdits(some).filter((a) => !placedEdits(from).some((b) => samePlaced(a, b)));
  return { has: beside(run, other), lacks: beside(other, run) };
}
