// One of several answers.
import { createSignal, For, type JSX, Show } from 'solid-js';
import type { ChooseQuestion, Guess, StepVerdict } from '../../../generated/boundary.ts';
import { Outcome, RightSign } from './Outcome.tsx';

export function AskChoose(props: {
  readonly ask: ChooseQuestion;
  readonly onGuess: (guess: Guess) => void;
}): JSX.Element {
  const [chosen, setChosen] = createSignal<number>();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const number = chosen();
        if (number !== undefined) props.onGuess({ choose: number });
      }}
    >
      <fieldset class="ask-cards" aria-label={props.ask.question}>
        <For each={props.ask.answers}>
          {(answer, i) => (
            <label class="ask-card" classList={{ chosen: chosen() === i() }}>
              <input type="radio" name="ask-choose" checked={chosen() === i()} onChange={() => setChosen(i())} />
              <span>{answer.text}</span>
            </label>
          )}
        </For>
      </fieldset>
      <button type="submit" class="btn pri" disabled={chosen() === undefined}>
        That is my guess
      </button>
    </form>
  );
}

export function CameChoose(props: {
  readonly ask: ChooseQuestion;
  readonly guess: Guess | undefined;
  readonly verdict: StepVerdict | undefined;
}): JSX.Element {
  const chosen = (): number | undefined => (props.guess && 'choose' in props.guess ? props.guess.choose : undefined);
  const right = (): number | null | undefined => props.verdict?.right;
  return (
    <>
      <ul class="ask-cards">
        <For each={props.ask.answers}>
          {(answer, i) => (
            <li class="ask-card" classList={{ chosen: chosen() === i(), 'is-right': right() === i() }}>
              <Show when={props.verdict && (right() === i() || chosen() === i())} fallback={<i class="ask-bullet" />}>
                <RightSign right={right() === i()} />
              </Show>
              <span>
                {answer.text}
                <Show when={chosen() === i()}>
                  <b class="mine"> your guess</b>
                </Show>
                <Show when={props.verdict && right() === i()}>
                  <b> the engine’s answer</b>
                </Show>
              </span>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.verdict}>
        {(found) => (
          <>
            <Outcome right={found().guess?.right}>
              <b>{rightWords(found().guess?.right)}</b> {props.ask.answers[chosen() ?? -1]?.because}
            </Outcome>
            <Show when={typeof right() === 'number' && right() !== chosen()}>
              <p class="ask-because">
                <b>{props.ask.answers[right() ?? -1]?.text}:</b> {props.ask.answers[right() ?? -1]?.because}
              </p>
            </Show>
          </>
        )}
      </Show>
    </>
  );
}

function rightWords(right: boolean | null | undefined): string {
  if (right === null || right === undefined) return 'The seeds do not agree on one answer.';
  return right ? 'Right.' : 'Not right.';
}
