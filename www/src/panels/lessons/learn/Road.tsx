// The road of lessons: chapters of cards, with the nodes and lines between them.
import { For, type JSX, Show } from 'solid-js';
import type { LessonCard as Card } from '../../../generated/boundary.ts';
import { LessonCard, Node } from './LessonCard.tsx';
import { chaptersOf, isFound, minutesOf, minutesSaid, stateOf, type Walked } from './learnWords.ts';

type Props = {
  readonly cards: readonly Card[];
  readonly wanted: string;
  readonly walkedOf: (name: string) => Walked | undefined;
  readonly next: string | undefined;
  readonly onOpen: (card: Card, step: number) => void;
};

const SPOKEN = { ahead: 'not begun', begun: 'begun', done: 'done' } as const;

export function Road(props: Props): JSX.Element {
  let host: HTMLDivElement | undefined;
  const state = (card: Card | undefined) => (card ? stateOf(card, props.walkedOf(card.name)) : 'ahead');
  /** Whether the line behind a lesson was walked. */
  const isWalked = (card: Card): boolean => {
    const after = props.cards[props.cards.indexOf(card) + 1];
    return after !== undefined && state(card) === 'done' && state(after) !== 'ahead';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys of the cards in it
    <div
      ref={host}
      class="road"
      classList={{ searched: props.wanted !== '' }}
      onKeyDown={(event) => host && turn(host, event)}
    >
      <For each={chaptersOf(props.cards)}>
        {(chapter) => {
          const found = (): readonly Card[] => chapter.cards.filter((card) => isFound(card, props.wanted));
          return (
            <Show when={found().length > 0}>
              <section class="road-chapter" aria-label={chapter.title}>
                <h3>
                  {chapter.title}{' '}
                  <span class="m">
                    {chapter.about === '' ? '' : `${chapter.about} · `}
                    {minutesSaid(minutesOf(chapter.cards))}
                  </span>
                </h3>
                <ol class="road-cards">
                  <For each={found()}>
                    {(card) => (
                      <li classList={{ walked: isWalked(card), last: card === props.cards.at(-1) }}>
                        <Node number={card.number} state={state(card)} />
                        <span class="visually-hidden">
                          Lesson {card.number}, {SPOKEN[state(card)]}
                        </span>
                        <LessonCard
                          card={card}
                          state={state(card)}
                          step={props.walkedOf(card.name)?.step ?? 0}
                          next={props.next === card.name}
                          onOpen={() =>
                            props.onOpen(card, state(card) === 'begun' ? (props.walkedOf(card.name)?.step ?? 0) : 0)
                          }
                        />
                      </li>
                    )}
                  </For>
                </ol>
              </section>
            </Show>
          );
        }}
      </For>
    </div>
  );
}

/** Moves the focus from card to card: to the sides in order, up and down to the nearest card of the other row. */
function turn(host: HTMLElement, event: KeyboardEvent): void {
  const cards = [...host.querySelectorAll<HTMLElement>('.learn-card')];
  const now = cards.findIndex((card) => card.matches(':focus'));
  if (now < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: cards.length - 1 }[event.key];
  const card = to === undefined ? beyond(cards, now, event.key) : cards[to];
  if (to === undefined && event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  event.stopPropagation();
  card?.focus();
}

function beyond(cards: readonly HTMLElement[], now: number, key: string): HTMLElement | undefined {
  const from = cards[now]?.getBoundingClientRect();
  if (!from) return undefined;
  const down = key === 'ArrowDown';
  const rows = cards.filter((card) => {
    const { top } = card.getBoundingClientRect();
    return down ? top > from.top + 1 : top < from.top - 1;
  });
  const tops = rows.map((card) => card.getBoundingClientRect().top);
  const row = down ? Math.min(...tops) : Math.max(...tops);
  const away = (card: HTMLElement): number => Math.abs(card.getBoundingClientRect().left - from.left);
  return rows.filter((card) => card.getBoundingClientRect().top === row).sort((a, b) => away(a) - away(b))[0];
}
