// The chart of the open lesson in the charts' area: of the question on screen, or of the prediction that the step explains. On a
// phone the card has it.
import { createEffect, createMemo, type JSX, onCleanup, Show } from 'solid-js';
import { createMedia, PHONE } from '../../../base/media.ts';
import type { App } from '../../../state/app.ts';
import { lesson, setChartBeside } from '../../../state/lessons/lesson.ts';
import { chartStep, drawOf } from '../../../state/lessons/lessonGuess.ts';
import { GuessChart } from './GuessChart.tsx';

export default function LessonChart(props: { readonly app: Pick<App, 'document' | 'transport'> }): JSX.Element {
  const phone = createMedia(PHONE);
  const shown = createMemo(
    () => {
      const step = chartStep();
      const ask = step === undefined || phone() ? undefined : drawOf(lesson()?.read.lesson.steps[step]);
      return step === undefined || !ask ? undefined : { step, ask };
    },
    undefined,
    { equals: (a, b) => a?.step === b?.step && a?.ask === b?.ask },
  );
  createEffect(() => setChartBeside(shown() !== undefined));
  onCleanup(() => setChartBeside(false));
  return (
    <Show when={shown()} keyed>
      {({ step, ask }) => <GuessChart app={props.app} step={step} ask={ask} onBuilt={intoSight} />}
    </Show>
  );
}

/**
 * Where the middle of the page scrolls, a chart that opens is scrolled into sight: it is to be drawn on. The stage above may
 * grow with the scenario of the step.
 */
function intoSight(el: HTMLElement): void {
  const stage = document.querySelector('.mid > .stage');
  const watch = new ResizeObserver(() => el.scrollIntoView({ block: 'nearest' }));
  if (stage) watch.observe(stage);
  onCleanup(() => watch.disconnect());
}
