// The runs of a scenario: an edit in the past begins another one and leaves the old one as it was, to be gone back to.
import { equal, type Json } from '../base/json.ts';
import type { RunFigures } from '../generated/boundary.ts';

/** A run: its document with its edits, and what the core said of it when it was last on screen. */
export type NamedRun = {
  readonly id: number;
  readonly name: string;
  readonly document: Json;
  readonly figures: RunFigures | undefined;
};

/** None while there is but one run. */
export type NamedRuns = { readonly all: readonly NamedRun[]; readonly shown: number };

export const NO_NAMED_RUNS: NamedRuns = { all: [], shown: 0 };

/**
 * After an edit in the past of the run on screen: that run stays as it was left, and the one of `next` is on screen. Where another
 * run is the same as the one that was left, nothing is lost: the run on screen becomes that of `next`.
 */
export function namedRunsAfter(namedRuns: NamedRuns, left: Omit<NamedRun, 'id' | 'name'>, next: Json): NamedRuns {
  const kept = namedRuns.all.some((c) => c.id !== namedRuns.shown && equal(c.document, left.document));
  return kept ? changed(namedRuns, next) : branched(namedRuns, left, next);
}

/** The run on screen stays as it is, and another one, of `next`, is on screen from now on. */
export function branched(namedRuns: NamedRuns, left: Omit<NamedRun, 'id' | 'name'>, next: Json): NamedRuns {
  const known: NamedRuns =
    namedRuns.all.length > 0 ? namedRuns : { all: [{ id: 1, name: 'Run 1', ...left }], shown: 1 };
  const begun = unseen(known, { document: next });
  return { all: [...withNamedRun(known, known.shown, left).all, begun], shown: begun.id };
}

/** With a run of that name which was not on screen yet, such as the second run of a link. */
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

/** The run that a link carries beside the one on screen: the latest of the others. */
export function besides(namedRuns: NamedRuns): NamedRun | undefined {
  return namedRuns.all.findLast((c) => c.id !== namedRuns.shown);
}

/** A document is on screen: the run that it belongs to is shown, else the run on screen has become this. */
export function namedRunOf(namedRuns: NamedRuns, document: Json): NamedRuns {
  if (namedRuns.all.length === 0) return namedRuns;
  const same = namedRuns.all.filter((c) => equal(c.document, document));
  const found = same.find((c) => c.id === namedRuns.shown) ?? same[0];
  return found ? { ...namedRuns, shown: found.id } : changed(namedRuns, document);
}

/** The run on screen has become that of `document`, of which nothing is known yet. */
function changed(namedRuns: NamedRuns, document: Json): NamedRuns {
  return withNamedRun(namedRuns, namedRuns.shown, { document, figures: undefined });
}

export function withNamedRun(namedRuns: NamedRuns, id: number, change: Partial<Omit<NamedRun, 'id'>>): NamedRuns {
  return { ...namedRuns, all: namedRuns.all.map((c) => (c.id === id ? { ...c, ...change } : c)) };
}
