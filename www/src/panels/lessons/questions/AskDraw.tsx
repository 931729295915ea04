// A curve: drawn on the chart beside the card, on a phone above it, or typed point by point.

import { createMemo, For, type JSX, Show } from 'solid-js';
import { asTyped, placeText, typedIn } from '../../../base/lessonUnits.ts';
import { createMedia, PHONE } from '../../../base/media.ts';
import { NBSP } from '../../../base/units.ts';
import type { DrawQuestion, StepVerdict } from '../../../generated/boundary.ts';
import type { App } from '../../../state/app.ts';
import { draftOf, guessByKeys, setDraft } from '../../../state/lessons/lessonGuess.ts';
import { area, setArea } from '../../../state/view/closeup.ts';
import { TableHead } from '../../parts/TableHead.tsx';
import { GuessChart } from './GuessChart.tsx';
import { GuessTable } from './GuessTable.tsx';
import { handInCurve, isCovered, missingWords } from './guessHand.ts';
import { heightAt, withHeight } from './guessScale.ts';
import { Outcome } from './Outcome.tsx';

export function AskDraw(props: {
  readonly app: Pick<App, 'document' | 'transport'>;
  readonly step: number;
  readonly ask: DrawQuestion;
  readonly open: boolean;
  /** What is shown once the guess is handed in. */
  readonly children: JSX.Element;
}): JSX.Element {
  const phone = createMedia(PHONE);
  const line = createMemo(() => draftOf(props.step));
  const complete = (): boolean => isCovered(line(), props.ask);
  const set = (index: number, written: string): void => {
    const typed = typedIn(written, props.ask.y.unit);
    if (typed === undefined || typed < 0) return;
    setDraft(props.step, withHeight(line(), props.ask.values, index, typed));
  };
  return (
    <>
      <Show when={phone()}>
        <GuessChart app={props.app} step={props.step} ask={props.ask} />
      </Show>
      <Show when={props.open} fallback={props.children}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            handInCurve(props.step, props.ask);
          }}
        >
          <table class="guess-table guess-typed">
            <caption>
              Draw it on the chart, or type {props.ask.y.label}
              {props.ask.y.unit === '' ? '' : ` in ${props.ask.y.unit}`}
            </caption>
            <TableHead names={[props.ask.x.label, 'you draw']} />
            <tbody>
              <For each={props.ask.values}>
                {(x, i) => {
                  const height = (): number | undefined => heightAt(line(), x);
                  return (
                    <tr>
                      <th scope="row">{placeText(x, props.ask.x.unit)}</th>
                      <td>
                        <label class="in">
                          <input
                            type="text"
                            inputmode="decimal"
                            size="6"
                            placeholder="–"
                            aria-label={`${props.ask.y.label} at ${placeText(x, props.ask.x.unit)}`}
                            value={height() === undefined ? '' : asTyped(height() ?? 0, props.ask.y.unit)}
                            onChange={(event) => set(i(), event.currentTarget.value)}
                          />
                          <i>{props.ask.y.unit}</i>
                        </label>
                      </td>
                    </tr>
                  );
                }}
              </For>
            </tbody>
          </table>
          <p class="ask-foot">
            {/* Not disabled: Tab goes from the last field, whose value counts once it is left, to this button. */}
            <button type="submit" class="btn pri" aria-disabled={complete() ? undefined : 'true'}>
              That is my guess
            </button>
            <Show
              when={area() === 'charts' || phone()}
              fallback={
                <button type="button" class="btn box" onClick={() => setArea('charts')}>
                  Show the chart
                </button>
              }
            >
              <button type="button" class="btn box" aria-keyshortcuts="G" onClick={guessByKeys}>
                Draw with keys
              </button>
            </Show>
            <span role="status">{missingWords(line(), props.ask)}</span>
          </p>
        </form>
      </Show>
    </>
  );
}

export function CameDraw(props: {
  readonly ask: DrawQuestion;
  readonly verdict: StepVerdict | undefined;
}): JSX.Element {
  return (
    <Show when={props.verdict}>
      {(found) => (
        <>
          <GuessTable ask={props.ask} verdict={found()} />
          <Show when={found().guess}>
            {(guess) => (
              <Outcome right={guess().right}>
                <b>{guess().right ? 'Close everywhere.' : 'Not close everywhere.'}</b> A curve is close within 25{NBSP}%
                of the engine’s values.
              </Outcome>
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
