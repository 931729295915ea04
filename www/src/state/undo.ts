// Undo and redo. A live edit is taken out of the run where the playhead has not passed it, else taken back by another edit at the
// playhead; a change that restarts is undone by the document before it.
import { equal, getAt, type Json } from '../base/json.ts';
import { amountPath, type Edit, inverse, lengthOf, placedEdits, withEdit, withoutEdit } from './edits.ts';
import type { NamedRuns } from './namedRuns.ts';

/** A scenario that was opened, as it was when another one took its place: with its runs, at an instant. */
export type Opened = {
  readonly document: Json;
  readonly original: Json;
  readonly name: string;
  readonly namedRuns: NamedRuns;
  readonly atUs: number;
};

/** An edit that was made while the run went on. */
export type LiveStep = {
  readonly kind: 'live';
  readonly atUs: number;
  readonly edit: Edit;
  readonly back: Edit;
  readonly again: Edit;
  /** Where `back` was put into the run, if the edit was undone by that. */
  readonly backUs?: number | undefined;
};

/** Something that was done and can be undone. */
export type Done =
  | LiveStep
  | { readonly kind: 'restart'; readonly before: Json; readonly after: Json }
  | { readonly kind: 'runs'; readonly before: NamedRuns; readonly after: NamedRuns }
  | { readonly kind: 'open'; readonly before: Opened; readonly after: Opened };

export type History = { readonly done: readonly Done[]; readonly undone: readonly Done[] };

/** How a step of the history is carried out: by an edit at the playhead, by the run of another document, by another list of runs, or by opening a scenario. */
export type Plan =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'run'; readonly document: Json }
  | { readonly kind: 'runs'; readonly namedRuns: NamedRuns }
  | { readonly kind: 'open'; readonly opened: Opened };

export const NO_HISTORY: History = { done: [], undone: [] };
const MOST_STEPS = 200;

/** An edit made at `atUs` while `document` was in force. */
export function liveStep(edit: Edit, document: Json, atUs: number, initial: (path: string) => Json | undefined): Done {
  const after = withEdit(document, edit);
  const amounts = Object.keys(edit.add ?? {}).flatMap((list): [string, Json][] => {
    const path = amountPath(after, list, lengthOf(document, list));
    return path === undefined ? [] : [[path, getAt(after, path) ?? 1]];
  });
  // What was added stays when it is emptied: done again, it is filled again.
  const again = amounts.length === 0 ? edit : { set: { ...edit.set, ...Object.fromEntries(amounts) } };
  return { kind: 'live', atUs, edit, back: inverse(edit, document, initial), again };
}

export function recorded(history: History, step: Done): History {
  return { done: [...history.done, step].slice(-MOST_STEPS), undone: [] };
}

/** How the latest step is undone. An edit that the run rests at, or that lies ahead, is taken out: it has not acted yet. */
export function undoPlan(step: Done, document: Json, nowUs: number): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.before };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.before };
  if (step.kind === 'open') return { kind: 'open', opened: step.before };
  return out(document, step.edit, step.atUs, nowUs) ?? { kind: 'edit', edit: step.back };
}

/** The run without an edit that has not acted yet, if it is there. */
function out(document: Json, edit: Edit, atUs: number, nowUs: number): Plan | undefined {
  const without = atUs >= nowUs ? withoutThis(document, edit, atUs) : undefined;
  return without === undefined ? undefined : { kind: 'run', document: without };
}

/** The document without the latest edit at an instant that does the same; undefined where there is none. */
export function withoutThis(document: Json, edit: Edit, atUs: number): Json | undefined {
  const at = placedEdits(document).findLastIndex((e) => e.atUs === atUs && equal(plain(e.edit), plain(edit)));
  return at < 0 ? undefined : withoutEdit(document, at);
}

/** How the step undone last is done again: what it added is added once more only where it is not there. */
export function redoPlan(step: Done, inForce: Json, document: Json, nowUs: number): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.after };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.after };
  if (step.kind === 'open') return { kind: 'open', opened: step.after };
  const unmade = step.backUs === undefined ? undefined : out(document, step.back, step.backUs, nowUs);
  if (unmade) return unmade;
  const there = Object.keys(step.again.set ?? {}).every((path) => {
    const list = Object.keys(step.edit.add ?? {}).find((name) => path.startsWith(`${name}[`));
    return list === undefined || getAt(inForce, path) !== undefined;
  });
  return { kind: 'edit', edit: there ? step.again : step.edit };
}

/** The latest step is undone: by `plan`, whose edit is at `nowUs`. */
export function undone(history: History, plan: Plan, nowUs: number): History {
  const step = history.done.at(-1);
  if (!step) return history;
  const now = step.kind === 'live' && plan.kind === 'edit' ? { ...step, backUs: nowUs } : step;
  return { done: history.done.slice(0, -1), undone: [...history.undone, now] };
}

/** The step undone last is done again: by `plan`, whose edit is at `nowUs`. */
export function redone(history: History, plan: Plan, nowUs: number): History {
  const step = history.undone.at(-1);
  if (!step) return history;
  const now =
    step.kind === 'live' ? { ...step, atUs: plan.kind === 'edit' ? nowUs : step.atUs, backUs: undefined } : step;
  return { done: [...history.done, now], undone: history.undone.slice(0, -1) };
}

function plain(edit: Edit): Json {
  return { set: edit.set ?? {}, add: edit.add ?? {} };
}
