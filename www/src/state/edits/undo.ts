// Undo and redo. A live edit is removed from the run if the playhead has not passed it, else reverted by an inverse
// edit at the playhead. A change that restarts is undone by the previous document.
import { child, equal, getAt, isObject, type Json, joinPath } from '../../base/json.ts';
import type { NamedRuns } from '../run/namedRuns.ts';
import { amountPath, type Edit, inverse, lengthOf, placedEdits, withEdit, withoutEdit } from './edits.ts';

/** An opened scenario as it was when another one replaced it: with its runs, at an instant. */
export type Opened = {
  readonly document: Json;
  readonly original: Json;
  readonly name: string;
  readonly namedRuns: NamedRuns;
  readonly atUs: number;
};

/** An edit made during the run. */
export type LiveStep = {
  readonly kind: 'live';
  readonly atUs: number;
  readonly edit: Edit;
  readonly back: Edit;
  readonly again: Edit;
  /** The instant of `back` in the run, if that undid the edit. */
  readonly backUs?: number | undefined;
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

/** An edit made at `atUs` while `document` was in force. */
export function liveStep(edit: Edit, document: Json, atUs: number, initial: (path: string) => Json | undefined): Done {
  const after = withEdit(document, edit);
  const amounts = Object.keys(edit.add ?? {}).flatMap((list): [string, Json][] => {
    const index = lengthOf(document, list);
    const path = amountPath(after, list, index);
    const role = `${joinPath(list, index)}.role`;
    const was = getAt(after, role);
    return [
      ...(path === undefined ? [] : [[path, getAt(after, path) ?? 1] as [string, Json]]),
      ...(was === undefined ? [] : [[role, was] as [string, Json]]),
    ];
  });
  // An added entry stays when it is emptied; redo fills it again.
  const again = amounts.length === 0 ? edit : { set: { ...edit.set, ...Object.fromEntries(amounts) } };
  return { kind: 'live', atUs, edit, back: inverse(edit, document, initial), again };
}

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
    return { kind: 'run', document: withoutThis(document, step.edit, step.atUs) ?? document };
  return out(document, step.edit, step.atUs, nowUs) ?? { kind: 'edit', edit: step.back };
}

/** The run without an edit that had no effect yet, if it is there. */
function out(document: Json, edit: Edit, atUs: number, nowUs: number): Plan | undefined {
  const without = atUs >= nowUs ? withoutThis(document, edit, atUs) : undefined;
  return without === undefined ? undefined : { kind: 'run', document: without };
}

/** The document without the latest equal edit at an instant; undefined if there is none. */
export function withoutThis(document: Json, edit: Edit, atUs: number): Json | undefined {
  const at = placedEdits(document).findLastIndex((e) => e.atUs === atUs && isThis(e.edit, edit));
  return at < 0 ? undefined : withoutEdit(document, at);
}

/** The redo of the step undone last: added entries are added again only if they are missing. */
export function redoPlan(step: Done, inForce: Json, document: Json, nowUs: number): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.after };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.after };
  if (step.kind === 'words') return { kind: 'words', words: step.after };
  if (step.kind === 'open') return { kind: 'open', opened: step.after };
  const unmade = step.backUs === undefined ? undefined : out(document, step.back, step.backUs, nowUs);
  if (unmade) return unmade;
  const there = Object.keys(step.again.set ?? {}).every((path) => {
    const list = Object.keys(step.edit.add ?? {}).find((name) => path.startsWith(`${name}[`));
    return list === undefined || getAt(inForce, path) !== undefined;
  });
  return { kind: 'edit', edit: there ? step.again : step.edit };
}

/** Records that the latest step was undone by `plan`, whose edit is at `nowUs`. */
export function undone(history: History, plan: Plan, nowUs: number): History {
  const step = history.done.at(-1);
  if (!step) return history;
  const now = step.kind === 'live' && plan.kind === 'edit' ? { ...step, backUs: nowUs } : step;
  return { done: history.done.slice(0, -1), undone: [...history.undone, now] };
}

/** Records that the step undone last was redone by `plan`, whose edit is at `nowUs`. */
export function redone(history: History, plan: Plan, nowUs: number): History {
  const step = history.undone.at(-1);
  if (!step) return history;
  const now =
    step.kind === 'live' ? { ...step, atUs: plan.kind === 'edit' ? nowUs : step.atUs, backUs: undefined } : step;
  return { done: [...history.done, now], undone: history.undone.slice(0, -1) };
}

/** Whether an edit of the document is the one that was made; the document also writes the defaults of its fault. */
function isThis(found: Edit, made: Edit): boolean {
  return equal(plain(found), plain(made)) && includes(found.fault ?? null, made.fault ?? null);
}

function includes(found: Json | undefined, made: Json): boolean {
  if (!isObject(made)) return equal(found, made);
  return Object.entries(made).every(([key, value]) => isObject(found) && includes(child(found, key), value));
}

function plain(edit: Edit): Json {
  return { set: edit.set ?? {}, add: edit.add ?? {} };
}
