// The occasions to run to, each with its number or kind. The list and its words come from the core.
import { For, type JSX, Match, Switch } from 'solid-js';
import { shapeOf } from '../../base/anomalies.ts';
import { sentence, titled } from '../../base/keyWords.ts';
import { ANOMALY_KINDS, EVENT_KINDS, type OccasionChoice } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { choicesOf, chosen, type Wanted } from '../../state/run/occasions.ts';

export default function RunTo(props: { app: Pick<App, 'transport' | 'selection'>; onDone: () => void }): JSX.Element {
  const app = props.app;
  const run = (choice: OccasionChoice, value: string): void => {
    const wanted = chosen(choice, value);
    if (!wanted) return;
    props.onDone();
    app.transport.runTo(wanted);
  };
  return (
    <ul class="occasions">
      <For each={choicesOf(app.transport.frame()?.split !== undefined)}>
        {(choice) => (
          <li>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                const field = event.currentTarget.elements.namedItem('value');
                run(choice, field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : '');
              }}
            >
              <button type="submit" class="menu-item">
                next {choice.label}
              </button>
              <Completion choice={choice} app={app} wanted={app.transport.wanted()} />
            </form>
          </li>
        )}
      </For>
    </ul>
  );
}

/** The field that completes an occasion; Enter in it runs. */
function Completion(props: { choice: OccasionChoice; app: Pick<App, 'selection'>; wanted: Wanted }): JSX.Element {
  const label = (): string => `${sentence(props.choice.label)}: which`;
  /** The number or kind used last, else the first one. */
  const value = (): string => {
    if (props.wanted.choice.name === props.choice.name) return props.wanted.value;
    if (props.choice.takes === 'event-kind') return EVENT_KINDS[0] ?? '';
    if (props.choice.takes === 'anomaly-kind') return ANOMALY_KINDS[0] ?? '';
    const request = props.app.selection.selected().request;
    return props.choice.takes === 'request' && request !== undefined ? String(request) : String(props.choice.first);
  };
  return (
    <Switch>
      <Match when={['count', 'percent', 'request'].includes(props.choice.takes)}>
        <input class="in" name="value" aria-label={label()} inputmode="decimal" size={5} value={value()} />
        <span class="unit">{props.choice.takes === 'percent' ? '%' : ''}</span>
      </Match>
      <Match when={props.choice.takes === 'event-kind'}>
        <select class="in" name="value" aria-label={label()} value={value()}>
          <For each={EVENT_KINDS}>{(kind) => <option value={kind}>{sentence(kind)}</option>}</For>
        </select>
      </Match>
      <Match when={props.choice.takes === 'anomaly-kind'}>
        <select class="in" name="value" aria-label={label()} value={value()}>
          <For each={ANOMALY_KINDS}>{(kind) => <option value={kind}>{titled(shapeOf(kind).name)}</option>}</For>
        </select>
      </Match>
    </Switch>
  );
}
