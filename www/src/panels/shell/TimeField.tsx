// The field for the instant to go to: it lies over the clock, and is seen once it is used.
import { createSignal, type JSX, Show } from 'solid-js';
import { plain, secondsOf } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { whyWaits } from './waits.ts';

/** A field for the instant to go to. Invalid input stays, with an error. */
export function TimeField(props: { app: Pick<App, 'transport'> }): JSX.Element {
  const [wrong, setWrong] = createSignal(false);
  const go = (input: HTMLInputElement): void => {
    const text = input.value.trim().replaceAll(',', '');
    if (text === '') {
      setWrong(false);
      return;
    }
    const seconds = secondsOf(text);
    const end = props.app.transport.frame()?.horizon_us ?? 0;
    const fits = seconds !== undefined && (end === 0 || seconds * 1e6 <= end) && seconds <= 2 ** 32;
    setWrong(!fits);
    if (!fits || seconds === undefined) return;
    input.value = '';
    // Keys go to the page again.
    input.blur();
    void props.app.transport.seek(seconds);
  };
  return (
    <label class="goto">
      <input
        class="in"
        id="time-field"
        aria-label="Go to time, in seconds"
        aria-invalid={wrong()}
        disabled={props.app.transport.frame() === undefined}
        title={whyWaits(props.app) ?? tooltip('A time in seconds, or minutes:seconds', 'time')}
        placeholder="time"
        inputmode="decimal"
        autocomplete="off"
        onInput={() => setWrong(false)}
        onChange={(event) => go(event.currentTarget)}
      />
      <Show when={wrong()}>
        <span class="wa" role="alert">
          from 0 to {plain((props.app.transport.frame()?.horizon_us || 2 ** 32 * 1e6) / 1e6)} s
        </span>
      </Show>
    </label>
  );
}
