// A number: on a scale, or typed.
import { createSignal, type JSX, Show } from 'solid-js';
import { asTyped, rangeText, typedIn, unitText } from '../../../base/lessonUnits.ts';
import { percent, sig3, text } from '../../../base/units.ts';
import type { Guess, NumberQuestion, StepVerdict } from '../../../generated/boundary.ts';
import { scaleOf } from './guessScale.ts';
import { Outcome } from './Outcome.tsx';

const STEPS = 200;

export function AskNumber(props: {
  readonly ask: NumberQuestion;
  readonly onGuess: (guess: Guess) => void;
}): JSX.Element {
  const scale = scaleOf(props.ask, 0, STEPS);
  const [value, setValue] = createSignal<number>();
  const [wrong, setWrong] = createSignal('');
  const between = (): string => rangeText(props.ask.from, props.ask.to, props.ask.unit);
  /** Rounded as it is shown, so that the number handed in is the one on screen. */
  const slide = (at: number): void => {
    setWrong('');
    setValue(Number(scale.of(at).toPrecision(3)));
  };
  const type = (written: string): void => {
    const typed = typedIn(written, props.ask.unit);
    const fits = typed !== undefined && typed >= props.ask.from && typed <= props.ask.to;
    setWrong(fits ? '' : `Found “${written}”; type a number from ${between()}.`);
    if (fits) setValue(typed);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const guess = value();
        if (guess !== undefined && wrong() === '') props.onGuess({ number: guess });
      }}
    >
      <div class="ask-number">
        <input
          type="range"
          min="0"
          max={STEPS}
          step="1"
          aria-label={`${props.ask.question}, on a scale`}
          aria-valuetext={value() === undefined ? 'no guess' : unitText(value(), props.ask.unit)}
          value={value() === undefined ? STEPS / 2 : Math.round(scale.at(value() ?? props.ask.from))}
          classList={{ unset: value() === undefined }}
          onInput={(event) => slide(Number(event.currentTarget.value))}
          onClick={(event) => value() === undefined && slide(Number(event.currentTarget.value))}
        />
        <label class="in" classList={{ wrong: wrong() !== '' }}>
          <input
            type="text"
            inputmode="decimal"
            size="5"
            aria-label={`${props.ask.question}, in ${props.ask.unit || 'plain numbers'}`}
            aria-invalid={wrong() !== ''}
            aria-describedby={wrong() === '' ? undefined : 'ask-wrong'}
            placeholder="–"
            value={value() === undefined ? '' : asTyped(value() ?? 0, props.ask.unit)}
            onChange={(event) => type(event.currentTarget.value)}
          />
          <i>{props.ask.unit}</i>
        </label>
      </div>
      <p class="ask-ends ask-scale">
        <span>{unitText(props.ask.from, props.ask.unit)}</span>
        <span>{props.ask.log ? 'logarithmic' : ''}</span>
        <span>{unitText(props.ask.to, props.ask.unit)}</span>
      </p>
      <Show when={wrong()}>
        <p id="ask-wrong" class="ask-wrong" role="alert">
          {wrong()}
        </p>
      </Show>
      <button type="submit" class="btn pri" disabled={value() === undefined}>
        That is my guess
      </button>
    </form>
  );
}

export function CameNumber(props: {
  readonly ask: NumberQuestion;
  readonly guess: Guess | undefined;
  readonly verdict: StepVerdict | undefined;
}): JSX.Element {
  const mine = (): number | undefined => (props.guess && 'number' in props.guess ? props.guess.number : undefined);
  const factor = (): number | null | undefined => props.verdict?.guess?.factor;
  return (
    <>
      <dl class="ask-pair">
        <div>
          <dt>your guess</dt>
          <dd class="mine">{unitText(mine(), props.ask.unit)}</dd>
        </div>
        <Show when={props.verdict?.number}>
          {(engine) => (
            <>
              <div>
                <dt>engine</dt>
                <dd>
                  {unitText(engine().mean, props.ask.unit)}{' '}
                  <span class="u">{rangeText(engine().lo, engine().hi, props.ask.unit)}</span>
                </dd>
              </div>
              <div>
                <dt>engine ÷ guess</dt>
                <dd>{sig3(factor() ?? Number.NaN)}</dd>
              </div>
            </>
          )}
        </Show>
      </dl>
      <Show when={props.verdict}>
        {(found) => (
          <Outcome right={found().guess?.right}>
            <b>{found().guess?.right ? 'Close enough.' : 'Not close.'}</b> A guess is close within{' '}
            {text(percent(props.ask.within))} of the engine’s value.
          </Outcome>
        )}
      </Show>
    </>
  );
}
