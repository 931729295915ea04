// The differences from the scenario as it was loaded: edits made during the run, and changes from the start.
import { For, type JSX, Show } from 'solid-js';
import { equal } from '../../base/json.ts';
import { clock } from '../../base/units.ts';
import { Listed, restOfList } from '../../draw/GrowingList.tsx';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { withValue } from '../../state/edits/document.ts';
import { editSaid } from '../parts/editWords.ts';
import { pathName, valueSaid } from '../parts/formFields.ts';

export default function Changes(props: { app: Pick<App, 'document'> }): JSX.Element {
  const app = props.app;
  return (
    <div class="changes">
      <div class="changes-acts">
        <button
          type="button"
          class="btn plain-act"
          title={tooltip('Undo', 'undo')}
          disabled={!app.document.canUndo()}
          onClick={() => void app.document.undo()}
        >
          Undo
        </button>
        <button
          type="button"
          class="btn plain-act"
          title={tooltip('Redo', 'redo')}
          disabled={!app.document.canRedo()}
          onClick={() => void app.document.redo()}
        >
          Redo
        </button>
      </div>
      <Show when={app.document.differences() === 0}>
        <p class="empty">
          Nothing differs from {app.document.presetName() || 'the scenario as it was loaded'}. A changed field is listed
          here and can be undone.
        </p>
      </Show>
      <Show when={app.document.listed().length > 0}>
        <h2>While it runs</h2>
        <ul>
          <Listed each={app.document.listed()} rest={restOfList}>
            {(placed) => (
              <li>
                <span class="at">
                  {clock(placed.atUs)} s{placed.scheduled ? ' · scheduled' : ''}
                </span>
                <span class="what">
                  <For each={editSaid(app, placed.edit)}>
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
                  aria-label={`Remove the edit at ${clock(placed.atUs)} s: ${editSaid(app, placed.edit)
                    .map(([name]) => name)
                    .join(', ')}`}
                  onClick={() => void app.document.removeEdit(placed.index)}
                >
                  Remove
                </button>
              </li>
            )}
          </Listed>
        </ul>
      </Show>
      <Show when={app.document.changed().length > 0}>
        <h2>From the start</h2>
        <ul>
          <Listed each={app.document.changed()} rest={restOfList}>
            {(change) => (
              <li>
                <span class="what">
                  {pathName(app.document.schema, app.document.current(), change.path)}{' '}
                  <s class="was">{valueSaid(app, change.path, change.from)}</s>{' '}
                  <b>{valueSaid(app, change.path, change.to)}</b>
                </span>
                <button
                  type="button"
                  class="btn"
                  aria-label={`Undo the change of ${pathName(app.document.schema, app.document.current(), change.path)}`}
                  onClick={() => {
                    const next = withValue(app.document.current(), change.path, change.from);
                    if (!equal(next, app.document.current())) void app.document.restartWith(next);
                  }}
                >
                  Undo
                </button>
              </li>
            )}
          </Listed>
        </ul>
      </Show>
    </div>
  );
}
