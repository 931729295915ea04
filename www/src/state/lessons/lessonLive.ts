// What the live run says to the step on screen: the figures of its text, and whether its task is done.
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import type { LessonStep } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../app.ts';
import { lesson, lessonStep } from './lesson.ts';
import { keptName } from './lessonOpening.ts';
import { markDone, progressOf } from './lessonProgress.ts';

/** The time between two looks at the run. */
const LOOK_MS = 250;
const LIVE = /\b(report|frame|scenario)\s*[.[]/;

/** The figures of the step that rest on the live run, by name. */
export const [liveFigures, setLiveFigures] = createSignal<Readonly<Record<string, number | null>>>({});

/** The names of the figures of a step that rest on the live run. */
export function liveNames(step: Pick<LessonStep, 'figures'>): readonly string[] {
  return Object.keys(step.figures).filter((name) => LIVE.test(step.figures[name]?.value ?? ''));
}

/** Looks at the run while the step on screen asks something of it. Called once, under an owner. */
export function followLive(app: Pick<App, 'transport' | 'selection' | 'document'>): void {
  createEffect(
    on([lesson, lessonStep], ([open, step]) => {
      setLiveFigures({});
      const asked = open?.read.lesson.steps[step];
      if (!asked) return;
      const names = liveNames(asked);
      const figures = names.map((name) => asked.figures[name]?.value ?? '');
      let seen: unknown;
      let busy = false;
      const look = async (): Promise<void> => {
        const task = asked.task && !progressOf(keptName()).done.includes(step) ? [asked.task.until] : [];
        const frame = app.transport.frame();
        if (busy || !frame || frame === seen || task.length + figures.length === 0) return;
        busy = true;
        try {
          const values = await app.selection.closeUp('figures', [...figures, ...task]);
          if (lesson() !== open || lessonStep() !== step || !values) return;
          seen = frame;
          setLiveFigures(Object.fromEntries(names.map((name, k) => [name, values[k] ?? null])));
          if (task.length > 0 && values[figures.length] === 1) markDone(keptName(), step);
        } catch (error) {
          ignoreLost(error);
        } finally {
          busy = false;
        }
      };
      const timer = setInterval(() => void look(), LOOK_MS);
      onCleanup(() => clearInterval(timer));
    }),
  );
}
