// The traffic of a new scenario, where no text says it: asked for in one line, with what the core chose.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { plain } from '../../base/units.ts';
import type { TrafficAsked } from '../../sim/exchangeTypes.ts';
import type { Importing } from './importing.ts';
import './newTraffic.css';

type Field = keyof TrafficAsked;

const FIELDS: readonly (readonly [field: Field, name: string, unit: string])[] = [
  ['rate_per_s', 'Rate', 'req/s'],
  ['prompt_tokens', 'Typical prompt', 'tokens'],
  ['output_tokens', 'Typical answer', 'tokens'],
];

export function NewTraffic(props: { model: Importing }): JSX.Element {
  return (
    <Show when={props.model.found()?.new_scenario.traffic}>
      {(traffic) => (
        <section class="import-traffic" aria-label="Traffic of a new scenario">
          <h3>New scenario: how many requests a second, how long?</h3>
          <For each={FIELDS}>
            {([field, name, unit]) => (
              <Figure model={props.model} field={field} name={name} unit={unit} chosen={traffic()[field]} />
            )}
          </For>
          <Show when={traffic().carried_per_s}>
            {(rate) => <span class="m">This fleet carries about {plain(rate())} of these req/s.</span>}
          </Show>
        </section>
      )}
    </Show>
  );
}

function Figure(props: { model: Importing; field: Field; name: string; unit: string; chosen: number }): JSX.Element {
  /** The text while it is typed; afterwards the field shows what the core has. */
  const [typed, setTyped] = createSignal<string>();
  const isWrong = (): boolean => props.model.wrong().includes(props.field);
  return (
    <label>
      <span>{props.name}</span>
      <span class="in">
        <input
          type="text"
          inputmode="decimal"
          autocomplete="off"
          size={7}
          aria-invalid={isWrong()}
          value={typed() ?? String(props.chosen)}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            props.model.askFor(props.field, event.currentTarget.value);
          }}
          onBlur={() => !isWrong() && setTyped(undefined)}
        />
        <i>{props.unit}</i>
      </span>
    </label>
  );
}
