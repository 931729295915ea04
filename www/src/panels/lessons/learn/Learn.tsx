// The view of all lessons.
import { For, type JSX } from 'solid-js';
import type { App } from '../../../state/app.ts';
import { setLearning } from '../../../state/lesson.ts';
import { lessonNames } from '../../../state/lessonList.ts';
import { openLesson } from '../../../state/lessonOpening.ts';
import { Sheet } from '../../parts/Sheet.tsx';

export default function Learn(props: { app: App }): JSX.Element {
  return (
    <Sheet open onClose={() => setLearning(false)} title="Lessons">
      <ul>
        <For each={lessonNames()}>
          {(name) => (
            <li>
              <button type="button" class="btn" onClick={() => void openLesson(props.app, name, 0)}>
                {name}
              </button>
            </li>
          )}
        </For>
      </ul>
    </Sheet>
  );
}
