// A law of queueing theory on the curves of a sweep over the arrival rate, computed from the scenarios of its cases
// alone.
import { For, type JSX, Show } from 'solid-js';
import { LAWS } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { theoryOfSweep } from '../../state/studies/theory.ts';
import type { Theories } from './SweepCharts.tsx';
import { Violated } from './TheoryKey.tsx';
import { createTheorySwitch } from './theorySwitch.ts';

export function SweepTheory(props: {
  app: Pick<App, 'document'>;
  varied: readonly string[];
  theory: Theories | undefined;
  onTheory: (found: Theories | undefined) => void;
}): JSX.Element {
  const { shown, toggle, law, setLaw, failed } = createTheorySwitch(
    () => props.varied,
    (law) => theoryOfSweep(props.app.document.current(), props.varied, law),
    (found) => props.onTheory(found),
  );
  const cases = () => [...(props.theory?.values() ?? [])];
  const violated = (): readonly string[] => [...new Set(cases().flatMap((c) => c.violated))];
  return (
    <div class="theory-row sweep-theory">
      <button type="button" class="btn box" aria-pressed={shown()} onClick={toggle}>
        Theory
      </button>
      <Show when={shown()}>
        <select
          class="theory-law"
          aria-label="Law of queueing theory"
          value={law()}
          onChange={(event) => setLaw(event.currentTarget.value)}
        >
          <option value="">best law</option>
          <For each={LAWS.filter(([name]) => name !== 'little')}>
            {([name, title]) => <option value={name}>{title}</option>}
          </For>
        </select>
        <Show when={failed()}>no law could be computed</Show>
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
