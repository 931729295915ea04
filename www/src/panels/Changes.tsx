// What differs from the scenario as it was loaded: the edits made while it ran, and what changed from the start.
import { For, type JSX, Show } from 'solid-js';
import { child, equal, type Json } from '../base/json.ts';
import { clock } from '../base/units.ts';
import type { App } from '../state/app.ts';
import { withValue } from '../state/document.ts';
import { type Edit, routeSaid } from '../state/edits.ts';
import { choiceText, fieldAt, inUnit, pathName } from './formFields.ts';

export default function Changes(props: { app: App }): JSX.Element {
  const app = props.app;
  return (
    <div class="changes">
      <Show when={app.differences() === 0}>
        <p class="empty">
          Nothing differs from {app.presetName() || 'the scenario as it was loaded'}. Change a field: it is listed here,
          and can be taken back.
        </p>
      </Show>
      <Show when={app.listed().length > 0}>
        <h2>While it runs</h2>
        <ul>
          <For each={app.listed()}>
            {(placed) => (
              <li>
                <span class="at">
                  {clock(placed.atUs)} s{placed.scheduled ? ' · scheduled' : ''}
                </span>
                <span class="what">
                  <For each={said(app, placed.edit)}>
                    {([name, value]) => (
                      <span class="part">
                        {name} <b>{value}</b>
                      </span>
                    )}
                  </For>
                </span>
                <button
                  type="button"
                  class="btn"
                  aria-label={`Remove the edit at ${clock(placed.atUs)} s: ${said(app, placed.edit)
                    .map(([name]) => name)
                    .join(', ')}`}
                  onClick={() => void app.removeEdit(placed.index)}
                >
                  Remove
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={app.changed().length > 0}>
        <h2>From the start</h2>
        <ul>
          <For each={app.changed()}>
            {(change) => (
              <li>
                <span class="what">
                  {pathName(app.schema, app.document(), change.path)}{' '}
                  <s class="was">{short(app, change.path, change.from)}</s> <b>{short(app, change.path, change.to)}</b>
                </span>
                <button
                  type="button"
                  class="btn"
                  aria-label={`Undo the change of ${pathName(app.schema, app.document(), change.path)}`}
                  onClick={() => {
                    const next = withValue(app.document(), change.path, change.from);
                    if (!equal(next, app.document())) void app.restartWith(next);
                  }}
                >
                  Undo
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}

/** An edit in the words of the form: what it sets, what it adds, whom it sends where. */
function said(app: App, edit: Edit): readonly (readonly [string, string])[] {
  const set = Object.entries(edit.set ?? {}).map(
    ([path, value]) => [pathName(app.schema, app.inForce(), path), short(app, path, value)] as const,
  );
  const added = Object.entries(edit.add ?? {}).map(([list, entry]) => {
    const word = list === 'cluster.pools' ? 'New pool' : 'New client';
    return [word, short(app, '', child(entry, 'name'))] as const;
  });
  const route = routeSaid(edit);
  return [...set, ...added, ...(route ? [route] : [])];
}

/** The value at a path in the form's words: a number with its unit, a policy by its name, a list by its length. */
function short(app: App, path: string, stored: Json | undefined): string {
  const field = fieldAt(app.schema, app.inForce(), path);
  const value = field ? inUnit(field, stored) : stored;
  if (value === undefined) return 'default';
  if (value === null) return 'off';
  if (typeof value === 'number') {
    const text = value.toLocaleString('en', { maximumFractionDigits: 9 });
    return field && field.unit !== '' ? `${text}\u00a0${field.unit}` : text;
  }
  const text = field?.input.kind === 'choice' || typeof value !== 'string' ? choiceText(value, field) : value;
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
