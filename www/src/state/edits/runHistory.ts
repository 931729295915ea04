// Undo and redo for the run on screen; undo.ts plans each step.
import { writeDocument } from '../../base/text.ts';
import { namedRunOf } from '../run/namedRuns.ts';
import type { Loading } from '../run/runLoading.ts';
import type { RunProblems, RunState, Surroundings } from '../run/runState.ts';
import type { Live } from './runEdits.ts';
import { type Done, type LiveStep, type Plan, redone, redoPlan, undone, undoPlan } from './undo.ts';

type CarryOut = (plan: Plan) => Promise<boolean>;

/** The actions that carry out a step of the history. */
export function createCarrying(
  { aim }: Surroundings,
  { document, setNamedRuns, nowUs, setWords }: RunState,
  { load, run }: Loading,
  { applyLive }: Live,
  { attempt }: RunProblems,
): CarryOut {
  /** Returns whether the step was taken. */
  return async function carryOut(plan: Plan): Promise<boolean> {
    switch (plan.kind) {
      case 'edit':
        return applyLive([plan.edit], '', false);
      case 'run':
        return run(plan.document, aim() ?? nowUs(), '');
      case 'runs':
        setNamedRuns(namedRunOf(plan.namedRuns, document()));
        return true;
      case 'words':
        setWords(plan.words);
        return true;
      case 'open': {
        const { opened: again } = plan;
        return attempt(() =>
          load(writeDocument(again.document), false, again.atUs, (next) => ({ ...again, document: next })),
        );
      }
    }
  };
}

export function createHistory(page: Surroundings, state: RunState, { run }: Loading, carryOut: CarryOut) {
  const { playsOn, setNotice } = page;
  const { document, inForce, history, setHistory, latest, nowUs } = state;

  /** Steps run one after the other: keys come faster than answers, and each key counts. */
  let steps: Promise<void> = Promise.resolve();
  function stepHistory(
    next: () => Done | undefined,
    planned: (step: Done) => Plan,
    then: (plan: Plan, step: Done) => void,
  ): Promise<void> {
    steps = steps.then(async () => {
      const step = next();
      if (!step) return;
      const plan = planned(step);
      if (await carryOut(plan)) then(plan, step);
    });
    return steps;
  }

  /** The instant of the latest edit, if the frame on screen may be older. */
  const editNowUs = (): number => Math.max(latest.editedUs, nowUs());

  function undo(): Promise<void> {
    return stepHistory(
      () => history().done.at(-1),
      // A playing run is beyond the frame on screen.
      (step) => undoPlan(step, document(), nowUs() + (playsOn() ? 1 : 0)),
      (plan, step) => {
        setHistory((h) => undone(h, plan, latest.made));
        if (step.kind === 'live' && plan.kind === 'edit') void offerTakingOut(step, editNowUs());
      },
    );
  }

  /** An inverse does not remove the effects of an edit, so the user is offered the run without both. */
  async function offerTakingOut(step: LiveStep, atUs: number): Promise<void> {
    const { forgotten, revertedNotice, withoutReverted } = await import('./inverseEdits.ts');
    const takeOut = async (): Promise<void> => {
      const found = withoutReverted(history(), document());
      if (found && (await run(found.document, found.fromUs, ''))) setHistory(forgotten);
    };
    const found = withoutReverted(history(), document());
    if (found) setNotice({ kind: 'ask', ...revertedNotice(step, atUs, found.fromUs), run: () => void takeOut() });
  }

  function redo(): Promise<void> {
    return stepHistory(
      () => history().undone.at(-1),
      (step) => redoPlan(step, inForce(), document(), nowUs()),
      (plan) => setHistory((h) => redone(h, plan, latest.made)),
    );
  }

  return {
    undo,
    redo,
    canUndo: () => history().done.length > 0,
    canRedo: () => history().undone.length > 0,
  };
}
