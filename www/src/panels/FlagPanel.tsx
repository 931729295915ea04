// Edits of the timeline, in place: when they apply, what they set, whether they do.
import { For, type JSX, Show } from 'solid-js';
import { getAt, type Json } from '../base/json.ts';
import { clock, secondsOf } from '../base/units.ts';
import type { App } from '../state/app.ts';
import { routeSaid } from '../state/edits.ts';
import { fieldAt, inUnit, pathName, plainText } from './formFields.ts';

export default function FlagPanel(props: { app: App }): JSX.Element {
  const app = props.app;
  return (
    <ul class="flag-list">
      <For each={app.openFlags()} fallback={<li>Nothing has been edited while the run went on.</li>}>
        {(index) => <Row app={app} index={index} />}
      </For>
    </ul>
  );
}

function Row(props: { app: App; index: number }): JSX.Element {
  const app = props.app;
  const placed = () => app.edits()[props.index];
  return (
    <Show when={placed()}>
      {(edit) => (
        <li classList={{ off: edit().off }}>
          <label>
            at{' '}
            <input
              class="in"
              size={9}
              inputmode="decimal"
              aria-label="Time of the edit, in seconds"
              value={clock(edit().atUs)}
              onChange={(event) => {
                const seconds = secondsOf(event.currentTarget.value.trim().replaceAll(',', ''));
                if (seconds !== undefined) void app.moveEdit(props.index, seconds * 1e6);
              }}
            />{' '}
            s
          </label>
          <For each={Object.entries(edit().edit.set ?? {})}>
            {([path, value]) => (
              <label>
                <span class="what">{pathName(app.schema, app.document(), path)}</span>
                <input
                  class="in"
                  size={12}
                  value={textOf(value)}
                  title={shownAs(app, path, value)}
                  onChange={(event) => void app.reviseEdit(props.index, path, readAs(event.currentTarget.value, value))}
                />
                {unitOf(app, path)}
              </label>
            )}
          </For>
          <For each={Object.entries(edit().edit.add ?? {})}>
            {([list, entry]) => (
              <span class="what">
                {list === 'cluster.pools' ? 'New pool' : 'New client'} <b>{String(getAt(entry, 'name') ?? '')}</b>
              </span>
            )}
          </For>
          <Show when={routeSaid(edit().edit)}>
            {(said) => (
              <span class="what">
                {said()[0]} <b>{said()[1]}</b>
              </span>
            )}
          </Show>
          <span class="flag-acts">
            <button type="button" class="btn box" onClick={() => void app.seek(edit().atUs / 1e6)}>
              Go there
            </button>
            <button
              type="button"
              class="btn box"
              aria-pressed={edit().off}
              onClick={() => void app.switchEdit(props.index)}
            >
              {edit().off ? 'Switch on' : 'Switch off'}
            </button>
            <button type="button" class="btn box" onClick={() => void app.removeEdit(props.index)}>
              Remove
            </button>
          </span>
        </li>
      )}
    </Show>
  );
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What was typed, as JSON where the value before was no text; what is none is text, and the core says what it wants. */
function readAs(text: string, before: Json): Json {
  if (typeof before === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The unit of a value that the document has in the form's unit. */
function unitOf(app: App, path: string): string {
  const field = fieldAt(app.schema, app.inForce(), path);
  return field?.times === 1 ? field.unit : '';
}

function shownAs(app: App, path: string, stored: Json): string {
  const field = fieldAt(app.schema, app.inForce(), path);
  const value = field ? inUnit(field, stored) : stored;
  return value === undefined ? '' : plainText(value);
}
