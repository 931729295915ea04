// The hints of a step in three levels, opened in order. How many were opened is kept; it costs nothing.
import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { keptName } from '../../state/lessons/lessonOpening.ts';
import { keepHints, progressOf } from '../../state/lessons/lessonProgress.ts';
import { Disclosure } from '../parts/Disclosure.tsx';
import { LessonText } from './LessonText.tsx';

const LEVELS = ['Concept', 'Principle', 'Answer'] as const;

export function Hints(props: { hints: readonly string[]; step: number }): JSX.Element {
  const id = createUniqueId();
  const opened = (): number => progressOf(keptName()).hints[props.step] ?? 0;
  const levels = (): readonly string[] => (props.hints.length === 1 ? ['Answer'] : LEVELS);
  return (
    <section class="lesson-hints" aria-labelledby={id}>
      <div class="lesson-line">
        <h3 id={id}>Hints</h3>
        <span class="m">
          {opened()} of {props.hints.length} opened
        </span>
      </div>
      <ol>
        <For each={props.hints}>
          {(hint, i) => (
            <li>
              <button
                type="button"
                aria-expanded={opened() > i()}
                disabled={i() > opened()}
                title={i() === opened() ? 'Open this hint (H)' : undefined}
                onClick={() => keepHints(keptName(), props.step, i() + 1)}
              >
                <Disclosure open={opened() > i()} />
                {levels()[i()] ?? `Hint ${i() + 1}`}
              </button>
              <Show when={opened() > i()}>
                <div class="lesson-hint">
                  <LessonText text={hint} />
                </div>
              </Show>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}
