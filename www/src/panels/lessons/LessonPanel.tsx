// The lesson that is open, in the inspector: its track of cards, one card, hints, and the way on. Loaded with a lesson.
import { createMemo, type JSX, Show } from 'solid-js';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { lesson, lessonStep, type OpenLesson, projector } from '../../state/lessons/lesson.ts';
import { LESSONS } from '../../state/lessons/lessonList.ts';
import { closeLesson, turnBy } from '../../state/lessons/lessonOpening.ts';
import { Card } from './Card.tsx';
import { Hints } from './Hints.tsx';
import { LessonMenu } from './LessonMenu.tsx';
import { lessonKeys } from './lessonKeys.ts';
import { Stages } from './ProjectorView.tsx';
import { finish, isAnswered } from './steps.ts';
import { Track } from './Track.tsx';
import './lesson.css';

type Slices = Pick<App, 'transport' | 'selection' | 'document' | 'dialogs' | 'links'>;

export default function LessonPanel(props: { app: Slices }): JSX.Element {
  return <Show when={lesson()}>{(open) => <Played app={props.app} open={open()} />}</Show>;
}

function Played(props: { app: Slices; open: OpenLesson }): JSX.Element {
  const app = props.app;
  const document = () => props.open.read.lesson;
  /** The step with its number, which change together. */
  const shown = createMemo(() => {
    const step = document().steps[lessonStep()];
    return step && { step, index: lessonStep() };
  });
  const ready = (): boolean => isAnswered(shown()?.step, lessonStep());
  const last = (): boolean => lessonStep() === document().steps.length - 1;
  const number = (): string => {
    const at = LESSONS.findIndex(({ name }) => name === props.open.name);
    return at < 0 ? 'Lesson of a file' : `Lesson ${at + 1} of ${LESSONS.length}`;
  };
  const left = (): number =>
    Math.max(1, Math.round((document().minutes * (document().steps.length - lessonStep())) / document().steps.length));
  return (
    <section class="lesson" aria-label="Lesson" ref={(el) => lessonKeys(el, app)}>
      <header class="lesson-head">
        <p class="lesson-place">
          <span>{number()}</span>
          <span>
            step {lessonStep() + 1} of {document().steps.length} · about {left()} min left
          </span>
        </p>
        <div class="lesson-title">
          {/* The bar with the title of the page is not on a projector. */}
          <Show when={projector()}>
            <h1 class="visually-hidden">Tokenyard</h1>
          </Show>
          <h2>{document().title}</h2>
          <LessonMenu app={app} />
          <button type="button" class="btn sq slim" aria-label="Close the lesson" onClick={() => closeLesson(app)}>
            <Icon name="close" />
          </button>
        </div>
        <Track app={app} steps={document().steps} />
        <Stages app={app} />
      </header>
      <div class="lesson-body">
        <Show when={shown()} keyed>
          {({ step, index }) => (
            <>
              <Card app={app} index={index} step={step} />
              <Show when={step.hints.length > 0}>
                <Hints hints={step.hints} step={index} />
              </Show>
            </>
          )}
        </Show>
      </div>
      <footer class="lesson-foot">
        <button type="button" class="lesson-out" onClick={() => closeLesson(app)}>
          <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <path d="M6 3H3v8h8V8M8 2.500h3.500V6M11.500 2.500L6.500 7.500" />
          </svg>
          Open in the sandbox
        </button>
        <span class="grow" />
        <button type="button" class="btn box" disabled={lessonStep() === 0} onClick={() => turnBy(app, -1)}>
          Back
        </button>
        <button
          type="button"
          class="btn pri lesson-next"
          disabled={!ready()}
          title={ready() ? undefined : 'Answer first, or choose a card above'}
          onClick={() => finish(app)}
        >
          {last() ? 'Finish' : `Next: ${document().steps[lessonStep() + 1]?.kind ?? ''}`}
        </button>
      </footer>
    </section>
  );
}
