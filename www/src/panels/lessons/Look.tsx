// Ink brackets round what the step on screen points at, with its words below. They lie over the page, take no pointer,
// and follow the layout.
import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { Portal } from 'solid-js/web';
import type { LessonLook } from '../../generated/boundary.ts';
import { lesson, lessonStep, projector } from '../../state/lessons/lesson.ts';
import type { LessonApp } from '../../state/lessons/lessonOpening.ts';
import { elementOf, type Place, partsOf, placeOf, type ReplicaAt, revealField } from './places.ts';

/** The layout can also change without an event. */
const LOOK_MS = 300;
/** How far the brackets stand off. */
const OFF = 3;

export function Look(props: { app: LessonApp; replicaAt: ReplicaAt }): JSX.Element {
  const looks = (): readonly LessonLook[] => lesson()?.read.lesson.steps[lessonStep()]?.look ?? [];
  const [tick, setTick] = createSignal(0);
  const measure = (): void => void setTick((n) => n + 1);
  follow(measure);
  createEffect(
    on(looks, (all) => {
      for (const { at } of all) {
        const [kind, name] = partsOf(at);
        if (kind === 'field') setTimeout(() => revealField(props.app, name), 50);
      }
    }),
  );
  return (
    <Portal>
      <div class="lesson-looks-layer" classList={{ projected: projector() }} aria-hidden="true">
        <For each={looks()}>{(look) => <Brackets look={look} tick={tick()} replicaAt={props.replicaAt} />}</For>
      </div>
    </Portal>
  );
}

/** Measures when the layout changes. */
function follow(measure: () => void): void {
  const sized = new ResizeObserver(measure);
  for (const one of document.querySelectorAll('.page, .left, .mid, .form')) sized.observe(one);
  window.addEventListener('scroll', measure, true);
  window.addEventListener('resize', measure);
  const timer = setInterval(measure, LOOK_MS);
  onCleanup(() => {
    sized.disconnect();
    window.removeEventListener('scroll', measure, true);
    window.removeEventListener('resize', measure);
    clearInterval(timer);
  });
}

function Brackets(props: { look: LessonLook; tick: number; replicaAt: ReplicaAt }): JSX.Element {
  const isField = (): boolean => props.look.at.startsWith('field:');
  const [place, setPlace] = createSignal<Place | undefined>(undefined, {
    equals: (a, b) => a === b || (!!a && !!b && a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h),
  });
  let pointed: HTMLElement | undefined;
  createEffect(() => {
    void props.tick;
    if (isField()) {
      // A row that is pointed at makes room for the words below it.
      const row = elementOf(props.look.at);
      if (row !== pointed) delete pointed?.dataset.pointed;
      pointed = row;
      if (row && props.look.says !== '') row.dataset.pointed = '';
    }
    setPlace(placeOf(props.look.at, props.replicaAt));
  });
  onCleanup(() => delete pointed?.dataset.pointed);
  const below = (at: Place): boolean => at.y + at.h + 28 < innerHeight;
  return (
    <Show when={place()}>
      {(at) => (
        <div
          class="lesson-brackets"
          classList={{
            'of-field': isField(),
            'of-area': props.look.at.startsWith('area:'),
            'words-above': !below(at()),
            'of-drawing': at().h > 80,
          }}
          ref={(el) =>
            createEffect(() => {
              el.style.left = `${Math.max(1, at().x - OFF)}px`;
              el.style.top = `${Math.max(1, at().y - OFF)}px`;
              el.style.width = `${Math.min(innerWidth - 2 - Math.max(1, at().x - OFF), at().w + 2 * OFF)}px`;
              el.style.height = `${at().h + 2 * OFF}px`;
            })
          }
        >
          <i />
          <i />
          <i />
          <i />
          <Show when={props.look.says}>{(says) => <span>lesson: {says()}</span>}</Show>
        </div>
      )}
    </Show>
  );
}
