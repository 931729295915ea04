// Throttled values: words and tables that change sixty times a second can neither be read nor be read out.
import { type Accessor, createEffect, createSignal, onCleanup, untrack } from 'solid-js';

/** Follows `source` at once after a pause, else every `ms` milliseconds; the last value always comes through. */
export function createThrottled<T>(source: Accessor<T>, ms: number): Accessor<T> {
  const [value, setValue] = createSignal<T>(untrack(source), { equals: false });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let late = false;
  const tick = (): void => {
    timer = undefined;
    if (!late) return;
    late = false;
    timer = setTimeout(tick, ms);
    setValue(() => untrack(source));
  };
  createEffect(() => {
    const now = source();
    if (timer !== undefined) {
      late = true;
      return;
    }
    timer = setTimeout(tick, ms);
    setValue(() => now);
  });
  onCleanup(() => clearTimeout(timer));
  return value;
}
