// The menu of a lesson: the other lessons, projector mode, the link of the step.
import { type JSX, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import {
  hideAnswers,
  lesson,
  lessonStep,
  projector,
  setHideAnswers,
  setLearning,
  setProjector,
} from '../../state/lessons/lesson.ts';
import { linkOf } from '../../state/lessons/lessonOpening.ts';
import { Flyout } from '../parts/Flyout.tsx';

export function LessonMenu(props: { app: Pick<App, 'dialogs'> }): JSX.Element {
  const copy = async (name: string): Promise<void> => {
    const link = location.origin + location.pathname + linkOf(name, lessonStep());
    try {
      await navigator.clipboard.writeText(link);
      props.app.dialogs.setNotice({ kind: 'info', text: 'The link of this step is copied.', diagnostics: [] });
    } catch {
      props.app.dialogs.setNotice({ kind: 'info', text: link, diagnostics: [] });
    }
  };
  return (
    <Flyout
      below
      label="Lesson menu"
      class="btn sq slim"
      trigger={
        <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M5 3.500h7M5 7h7M5 10.500h7M2 3.500h.5M2 7h.5M2 10.500h.5" />
        </svg>
      }
    >
      {(close) => (
        <div class="lesson-menu">
          <button
            type="button"
            class="btn"
            onClick={() => {
              close();
              setLearning(true);
            }}
          >
            All lessons
          </button>
          <Show when={lesson()?.name}>
            {(name) => (
              <button
                type="button"
                class="btn"
                onClick={() => {
                  close();
                  void copy(name());
                }}
              >
                Copy the link of this step
              </button>
            )}
          </Show>
          <label>
            <input type="checkbox" checked={projector()} onChange={(e) => setProjector(e.currentTarget.checked)} />
            Projector mode, type × 1.5
          </label>
          <label>
            <input type="checkbox" checked={hideAnswers()} onChange={(e) => setHideAnswers(e.currentTarget.checked)} />
            Hide answers until asked
          </label>
          <p class="m">← → cards · H next hint · G guess by keys · Enter on · Esc back to the tab before</p>
        </div>
      )}
    </Flyout>
  );
}
