// The list of lessons over the whole page: the road, the reader's path, lessons of one's own, and what teachers need.
// Loaded when it opens.

import { createEffect, createMemo, createSignal, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { trust } from '../../../base/trust.ts';
import type { LessonCard } from '../../../generated/boundary.ts';
import rawCards from '../../../generated/lessons.json';
import type { App } from '../../../state/app.ts';
import { ownFile, setLearning, setOwnFile } from '../../../state/lessons/lesson.ts';
import { openLesson, openLessonText } from '../../../state/lessons/lessonOpening.ts';
import { progressOf, wasBegun } from '../../../state/lessons/lessonProgress.ts';
import { createOwnCheck } from '../../../state/lessons/ownLesson.ts';
import { CloseButton, Modal } from '../../parts/Modal.tsx';
import { ThemeButton } from '../../parts/ThemeButton.tsx';
import { Checked, YourGuesses, YourPath } from './LearnSide.tsx';
import { showAddress } from './learnAddress.ts';
import { isFound, pathOf, stateOf, type Walked } from './learnWords.ts';
import { OwnLesson } from './OwnLesson.tsx';
import { Road } from './Road.tsx';
import { Teachers } from './Teachers.tsx';
import './learn.css';

const CARDS = trust<readonly LessonCard[]>(rawCards);

const walkedOf = (name: string): Walked | undefined => (wasBegun(name) ? progressOf(name) : undefined);

export default function Learn(props: { app: App }): JSX.Element {
  const [wanted, setWanted] = createSignal('');
  const [dropping, setDropping] = createSignal(false);
  const path = createMemo(() => pathOf(CARDS, walkedOf));
  const states = createMemo(() => CARDS.map((card) => stateOf(card, walkedOf(card.name))));
  const own = createOwnCheck((file) => void openLessonText(props.app, file.text, file.name));
  const close = (): void => {
    setLearning(false);
  };
  const open = async (card: LessonCard, step: number): Promise<void> => {
    if (await openLesson(props.app, card.name, step)) focusCard();
  };
  const take = async (file: File): Promise<void> => own.start({ name: file.name, text: await file.text() });
  let find: HTMLInputElement | undefined;
  onMount(() => onCleanup(showAddress(close)));
  onCleanup(own.cancel);
  createEffect(() => {
    const file = ownFile();
    if (!file) return;
    setOwnFile(undefined);
    untrack(() => void own.start(file));
  });
  return (
    <Modal class="learn-place" label="Lessons" onClose={close} first={firstCard} last={lessonsButton}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a file can be dropped anywhere in it */}
      <div
        class="learn"
        classList={{ dropping: dropping() }}
        onKeyDown={(event) => {
          // The keys of the page below have no effect here.
          if (event.key !== 'Escape') event.stopPropagation();
          if (event.key !== '/' || event.target === find) return;
          event.preventDefault();
          find?.focus();
        }}
        onDragOver={(event) => {
          if (!event.dataTransfer?.types.includes('Files')) return;
          event.preventDefault();
          setDropping(true);
        }}
        onDragLeave={(event) => setDropping(event.currentTarget.contains(trust<Node | null>(event.relatedTarget)))}
        onDrop={(event) => {
          event.preventDefault();
          setDropping(false);
          const file = event.dataTransfer?.files[0];
          if (file) void take(file);
        }}
      >
        <header class="learn-head">
          <h2 class="learn-title">Lessons</h2>
          <span class="s wide">each plays beside the live page: predict, do, see, why, try</span>
          <span class="grow" />
          <span class="m wide roomy">any order, nothing is locked</span>
          <input
            ref={find}
            class="in learn-find"
            type="search"
            placeholder="Find a lesson"
            aria-label="Find a lesson"
            title="Find a lesson (/)"
            value={wanted()}
            onInput={(event) => setWanted(event.currentTarget.value.trim())}
          />
          <button
            type="button"
            class="btn wide"
            onClick={() => {
              close();
              props.app.dialogs.setGallery(true);
            }}
          >
            Gallery
          </button>
          <ThemeButton />
          <CloseButton />
        </header>
        <div class="learn-body">
          <div class="learn-road">
            <Road cards={CARDS} wanted={wanted()} walkedOf={walkedOf} next={path().next?.card.name} onOpen={open} />
            <p class="empty" role="status">
              <Show when={!CARDS.some((card) => isFound(card, wanted()))}>No lesson has these words.</Show>
            </p>
          </div>
          <aside class="learn-side" aria-label="Your path and your own lessons">
            <YourPath path={path()} states={states()} onOpen={open} />
            <YourGuesses cards={CARDS} />
            <OwnLesson
              check={own.check()}
              onFile={(file) => void take(file)}
              onCancel={own.cancel}
              onPlay={(file) => void openLessonText(props.app, file.text, file.name)}
            />
            <Teachers cards={CARDS} first={path().next?.card.name} />
            <Checked cards={CARDS} />
          </aside>
        </div>
      </div>
    </Modal>
  );
}

/** Takes the focus when the list opens. */
function firstCard(): HTMLElement | null {
  return document.querySelector('.learn-card[aria-current]') ?? document.querySelector('.learn-card');
}

/** Gives the focus to the card of the lesson that was opened, once it is there: its keys then work. */
function focusCard(tries = 20): void {
  setTimeout(() => {
    const heading = document.querySelector<HTMLElement>('.lesson-card h3');
    if (heading) heading.focus({ preventScroll: true });
    else if (tries > 0) focusCard(tries - 1);
  }, 100);
}

/** Takes the focus when the list closes. */
function lessonsButton(): HTMLElement | null {
  return document.querySelector('.top button[title^="Lessons"]') ?? document.querySelector('.top button');
}
