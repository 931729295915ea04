// Undo and redo. A live edit is removed from the run if the playhead has not passed it, else reverted by an inverse
// edit at the playhead. A change that restarts is undone by the previous document.
import { getAt, type Json } from '../../base/json.ts';
import type { NamedRuns } from '../run/namedRuns.ts';
import { type Edit, withoutWritten } from './edits.ts';

/** An opened scenario as it was when another one replaced it: with its runs, at an instant. */
export type Opened = {
  readonly document: Json;
  readonly original: Json;
  readonly name: string;
  readonly namedRuns: NamedRuns;
  readonly atUs: number;
};

/** An edit in the document of the run: its instant, and how the document writes it. */
export type MadeEdit = { readonly atUs: number; readonly written: Json };

/** An edit made during the run, with what takes it back and makes it again, as the simulation says. */
export type LiveStep = {
  readonly kind: 'live';
  readonly made: MadeEdit;
  readonly edit: Edit;
  readonly back: Edit;
  readonly again: Edit;
  /** The paths of the entries that it added. */
  readonly added: readonly string[];
  /** `back` in the run, if that undid the edit. */
  readonly reverted?: MadeEdit | undefined;
};

/** A step that can be undone. */
export type Done =
  | LiveStep
  | { readonly kind: 'restart'; readonly before: Json; readonly after: Json }
  | { readonly kind: 'runs'; readonly before: NamedRuns; readonly after: NamedRuns }
  | { readonly kind: 'words'; readonly before: Words; readonly after: Words }
  | { readonly kind: 'open'; readonly before: Opened; readonly after: Opened };

/** The title or the note of a run: they change no result. */
export type Words = { readonly path: 'title' | 'note'; readonly text: string };

export type History = { readonly done: readonly Done[]; readonly undone: readonly Done[] };

/** How a step of the history is carried out: by an edit at the playhead, by the run of another document, by another list of runs, or by opening a scenario. */
export type Plan =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'run'; readonly document: Json }
  | { readonly kind: 'runs'; readonly namedRuns: NamedRuns }
  | { readonly kind: 'words'; readonly words: Words }
  | { readonly kind: 'open'; readonly opened: Opened };

export const NO_HISTORY: History = { done: [], undone: [] };
const MOST_STEPS = 200;

export function recorded(history: History, step: Done): History {
  return { done: [...history.done, step].slice(-MOST_STEPS), undone: [] };
}

/**
 * The undo of the latest step. An edit at the instant where the run rests, or ahead, is removed, because it had no
 * effect yet.
 */
export function undoPlan(step: Done, document: Json, nowUs: number): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.before };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.before };
  if (step.kind === 'words') return { kind: 'words', words: step.before };
  if (step.kind === 'open') return { kind: 'open', opened: step.before };
  // Nothing reverts a fault: the run goes on as if it had not happened.
  if (step.edit.fault !== undefined)
    return { kind: 'run', document: withoutWritten(document, step.made.written) ?? document };
  return out(document, step.made, nowUs) ?? { kind: 'edit', edit: step.back };
}

/** The run without an edit that had no effect yet, if it is there. */
function out(document: Json, { atUs, written }: MadeEdit, nowUs: number): Plan | undefined {
  const without = atUs >= nowUs ? withoutWritten(document, written) : undefined;
  return without === undefined ? undefined : { kind: 'run', document: without };
}

/** The redo of the step undone last: added entries are added again only if they are missing. */
export function redoPlan(step: Done, inForce: Json, document: Json, nowUs: number): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.after };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.after };
  if (step.kind === 'words') return { kind: 'words', words: step.after };
  if (step.kind === 'open') return { kind: 'open', opened: step.after };
  const unmade = step.reverted && out(document, step.reverted, nowUs);
  if (unmade) return unmade;
  const remain = step.added.every((entry) => getAt(inForce, entry) !== undefined);
  return { kind: 'edit', edit: remain ? step.again : step.edit };
}

/** Records that the latest step was undone by `plan`, whose edit is `made`. */
export function undone(history: History, plan: Plan, made: MadeEdit | undefined): History {
  const step = history.done.at(-1);
  if (!step) return history;
  const now = step.kind === 'live' && plan.kind === 'edit' ? { ...step, reverted: made } : step;
  return { done: history.done.slice(0, -1), undone: [...history.undone, now] };
}

/** Records that the step undone last was redone by `plan`, whose edit is `made`. */
export function redone(history: History, plan: Plan, made: MadeEdit | undefined): History {
  const step = history.undone.at(-1);
  if (!step) return history;
  const again = plan.kind === 'edit' ? made : undefined;
  const now = step.kind === 'live' ? { ...step, made: again ?? step.made, reverted: undefined } : step;
  return { done: [...history.done, now], undone: history.undone.slice(0, -1) };
}
