// Edits undone by inverse edits after they had effects: the notice about them, and the run without both. Loaded with
// the first.
import type { Json } from '../../base/json.ts';
import { clock } from '../../base/units.ts';
import { withoutWritten } from './edits.ts';
import type { History, LiveStep } from './undo.ts';

/** The document without edits undone by inverse edits and without these, and the instant of the earliest. */
export function withoutReverted(history: History, document: Json): { document: Json; fromUs: number } | undefined {
  const steps = history.undone.filter((step) => step.kind === 'live').filter((step) => step.reverted !== undefined);
  if (steps.length === 0) return undefined;
  const without = steps
    .flatMap(({ made, reverted }) => (reverted ? [reverted, made] : []))
    .reduce((now, { written }) => withoutWritten(now, written) ?? now, document);
  return { document: without, fromUs: Math.min(...steps.map((step) => step.made.atUs)) };
}

/** The notice about edits undone by inverse ones, at `nowUs`, and its action. */
export function revertedNotice(step: LiveStep, nowUs: number, fromUs: number): { text: string; action: string } {
  return {
    text: `The edit at ${clock(step.made.atUs)} s already had effects: another edit at ${clock(nowUs)} s reverts it.`,
    action: `Go back to ${clock(fromUs)} s without it`,
  };
}

/** No undone edit has an inverse in the run any more. */
export function forgotten(history: History): History {
  return {
    ...history,
    undone: history.undone.map((step) => (step.kind === 'live' ? { ...step, reverted: undefined } : step)),
  };
}
