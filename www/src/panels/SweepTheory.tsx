// A law of queueing theory on the curves of a sweep over the arrival rate: from the scenarios of its cases alone.
import { createEffect, createSignal, For, type JSX, on, Show } from 'solid-js';
import type { App } from '../state/app.ts';
import { theoryOfSweep } from '../state/theory.ts';
import type { Theories } from './SweepCharts.tsx';
import { Violated } from './TheoryKey.tsx';

/** The laws by name, as the module takes them. */
const LAWS: readonly (readonly [name: string, title: string])[] = [
  ['', 'best law'],
  ['batch-server', 'Batch server'],
  ['processor-sharing', 'M/G/1-PS'],
  ['closed-form', 'Closed form'],
  ['md1', 'M/D/1'],
  ['mm1', 'M/M/1'],
  ['mg1', 'M/G/1'],
  ['mdc', 'M/D/c'],
  ['mmc', 'M/M/c'],
  ['mm1k', 'M/M/1/K'],
  ['round-robin', 'Round robin'],
  ['shortest-queue', 'Shortest queue'],
  ['power-of-d', 'Power of d'],
  ['priority', 'M/G/1 with priorities'],
];

export function SweepTheory(props: {
  app: App;
  varied: readonly string[];
  theory: Theories | undefined;
  onTheory: (found: Theories | undefined) => void;
}): JSX.Element {
  const [shown, setShown] = createSignal(false);
  const [law, setLaw] = createSignal('');
  const [failed, setFailed] = createSignal(false);
  let asked = 0;
  const ask = async (): Promise<void> => {
    const own = ++asked;
    let found: Theories | undefined;
    let fails = false;
    try {
      if (shown()) found = await theoryOfSweep(props.app.document(), props.varied, law());
    } catch {
      fails = true;
    }
    if (own !== asked) return;
    setFailed(fails);
    props.onTheory(found);
  };
  createEffect(on([shown, law, () => props.varied], () => void ask()));
  const cases = () => [...(props.theory?.values() ?? [])];
  const violated = (): readonly string[] => [...new Set(cases().flatMap((c) => c.violated))];
  return (
    <div class="theory-row sweep-theory">
      <button type="button" class="btn box" aria-pressed={shown()} onClick={() => setShown(!shown())}>
        Theory
      </button>
      <Show when={shown()}>
        <select
          class="theory-law"
          aria-label="Law of queueing theory"
          value={law()}
          onChange={(event) => setLaw(event.currentTarget.value)}
        >
          <For each={LAWS}>{([name, title]) => <option value={name}>{title}</option>}</For>
        </select>
        <Show when={failed()}>no law could be worked out</Show>
        <Show when={cases()[0]}>
          {(first) => (
            <>
              <svg class="theory-key" width="18" height="8" viewBox="0 0 18 8" aria-hidden="true">
                <path d="M0 4h18" />
              </svg>
              <span>{first().title}, mean</span>
              <Violated texts={violated()} kept={[]} />
            </>
          )}
        </Show>
      </Show>
    </div>
  );
}
