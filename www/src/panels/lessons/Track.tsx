// The cards of a lesson in a row: done, the one on screen, ahead. Each can be chosen at any time.
import { For, type JSX, Show } from 'solid-js';
import type { LessonStep } from '../../generated/boundary.ts';
import { lessonStep } from '../../state/lessons/lesson.ts';
import { goStep, type LessonApp } from '../../state/lessons/lessonOpening.ts';
import { isDone } from './steps.ts';

/** With more cards than these, only the one on screen has its word below. */
const MOST_WORDS = 8;

export function Track(props: { app: LessonApp; steps: readonly LessonStep[] }): JSX.Element {
  return (
    <ol class="lesson-track" classList={{ tight: props.steps.length > MOST_WORDS }}>
      <For each={props.steps}>
        {(step, i) => (
          <li classList={{ done: isDone(i()), now: lessonStep() === i(), walked: isDone(i()) && isDone(i() + 1) }}>
            <button
              type="button"
              aria-current={lessonStep() === i() ? 'step' : undefined}
              aria-label={`Step ${i() + 1}, ${step.kind}: ${step.title}${isDone(i()) ? ', done' : ''}`}
              title={step.title}
              onClick={() => void goStep(props.app, i())}
            >
              <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
                <circle cx="9" cy="9" r="6" />
                <Show when={isDone(i())} fallback={<circle class="dot" cx="9" cy="9" r="2" />}>
                  <path d="M6.200 9.200l2 2 3.600-4.200" />
                </Show>
              </svg>
              <span aria-hidden="true">{step.kind}</span>
            </button>
          </li>
        )}
      </For>
    </ol>
  );
}
