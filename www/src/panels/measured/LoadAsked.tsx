// The load of a benchmark whose file does not contain it: the user gives what is missing.
import { createSignal, For, type JSX, Show } from 'solid-js';
import type { ToldLoad } from '../../generated/boundary.ts';
import { complete, type GivenLoad, INPUTS, type LoadPart } from './givenLoad.ts';

export function LoadAsked(props: {
  missing: readonly string[];
  busy: boolean;
  onLoad: (load: ToldLoad) => void;
}): JSX.Element {
  const [given, setGiven] = createSignal<GivenLoad>({});
  const write = (part: LoadPart, text: string): void => {
    const { [part]: _, ...others } = given();
    const value = Number(text);
    setGiven(text.trim() === '' || !Number.isFinite(value) ? others : { ...others, [part]: value });
  };
  const inputs = (): readonly (readonly [LoadPart, string])[] => props.missing.flatMap((part) => INPUTS[part] ?? []);
  return (
    <form
      class="load-asked"
      onSubmit={(event) => {
        event.preventDefault();
        props.onLoad({ ...given(), own_traffic: false });
      }}
    >
      <p class="wa">
        The file does not say how requests were sent: the load is assumed, so differences are not errors. Give the load:
      </p>
      <Show when={props.missing.includes('sending')}>
        <p class="s">A rate, a number in flight, or both: the number is then the limit.</p>
      </Show>
      <For each={inputs()}>
        {([part, label]) => (
          <label class="load-part">
            {label}
            <input type="number" min="0" step="any" onInput={(event) => write(part, event.currentTarget.value)} />
          </label>
        )}
      </For>
      <div class="truth-buttons">
        <button type="submit" class="btn box" disabled={props.busy || !complete(props.missing, given())}>
          Run with this load
        </button>
        <button type="button" class="btn box" disabled={props.busy} onClick={() => props.onLoad({ own_traffic: true })}>
          The scenario’s traffic was sent
        </button>
      </div>
    </form>
  );
}
