// One card: its text, its question or its task, what the engine says, and what else was changed.
import {
  createEffect,
  createMemo,
  createSignal,
  createUniqueId,
  type JSX,
  lazy,
  on,
  onMount,
  Show,
  Suspense,
} from 'solid-js';
import type { LessonStep, Question } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { guesses, hideAnswers, lesson, setGuesses, verdicts } from '../../state/lessons/lesson.ts';
import { liveFigures, liveNames } from '../../state/lessons/lessonLive.ts';
import { keptName } from '../../state/lessons/lessonOpening.ts';
import { keepGuess, markDone } from '../../state/lessons/lessonProgress.ts';
import { LessonText } from './LessonText.tsx';
import { Looks } from './Looks.tsx';
import { OtherChanges } from './OtherChanges.tsx';
import { isDone } from './steps.ts';

const Ask = lazy(() => import('./questions/Ask.tsx'));
const Evidence = lazy(() => import('./questions/Evidence.tsx'));

type Slices = Pick<App, 'transport' | 'selection' | 'document' | 'dialogs' | 'links'>;

export function Card(props: { app: Slices; index: number; step: LessonStep }): JSX.Element {
  const id = createUniqueId();
  const verdict = () => verdicts()[props.index];
  const live = liveNames(props.step);
  const value = (name: string): number | null | undefined =>
    live.includes(name) ? liveFigures()[name] : verdict()?.figures[name]?.mean;
  const earlier = createMemo(() => earlierAsk(props.index));
  return (
    <article class="lesson-card" aria-labelledby={id}>
      <h3 id={id} tabIndex={-1} ref={takeFocus}>
        {props.step.title}
      </h3>
      <LessonText text={props.step.text} figures={{ all: props.step.figures, value }} />
      <Suspense>
        <Show when={earlier()}>
          {(shown) => <Asked app={props.app} index={shown().index} ask={shown().ask} past />}
        </Show>
        <Show when={props.step.ask}>{(ask) => <Asked app={props.app} index={props.index} ask={ask()} />}</Show>
        <Task step={props.step} index={props.index} />
        <Show when={props.step.claims.length > 0}>
          <Evidence
            claims={props.step.claims}
            verdicts={verdict()?.claims ?? []}
            seeds={verdict()?.seeds ?? 0}
            of={verdict()?.of ?? lesson()?.read.lesson.seeds ?? 0}
          />
        </Show>
      </Suspense>
      <Looks app={props.app} looks={props.step.look} />
      <OtherChanges app={props.app} index={props.index} />
    </article>
  );
}

/** A new card takes the focus from the panel's buttons, or from nothing: the keys of the lesson then work. */
function takeFocus(heading: HTMLElement): void {
  const take = (): void => {
    const focused = document.activeElement;
    if (focused === document.body || focused?.closest('.lesson')) heading.focus({ preventScroll: true });
  };
  onMount(take);
  // The form of a question goes when it is answered, and with it the focus.
  createEffect(
    on(guesses, () => requestAnimationFrame(() => document.activeElement === document.body && take()), { defer: true }),
  );
}

/** The prediction that a step shows the truth of: for the first `see` after a `predict` that was answered. */
function earlierAsk(index: number): { readonly index: number; readonly ask: Question } | undefined {
  const steps = lesson()?.read.lesson.steps ?? [];
  if (steps[index]?.kind !== 'see' || steps[index]?.ask) return undefined;
  const before = steps.slice(0, index);
  const at = before.findLastIndex((step) => step.ask);
  const seen = before.findLastIndex((step) => step.kind === 'see');
  const ask = before[at]?.ask;
  return ask && seen < at && guesses()[at] !== undefined ? { index: at, ask } : undefined;
}

/** A question with the reader's answer; `past` in the step after it. */
function Asked(props: { app: Slices; index: number; ask: Question; past?: boolean }): JSX.Element {
  const [shown, setShown] = createSignal(false);
  const guess = () => guesses()[props.index];
  const revealed = (): boolean => guess() !== undefined && (!hideAnswers() || shown());
  return (
    <>
      <Ask
        app={props.app}
        step={props.index}
        ask={props.ask}
        guess={guess()}
        onGuess={(next) => {
          if (guess() !== undefined) return;
          setGuesses((all) => ({ ...all, [props.index]: next }));
          keepGuess(keptName(), props.index, next, null);
          markDone(keptName(), props.index);
        }}
        verdict={verdicts()[props.index]}
        revealed={revealed()}
      />
      <Show when={guess() !== undefined && !revealed()}>
        <button type="button" class="btn box" onClick={() => setShown(true)}>
          Show the engine’s answer
        </button>
      </Show>
    </>
  );
}

/** The task of a step, and why it worked once it is done. */
function Task(props: { step: LessonStep; index: number }): JSX.Element {
  return (
    <Show when={props.step.task}>
      {(task) => (
        <div class="lesson-task" classList={{ done: isDone(props.index) }} role="status">
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
            <circle cx="10" cy="10" r="8" />
            <Show when={isDone(props.index)}>
              <path d="M6.500 10.200l2.500 2.500 4.500-5" />
            </Show>
          </svg>
          <div>
            <p>
              <b>{task().goal}</b>
              <span class="m"> {isDone(props.index) ? 'done' : 'not yet'}</span>
            </p>
            <Show when={isDone(props.index)}>
              <LessonText text={task().done} />
            </Show>
          </div>
        </div>
      )}
    </Show>
  );
}
