// A lesson on the road: its node, and its card.
import { type JSX, Show } from 'solid-js';
import { NBSP } from '../../../base/units.ts';
import type { LessonCard as Card } from '../../../generated/boundary.ts';
import { Picture } from '../../parts/Picture.tsx';
import { answeredBy, type CardState, minutesSaid } from './learnWords.ts';

const SIGNS: Readonly<Record<string, string>> = {
  choose: 'M1.500 3.500h2M1.500 8.500h2M5.500 3.500h5M5.500 8.500h5',
  draw: 'M1 9.500c5 0 4-7 10-7',
  order: 'M1.500 2.500h9M1.500 6h6M1.500 9.500h3.500',
  number: 'M1 6h10M6 3v6',
};

export function LessonCard(props: {
  card: Card;
  state: CardState;
  /** The step that opens, from 0. */
  step: number;
  /** Whether the path goes on here. */
  next: boolean;
  onOpen: () => void;
}): JSX.Element {
  const how = (): ReturnType<typeof answeredBy> => answeredBy(props.card);
  const said = (): string => {
    if (props.state === 'done') return 'done';
    return props.state === 'begun' ? `step ${props.step + 1} of ${props.card.steps.length}` : '';
  };
  const some = (): boolean => props.card.claims.some(({ holds, held, of }) => !holds || held < of);
  return (
    <button
      type="button"
      class="learn-card"
      data-lesson={props.card.name}
      aria-current={props.next ? 'step' : undefined}
      onClick={() => props.onOpen()}
    >
      <Picture picture={props.card.picture} />
      <b class="card-title">{props.card.title}</b>
      <span class="learn-about">{props.card.about}</span>
      <Show when={some()}>
        <span class="m">
          {props.card.claims.filter(({ held, of }) => held < of).map(({ held, of }) => `${held} of ${of} seeds`)[0]} for
          one claim
        </span>
      </Show>
      <span class="learn-foot">
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <path d={SIGNS[how().kind] ?? SIGNS.choose} />
        </svg>
        {how().said}
        <span class="grow" />
        <Show when={said()}>
          <span>
            <b>{said()}</b>
            {`${NBSP}·`}
          </span>
        </Show>
        {minutesSaid(props.card.minutes)}
      </span>
    </button>
  );
}

/** The mark on the road: a hollow number, a ring once it is begun, a tick once it is done. */
export function Node(props: { number: number; state: CardState }): JSX.Element {
  return (
    <span class="learn-node" data-state={props.state} aria-hidden="true">
      <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
        <circle cx="11" cy="11" r={props.state === 'ahead' ? 9.5 : 9} />
        <Show
          when={props.state === 'done'}
          fallback={
            <text x="11" y="15">
              {props.number}
            </text>
          }
        >
          <path d="M6.500 11.500l3 3 6-6.500" />
        </Show>
      </svg>
      <Show when={props.state === 'done'}>
        <span>{props.number}</span>
      </Show>
    </span>
  );
}
