// What the views of a run have in common: the width of an element, and answers that follow the run.
import { type Accessor, createEffect, createSignal, on, onCleanup, onMount } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type { App } from '../../state/app.ts';

/** The width of an element in whole pixels, 0 before it is there; `ref` takes the element. */
export function createWidth(): { readonly width: Accessor<number>; readonly ref: (element: HTMLElement) => void } {
  const [width, setWidth] = createSignal(0);
  let host: HTMLElement | undefined;
  onMount(() => {
    if (!host) return;
    const sized = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    sized.observe(host);
    onCleanup(() => sized.disconnect());
  });
  return {
    width,
    ref: (element) => {
      host = element;
    },
  };
}

/** The latest answer to a question, asked again as the run goes on, at most every `ms` milliseconds, and at once when `also` changes. */
export function createAnswer<T>(
  app: Pick<App, 'transport'>,
  ms: number,
  ask: () => Promise<T>,
  also: Accessor<unknown> = () => undefined,
): Accessor<T | undefined> {
  const [answer, setAnswer] = createSignal<T>();
  let gone = false;
  onCleanup(() => {
    gone = true;
  });
  const instant = createThrottled(() => app.transport.frame(), ms);
  const go = oneAtATime(async () => {
    const found = await ask().catch(() => undefined);
    if (found !== undefined && !gone) setAnswer(() => found);
  });
  createEffect(on([instant, also], () => go()));
  return answer;
}
