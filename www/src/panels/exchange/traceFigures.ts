// Figures of the rows of a trace under the changes that are asked for.
import { createEffect, createSignal, onCleanup } from 'solid-js';
import { TraceFiguresOf } from '../../sim/traceFile.ts';
import type { TraceChanges, TraceFigures } from '../../sim/traceTypes.ts';
import { madeChanges } from './traceWords.ts';

/** Figures of what the window leaves, if more than the window is changed, and of what runs; `null` if no row is left. */
export type ChangedFigures = {
  readonly window: TraceFigures | null | undefined;
  readonly runs: TraceFigures | null | undefined;
  /** Why there are none. */
  readonly failed: string;
};

const NONE: ChangedFigures = { window: undefined, runs: undefined, failed: '' };

/** The figures under the latest changes; those before stay until they are there. Without changes there are none. */
export function changedFigures(file: File, changes: () => TraceChanges, seed: () => number): () => ChangedFigures {
  const [found, setFound] = createSignal(NONE);
  let thread: TraceFiguresOf | undefined;
  let asked = 0;
  createEffect(() => {
    const made = madeChanges(changes());
    const mine = ++asked;
    const answered = (next: ChangedFigures): void => {
      if (mine === asked) setFound(next);
    };
    const { window, ...rest } = made;
    if (!window && Object.keys(rest).length === 0) return answered(NONE);
    thread ??= new TraceFiguresOf(file);
    const first = window && Object.keys(rest).length > 0 ? thread.of({ window }, seed()) : undefined;
    Promise.all([first, thread.of(made, seed())])
      .then(([inWindow, runs]) => answered({ window: inWindow, runs, failed: '' }))
      .catch((error: unknown) => answered({ ...NONE, failed: String(error) }));
  });
  onCleanup(() => thread?.end());
  return found;
}
