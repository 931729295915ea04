// The numbers of an entry: asked of the simulation while the entry is on screen, at most twice a second.
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import type { GlossaryEntry } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { expressionsOf } from './words.ts';

const EVERY_MS = 500;

/** The value of an expression; undefined while it is not known, and where the run has none. */
export type Values = (expression: string | undefined) => number | undefined;

/** The values of the entry's expressions, all of one instant. */
export function valuesOf(app: Pick<App, 'selection' | 'transport'>, entry: Accessor<GlossaryEntry>): Accessor<Values> {
  const [values, setValues] = createSignal<Values>(() => undefined);
  let asked: unknown;
  const ask = oneAtATime(async () => {
    const of = entry();
    const expressions = expressionsOf(of);
    const frame = app.transport.frame();
    if (expressions.length === 0 || asked === frame) return;
    const found = await app.selection.closeUp('figures', expressions).catch(() => undefined);
    if (of !== entry()) return;
    // A question that was lost with its thread is asked again.
    asked = found && frame;
    setValues(() => (expression: string | undefined) => {
      const at = expression === undefined ? -1 : expressions.indexOf(expression);
      return found?.[at] ?? undefined;
    });
  });
  createEffect(
    on(entry, () => {
      asked = undefined;
      setValues(() => () => undefined);
      void ask();
    }),
  );
  const timer = setInterval(ask, EVERY_MS);
  onCleanup(() => clearInterval(timer));
  return values;
}
