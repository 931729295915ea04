// The runs of a scenario: an edit in the past begins another run and keeps the old one, which can be shown again.
import { equal, type Json } from '../../base/json.ts';
import type { RunFigures } from '../../generated/boundary.ts';

/** A run: its document with its edits, and its figures from when it was last on screen. */
export type NamedRun = {
  readonly id: number;
  readonly name: string;
  readonly document: Json;
  readonly figures: RunFigures | undefined;
};

/** Empty while there is only one run. */
export type NamedRuns = { readonly all: readonly NamedRun[]; readonly shown: number };

export const NO_NAMED_RUNS: NamedRuns = { all: [], shown: 0 };

/**
 * After an edit in the past of the run on screen: that run is kept, and the one of `next` is on screen. If another run
 * equals the one left, none is added: the run on screen becomes that of `next`.
 */
export function namedRunsAfter(namedRuns: NamedRuns, left: Omit<NamedRun, 'id' | 'name'>, next: Json): NamedRuns {
  const kept = namedRuns.all.some((c) => c.id !== namedRuns.shown && equal(c.document, left.document));
  return kept ? changed(namedRuns, next) : branched(namedRuns, left, next);
}

/** Keeps the run on screen, and shows another one, of `next`, from now on. */
export function branched(namedRuns: NamedRuns, left: Omit<NamedRun, 'id' | 'name'>, next: Json): NamedRuns {
  const known: NamedRuns =
    namedRuns.all.length > 0 ? namedRuns : { all: [{ id: 1, name: 'Run 1', ...left }], shown: 1 };
  const begun = unseen(known, { document: next });
  return { all: [...withNamedRun(known, known.shown, left).all, begun], shown: begun.id };
}

/** Adds a run with a name that was not on screen yet, such as the second run of a link. */
export function withSecondRun(shown: Json, second: Pick<NamedRun, 'name' | 'document'>): NamedRuns {
  const first: NamedRuns = {
    all: [{ id: 1, name: 'Run 1', document: shown, figures: undefined }],
    shown: 1,
  };
  return { ...first, all: [...first.all, unseen(first, second)] };
}

function unseen(known: NamedRuns, run: { readonly name?: string; readonly document: Json }): NamedRun {
  const id = Math.max(...known.all.map((c) => c.id)) + 1;
  return { name: `Run ${id}`, ...run, id, figures: undefined };
}

export function shownOf(namedRuns: NamedRuns): NamedRun | undefined {
  return namedRuns.all.find((c) => c.id === namedRuns.shown);
}

/** The second run of a link beside the one on screen: the latest of the others. */
export function besides(namedRuns: NamedRuns): NamedRun | undefined {
  return namedRuns.all.findLast((c) => c.id !== namedRuns.shown);
}

/** Puts a document on screen: shows its run, or else the run on screen becomes it. */
export function namedRunOf(namedRuns: NamedRuns, document: Json): NamedRuns {
  if (namedRuns.all.length === 0) return namedRuns;
  const same = namedRuns.all.filter((c) => equal(c.document, document));
  const found = same.find((c) => c.id === namedRuns.shown) ?? same[0];
  return found ? { ...namedRuns, shown: found.id } : changed(namedRuns, document);
}

/** The run on screen becomes that of `document`, which has no figures yet. */
function changed(namedRuns: NamedRuns, document: Json): NamedRuns {
  return withNamedRun(namedRuns, namedRuns.shown, { document, figures: undefined });
}

export function withNamedRun(namedRuns: NamedRuns, id: number, change: Partial<Omit<NamedRun, 'id'>>): NamedRuns {
  return { ...namedRuns, all: namedRuns.all.map((c) => (c.id === id ? { ...c, ...change } : c)) };
}
