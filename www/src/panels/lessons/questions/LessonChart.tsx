// The chart of the open lesson in the charts' area: of the question on screen, or of the prediction that the step explains. On a
// phone the card has it.
import { createEffect, type JSX, onCleanup, Show } from 'solid-js';
import { createMedia, PHONE } from '../../../base/media.ts';
import type { App } from '../../../state/app.ts';
import { lesson, setChartBeside } from '../../../state/lesson.ts';
import { chartStep, drawOf } from '../../../state/lessonGuess.ts';
import { GuessChart } from './GuessChart.tsx';

export default function LessonChart(props: { readonly app: Pick<App, 'document' | 'transport'> }): JSX.Element {
  const phone = createMedia(PHONE);
  const shown = () => {
    const step = chartStep();
    const ask = step === undefined || phone() ? undefined : drawOf(lesson()?.read.lesson.steps[step]);
    return step === undefined || !ask ? undefined : { step, ask };
  };
  createEffect(() => setChartBeside(shown() !== undefined));
  onCleanup(() => setChartBeside(false));
  return <Show when={shown()}>{(found) => <GuessChart app={props.app} step={found().step} ask={found().ask} />}</Show>;
}
