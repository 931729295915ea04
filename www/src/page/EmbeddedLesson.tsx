// A step of a lesson within another page: its card, beside stage and charts. Loaded with a lesson.
import type { JSX } from 'solid-js';
import LessonPanel from '../panels/lessons/LessonPanel.tsx';
import type { App } from '../state/app.ts';
import LessonLayer from './LessonLayer.tsx';

export default function EmbeddedLesson(props: { app: App }): JSX.Element {
  return (
    <>
      <aside class="embed-lesson" aria-label="Lesson">
        <LessonPanel app={props.app} />
      </aside>
      <LessonLayer app={props.app} />
    </>
  );
}
