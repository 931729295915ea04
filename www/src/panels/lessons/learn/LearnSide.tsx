// Beside the road: the reader's path and guesses, and what the engine checked.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { sig3 } from '../../../base/units.ts';
import type { LessonCard } from '../../../generated/boundary.ts';
import { allGuesses, forget, type PastGuess } from '../../../state/lessons/lessonProgress.ts';
import {
  type CardState,
  checkedSaid,
  continueSaid,
  minutesSaid,
  type Path,
  placeOfFactor,
  seedsSaid,
  shortTitle,
} from './learnWords.ts';

export function YourPath(props: {
  path: Path;
  states: readonly CardState[];
  onOpen: (card: LessonCard, step: number) => void;
}): JSX.Element {
  const [asks, setAsks] = createSignal(false);
  const begun = (): boolean => props.states.some((state) => state === 'begun');
  const isEmpty = (): boolean => props.states.every((state) => state === 'ahead');
  return (
    <section class="learn-part" aria-labelledby="learn-path">
      <header>
        <h3 id="learn-path">Your path</h3>
        <span class="grow" />
        <span class="m">kept in this browser</span>
        <Show when={!isEmpty()}>
          <Show
            when={asks()}
            fallback={
              <button type="button" class="link" onClick={() => setAsks(true)}>
                forget
              </button>
            }
          >
            <span role="alert">Forget everything?</span>
            <button
              type="button"
              class="link"
              ref={(button) => queueMicrotask(() => button.focus())}
              onClick={() => {
                setAsks(false);
                forget();
              }}
            >
              Forget
            </button>
            <button type="button" class="link" onClick={() => setAsks(false)}>
              Keep
            </button>
          </Show>
        </Show>
      </header>
      <p class="learn-done">
        <b>
          {props.path.done} of {props.path.of} done
        </b>{' '}
        <span class="s">
          {props.path.minutesLeft} of {minutesSaid(props.path.minutes)} left
        </span>
      </p>
      <div class="learn-bar" aria-hidden="true">
        <For each={props.states}>{(state) => <i data-state={state} />}</For>
      </div>
      <Show when={props.path.next}>
        {(next) => (
          <button
            type="button"
            class="btn pri learn-continue"
            onClick={() => props.onOpen(next().card, begun() ? next().step : 0)}
          >
            {continueSaid(props.path, begun())}
          </button>
        )}
      </Show>
    </section>
  );
}

const WIDTH = 264;
const TICKS = [0.1, 0.3, 1, 3, 10];

export function YourGuesses(props: { cards: readonly LessonCard[] }): JSX.Element {
  const titleOf = (name: string): string =>
    shortTitle(props.cards.find((card) => card.name === name)?.title ?? name.replace(/^file:/, ''));
  const said = (one: PastGuess): string => `${titleOf(one.name)} ${sig3(one.factor)}`;
  /** The guess that was farthest off. */
  const farthest = (): PastGuess | undefined =>
    allGuesses().toSorted((a, b) => Math.abs(Math.log(b.factor)) - Math.abs(Math.log(a.factor)))[0];
  const x = (factor: number): number => 8 + placeOfFactor(factor) * (WIDTH - 16);
  return (
    <section class="learn-part" aria-labelledby="learn-guesses">
      <header>
        <h3 id="learn-guesses">Your guesses</h3>
        <span class="m">engine over guess</span>
      </header>
      <Show
        when={farthest()}
        fallback={<p class="s">No guess yet. A lesson asks first, and the engine’s answer appears over yours.</p>}
      >
        {(far) => (
          <>
            <svg class="learn-guesses" viewBox={`0 0 ${WIDTH} 52`} aria-hidden="true">
              <rect class="band" x={x(0.8)} y="16" width={x(1.25) - x(0.8)} height="18" />
              <path
                class="axis"
                d={`M8 25H${WIDTH - 8}${TICKS.map((tick) => `M${x(tick).toFixed(1)} 21v8`).join('')}`}
              />
              <For each={allGuesses()}>{(one) => <circle cx={x(one.factor)} cy="25" r="4.500" />}</For>
              <text
                x={Math.min(WIDTH - 8, Math.max(8, x(far().factor)))}
                y="10"
                text-anchor={far().factor > 1 ? 'end' : 'start'}
              >
                {said(far())}
              </text>
              <For each={TICKS}>
                {(tick) => (
                  <text
                    class="tick"
                    x={tick === 10 ? WIDTH : x(tick)}
                    y="46"
                    text-anchor={tick === 10 ? 'end' : 'middle'}
                  >
                    {tick}
                    {tick === 10 ? ' ×' : ''}
                  </text>
                )}
              </For>
            </svg>
            <ul class="visually-hidden">
              <For each={allGuesses()}>
                {(one) => (
                  <li>
                    {said(one)} × the guess, step {one.step + 1}
                  </li>
                )}
              </For>
            </ul>
          </>
        )}
      </Show>
    </section>
  );
}

export function Checked(props: { cards: readonly LessonCard[] }): JSX.Element {
  return (
    <section class="learn-part" aria-labelledby="learn-checked">
      <header>
        <h3 id="learn-checked">Checked by the engine</h3>
        <span class="grow" />
        <span class="m">{seedsSaid(props.cards)}</span>
      </header>
      <p class="s">{checkedSaid(props.cards)}</p>
    </section>
  );
}
