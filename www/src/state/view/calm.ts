// Whether the page shows its first view, with three tools, or the whole of its panels. The choice stays in the browser.
import { createSignal } from 'solid-js';
import { learning, lesson } from '../lessons/lesson.ts';
import { area, setArea, setTall, tall } from './closeup.ts';
import { readChoice, writeChoice } from './flags.ts';
import { setSpanShown, spanShown } from './spanShown.ts';
import { setTheoryLaw, theoryLaw } from './theoryLaw.ts';

const KEY = 'view';

const [works, setWorks] = createSignal(readChoice(KEY) === 'work');

/** Whether something is open that only the whole page has room for. */
const needsAll = (): boolean =>
  lesson() !== undefined || learning() || area() !== 'charts' || tall() || theoryLaw() !== undefined || spanShown();

/** Whether the first view is shown. */
export const calm = (): boolean => !works() && !needsAll();

/** Unfolds the page for what is asked for now; the choice of the user stays. */
export function unfold(): void {
  setWorks(true);
}

/** Folds the page, which closes what only the whole page has room for. */
export function fold(): void {
  setArea('charts');
  setTall(false);
  setTheoryLaw(undefined);
  setSpanShown(false);
  setWorks(false);
}

/** Unfolds the page, or folds it again. */
export function switchView(): void {
  if (calm()) unfold();
  else fold();
  writeChoice(KEY, works() ? 'work' : 'calm');
}

/** Whether the scenario is open at its edge of the first view; the inspector's drawer is the other edge. */
export const [scenarioOpen, setScenarioOpen] = createSignal(false);
