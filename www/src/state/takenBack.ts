// Edits that have acted and were taken back by further ones: what is said of that, and the run without both. Loaded with the first.
import type { Json } from '../base/json.ts';
import { clock } from '../base/units.ts';
import { type History, type LiveStep, withoutThis } from './undo.ts';

/** The document without edits that were undone by further edits, and without these; where the earliest of them was. */
export function takenOut(history: History, document: Json): { document: Json; fromUs: number } | undefined {
  const steps = history.undone.filter((step) => step.kind === 'live').filter((step) => step.backUs !== undefined);
  if (steps.length === 0) return undefined;
  const without = steps.reduce((now, { edit, atUs, back, backUs }) => {
    const one = withoutThis(now, back, backUs ?? 0) ?? now;
    return withoutThis(one, edit, atUs) ?? one;
  }, document);
  return { document: without, fromUs: Math.min(...steps.map((step) => step.atUs)) };
}

/** What is said of edits that were taken back by further ones, at `nowUs`, and what is offered. */
export function takenBackSaid(step: LiveStep, nowUs: number, fromUs: number): { text: string; action: string } {
  return {
    text: `The edit at ${clock(step.atUs)} s has acted since: another edit at ${clock(nowUs)} s takes it back.`,
    action: `Go back to ${clock(fromUs)} s without it`,
  };
}

/** Nothing that was undone has a further edit in the run any more. */
export function forgotten(history: History): History {
  return {
    ...history,
    undone: history.undone.map((step) => (step.kind === 'live' ? { ...step, backUs: undefined } : step)),
  };
}
