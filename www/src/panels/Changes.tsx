// What differs from the scenario as it was loaded: the edits made while it ran, and what changed from the start.
import { For, type JSX, Show } from 'solid-js';
import { child, equal, type Json, parsePath } from '../base/json.ts';
import { sentence } from '../base/schema.ts';
import { clock } from '../base/units.ts';
import type { App } from '../state/app.ts';
import { withValue } from '../state/document.ts';
import type { Edit } from '../state/edits.ts';
import { entryName, entryOf, hasNeighbours } from './Entries.tsx';
import { plainText } from './formFields.ts';

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
                  {labelOf(app, change.path)} <s class="was">{short(change.from)}</s> <b>{short(change.to)}</b>
                </span>
                <button
                  type="button"
                  class="btn"
                  aria-label={`Undo the change of ${labelOf(app, change.path)}`}
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

/** An edit in the words of the form: what it sets, what it adds. */
function said(app: App, edit: Edit): readonly (readonly [string, string])[] {
  const set = Object.entries(edit.set ?? {}).map(([path, value]) => [labelOf(app, path), short(value)] as const);
  const added = Object.entries(edit.add ?? {}).map(([list, entry]) => {
    const word = list === 'cluster.pools' ? 'New pool' : 'New client';
    return [word, short(child(entry, 'name'))] as const;
  });
  return [...set, ...added];
}

/** The form's name of a field, with its pool or client where there are several. */
function labelOf(app: App, path: string): string {
  const field = app.schema.fields(app.inForce(), parsePath(path))[0];
  const label = field?.path === path ? field.label : sentence(path.split('.').at(-1) ?? path);
  const entry = entryOf(path);
  return entry !== undefined && hasNeighbours(app.inForce(), entry)
    ? `${entryName(app.inForce(), entry)}: ${label}`
    : label;
}

/** A value in the form's words: a policy by its name, a list by its length. */
function short(value: Json | undefined): string {
  if (value === undefined) return 'default';
  if (value === null) return 'off';
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 9 });
  const text = typeof value === 'string' ? value : plainText(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
