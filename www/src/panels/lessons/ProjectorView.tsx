// The page for a projector: type × 1.5, the form folded away, the stage or two charts, and the arrow keys turn cards.
import { createEffect, createSignal, For, type JSX, onCleanup, Show, untrack } from 'solid-js';
import { createMedia } from '../../base/media.ts';
import { lesson, lessonStep, projector } from '../../state/lessons/lesson.ts';
import type { LessonApp } from '../../state/lessons/lessonOpening.ts';
import { chartList, setChartList, shownViews } from '../../state/view/chartList.ts';
import { area } from '../../state/view/closeup.ts';
import { arrowsAnywhere } from './lessonKeys.ts';

/** Pages on which stage and charts do not both fit at 150 %. */
const SMALL = '(max-height: 1070px), (max-width: 1600px)';
const CHARTS = 2;

/** Which of the two a small page shows. */
const [shows, setShows] = createSignal<'stage' | 'charts'>('charts');

/** The choice between stage and charts, where both do not fit. */
export function Stages(props: { app: LessonApp }): JSX.Element {
  void props.app;
  const small = createMedia(SMALL);
  return (
    <Show when={projector() && small()}>
      <fieldset class="seg lesson-shows" aria-label="Show beside the lesson">
        <For each={['stage', 'charts'] as const}>
          {(one) => (
            <button type="button" aria-pressed={shows() === one} onClick={() => setShows(one)}>
              {one === 'stage' ? 'Stage' : 'Charts'}
            </button>
          )}
        </For>
      </fieldset>
    </Show>
  );
}

/** Lays the page out for a projector while that is on. Called once, under an owner. */
export function followProjector(app: LessonApp): void {
  const small = createMedia(SMALL);
  createEffect(() => {
    if (!projector()) return;
    const page = document.querySelector<HTMLElement>('.page');
    arrowsAnywhere(app);
    // A step that points at one of the two shows it.
    createEffect(() => {
      const looks = lesson()?.read.lesson.steps[lessonStep()]?.look ?? [];
      const stage = looks.some(({ at }) => at === 'stage' || at.startsWith('replica:'));
      setShows(stage ? 'stage' : 'charts');
      if (page) page.dataset.figures = looks.some(({ at }) => at.startsWith('figure:')) ? 'shown' : 'hidden';
    });
    createEffect(() => {
      if (page) page.dataset.projector = small() ? shows() : 'both';
    });
    fewerCharts();
    onCleanup(() => {
      delete page?.dataset.projector;
      delete page?.dataset.figures;
    });
  });
}

/** The first two of the charts on screen; the others come back afterwards. */
function fewerCharts(): void {
  const before = untrack(chartList);
  createEffect(() => {
    if (area() !== 'charts') return;
    const list = chartList() ?? shownViews();
    if (list.length > CHARTS) setChartList(list.slice(0, CHARTS));
  });
  onCleanup(() => setChartList(before));
}
