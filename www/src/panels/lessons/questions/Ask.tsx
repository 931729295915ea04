// A question of a lesson in the card: the reader answers, and the engine's answer follows. Before that, nothing of it is in the
// page.
import { createEffect, type JSX, Match, onCleanup, Show, Switch } from 'solid-js';
import type { Guess, Question, StepVerdict } from '../../../generated/boundary.ts';
import type { App } from '../../../state/app.ts';
import {
  guessAgain,
  handedIn,
  handIn,
  hideAnswer,
  isOpen,
  ordinal,
  takeGuesses,
} from '../../../state/lessons/lessonGuess.ts';
import { stepRuns } from '../../../state/lessons/lessonRuns.ts';
import { AskChoose, CameChoose } from './AskChoose.tsx';
import { AskDraw, CameDraw } from './AskDraw.tsx';
import { AskNumber, CameNumber } from './AskNumber.tsx';
import { AskOrder, CameOrder } from './AskOrder.tsx';
import { RunsWords } from './RunsWords.tsx';
import './questions.css';

export type AskProps = {
  readonly app: Pick<App, 'document' | 'transport'>;
  readonly step: number;
  readonly ask: Question;
  readonly guess: Guess | undefined;
  /** The guess was handed in. */
  readonly onGuess: (guess: Guess) => void;
  readonly verdict: StepVerdict | undefined;
  /** Whether the answer may be shown once there is a guess. */
  readonly revealed: boolean;
};

/** The sentence of a question. */
export function questionOf(ask: Question): string {
  if ('choose' in ask) return ask.choose.question;
  if ('order' in ask) return ask.order.question;
  return 'number' in ask ? ask.number.question : ask.draw.question;
}

export default function Ask(props: AskProps): JSX.Element {
  const open = (): boolean => props.guess === undefined || isOpen(props.step);
  const hand = (guess: Guess): void => handIn(props.step, guess);
  createEffect(() => onCleanup(takeGuesses(props.step, (guess) => props.onGuess(guess))));
  createEffect(() => hideAnswer(props.step, props.guess !== undefined && !props.revealed));
  /** What was found, once it may be shown. */
  const came = (): StepVerdict | undefined => {
    const found = open() || !props.revealed ? undefined : props.verdict;
    return found && found.seeds > 0 ? found : undefined;
  };
  return (
    <section class="ask" aria-label="Question">
      <h3 class="ask-question">{questionOf(props.ask)}</h3>
      <Switch>
        <Match when={'choose' in props.ask && props.ask.choose}>
          {(ask) => (
            <Show when={open()} fallback={<CameChoose ask={ask()} guess={props.guess} verdict={came()} />}>
              <AskChoose ask={ask()} onGuess={hand} />
            </Show>
          )}
        </Match>
        <Match when={'order' in props.ask && props.ask.order}>
          {(ask) => (
            <Show when={open()} fallback={<CameOrder ask={ask()} guess={props.guess} verdict={came()} />}>
              <AskOrder ask={ask()} onGuess={hand} />
            </Show>
          )}
        </Match>
        <Match when={'number' in props.ask && props.ask.number}>
          {(ask) => (
            <Show when={open()} fallback={<CameNumber ask={ask()} guess={props.guess} verdict={came()} />}>
              <AskNumber ask={ask()} onGuess={hand} />
            </Show>
          )}
        </Match>
        <Match when={'draw' in props.ask && props.ask.draw}>
          {(ask) => (
            <AskDraw app={props.app} step={props.step} ask={ask()} open={open()}>
              <CameDraw ask={ask()} verdict={came()} />
            </AskDraw>
          )}
        </Match>
      </Switch>
      <Show when={!open()}>
        <p class="ask-foot">
          <span role="status">
            <Show when={came()} fallback="Handed in.">
              {ordinal(props.step) === 'first'
                ? 'Your first guess.'
                : `Your ${ordinal(props.step)} guess, after the answer.`}
            </Show>{' '}
            <RunsWords
              runs={stepRuns()[props.step]}
              seeds={props.verdict?.seeds ?? 0}
              of={props.verdict?.of ?? 0}
              step={props.step}
            />
          </span>
          <button type="button" class="btn box" onClick={() => guessAgain(props.step)}>
            {'draw' in props.ask ? 'Draw again' : 'Guess again'}
          </button>
        </p>
      </Show>
      <Show when={open() && (handedIn()[props.step] ?? 0) > 0}>
        <p class="ask-again">This is your {ordinalNext(props.step)} guess: you have seen the answer.</p>
      </Show>
    </section>
  );
}

/** The ordinal of the guess that is being made. */
function ordinalNext(step: number): string {
  const n = (handedIn()[step] ?? 0) + 1;
  return ['first', 'second', 'third', 'fourth', 'fifth'][n - 1] ?? `${n}th`;
}
