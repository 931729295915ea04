// Undo and redo. A live edit is taken back by another edit at the playhead, a change that restarts by the document before it.
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

/** Something that was done and can be undone. */
export type Done =
  | { readonly kind: 'live'; readonly atUs: number; readonly edit: Edit; readonly back: Edit; readonly again: Edit }
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

/** How the latest step is undone. An edit that lies ahead of the playhead is taken out of the list. */
export function undoPlan(step: Done, document: Json, nowUs: number): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.before };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.before };
  if (step.kind === 'open') return { kind: 'open', opened: step.before };
  const ahead =
    step.atUs > nowUs
      ? placedEdits(document).findIndex((e) => e.atUs === step.atUs && equal(plain(e.edit), plain(step.edit)))
      : -1;
  return ahead < 0 ? { kind: 'edit', edit: step.back } : { kind: 'run', document: withoutEdit(document, ahead) };
}

/** How the step undone last is done again: what it added is added once more only where it is not there. */
export function redoPlan(step: Done, inForce: Json): Plan {
  if (step.kind === 'restart') return { kind: 'run', document: step.after };
  if (step.kind === 'runs') return { kind: 'runs', namedRuns: step.after };
  if (step.kind === 'open') return { kind: 'open', opened: step.after };
  const there = Object.keys(step.again.set ?? {}).every((path) => {
    const list = Object.keys(step.edit.add ?? {}).find((name) => path.startsWith(`${name}[`));
    return list === undefined || getAt(inForce, path) !== undefined;
  });
  return { kind: 'edit', edit: there ? step.again : step.edit };
}

export function undone(history: History): History {
  const step = history.done.at(-1);
  return step ? { done: history.done.slice(0, -1), undone: [...history.undone, step] } : history;
}

/** The step undone last is done again, an edit at `nowUs`. */
export function redone(history: History, nowUs: number): History {
  const step = history.undone.at(-1);
  if (!step) return history;
  const now = step.kind === 'live' ? { ...step, atUs: nowUs } : step;
  return { done: [...history.done, now], undone: history.undone.slice(0, -1) };
}

function plain(edit: Edit): Json {
  return { set: edit.set ?? {}, add: edit.add ?? {} };
}
