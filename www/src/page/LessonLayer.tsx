// What a lesson does beside its panel: it points at parts of the page, watches the live run, keeps the link of the step,
// and lays the page out for a projector. Loaded with a lesson.
import { createEffect, type JSX, onCleanup } from 'solid-js';
import { equal } from '../base/json.ts';
import { Look } from '../panels/lessons/Look.tsx';
import { followProjector } from '../panels/lessons/ProjectorView.tsx';
import type { ReplicaAt } from '../panels/lessons/places.ts';
import { present } from '../stage/facts.ts';
import { layoutFor } from '../stage/layoutFor.ts';
import type { App } from '../state/app.ts';
import { guesses, lesson, lessonStep, setLessonLink, verdicts } from '../state/lessons/lesson.ts';
import { followLive } from '../state/lessons/lessonLive.ts';
import { closeLesson, keptName, linkOf, stepDocument } from '../state/lessons/lessonOpening.ts';
import { keepGuess, progressOf } from '../state/lessons/lessonProgress.ts';
import { followLesson } from '../state/lessons/lessonRuns.ts';
import { isLessonLink } from '../state/links/linkText.ts';

export default function LessonLayer(props: { app: App }): JSX.Element {
  const app = props.app;
  followLesson();
  followLive(app);
  followProjector(app);
  keepFactors();
  // The link is that of the step as long as the scenario is the one that the step opened.
  createEffect(() => {
    const name = lesson()?.name ?? '';
    const same = equal(app.document.current(), stepDocument());
    setLessonLink(name !== '' && same ? linkOf(name, lessonStep()) : undefined);
  });
  onCleanup(() => setLessonLink(undefined));
  // The browser went to another entry of its history.
  const went = (): void => {
    if (!isLessonLink(location.hash)) closeLesson(app);
  };
  window.addEventListener('popstate', went);
  window.addEventListener('hashchange', went);
  onCleanup(() => {
    window.removeEventListener('popstate', went);
    window.removeEventListener('hashchange', went);
  });
  const replicaAt: ReplicaAt = (replica, width, height) => {
    const frame = app.transport.frame();
    const shown = present(frame?.replicas ?? []);
    const at = shown.findIndex(({ id }) => id === replica);
    return at < 0 ? undefined : layoutFor(width, height, frame, shown, { tools: true }).boxes[at];
  };
  return <Look app={app} replicaAt={replicaAt} />;
}

/** Keeps engine by guess once it is known. */
function keepFactors(): void {
  createEffect(() => {
    for (const [step, verdict] of Object.entries(verdicts())) {
      const [at, factor] = [Number(step), verdict.guess?.factor ?? null];
      const guess = guesses()[at];
      if (
        guess &&
        factor !== null &&
        verdict.seeds === verdict.of &&
        progressOf(keptName()).guesses[at]?.factor !== factor
      )
        keepGuess(keptName(), at, guess, factor);
    }
  });
}
