// At a step that sees or explains: the drawn prediction before it beside what the engine found, and on a phone its chart.
import { type JSX, Show } from 'solid-js';
import { createMedia, PHONE } from '../../../base/media.ts';
import type { App } from '../../../state/app.ts';
import { lesson, lessonStep, verdicts } from '../../../state/lesson.ts';
import { chartStep, draftOf, drawOf, isRevealed } from '../../../state/lessonGuess.ts';
import { stepRuns } from '../../../state/lessonRuns.ts';
import { GuessChart } from './GuessChart.tsx';
import { GuessTable } from './GuessTable.tsx';
import { RunsWords } from './RunsWords.tsx';

export default function Came(props: { readonly app: Pick<App, 'document' | 'transport'> }): JSX.Element {
  const phone = createMedia(PHONE);
  /** The step of the prediction, where it is not the one on screen. */
  const of = (): number | undefined => {
    const step = chartStep();
    return step === lessonStep() ? undefined : step;
  };
  const shown = () => {
    const step = of();
    const ask = step === undefined ? undefined : drawOf(lesson()?.read.lesson.steps[step]);
    return step === undefined || !ask ? undefined : { step, ask };
  };
  return (
    <Show when={shown()}>
      {(found) => {
        const verdict = () => (isRevealed(found().step) ? verdicts()[found().step] : undefined);
        const partial = (): boolean => (verdict()?.seeds ?? 0) < (verdict()?.of ?? 1);
        return (
          <div class="ask came">
            <Show when={phone()}>
              <GuessChart app={props.app} step={found().step} ask={found().ask} />
            </Show>
            <GuessTable ask={found().ask} verdict={verdict()} draft={draftOf(found().step)} />
            <Show when={partial() && isRevealed(found().step)}>
              <p class="ask-ends" role="status">
                <RunsWords runs={stepRuns()[found().step]} verdict={verdict()} step={found().step} />
              </p>
            </Show>
          </div>
        );
      }}
    </Show>
  );
}
