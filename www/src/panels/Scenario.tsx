// The left panel: the scenario as a form, as YAML, and as what was changed.
import { Tabs } from '@ark-ui/solid/tabs';
import { createEffect, createSignal, For, type JSX, on, Show } from 'solid-js';
import { equal, type Json } from '../base/json.ts';
import { sentence } from '../base/schema.ts';
import { readYaml, writeDocument, writeYaml } from '../base/text.ts';
import { clock } from '../base/units.ts';
import type { Diagnostic } from '../generated/boundary.ts';
import type { App, LeftTab } from '../state/app.ts';
import { withValue } from '../state/document.ts';
import { explain } from '../state/notices.ts';
import { Form } from './Form.tsx';
import { save } from './save.ts';

export function Scenario(props: { app: App }): JSX.Element {
  const app = props.app;
  const total = (): number => app.changed().length + app.edits().length;
  return (
    <aside class="left" aria-label="Scenario">
      <Tabs.Root
        class="tabs"
        value={app.leftTab()}
        onValueChange={({ value }) => app.setLeftTab(toTab(value))}
        lazyMount
      >
        <div class="bar">
          <Tabs.List class="seg" aria-label="Scenario as">
            <Tabs.Trigger value="form">Form</Tabs.Trigger>
            <Tabs.Trigger value="yaml">YAML</Tabs.Trigger>
            <Tabs.Trigger value="changes">
              Changes <Show when={total() > 0}>{<span class="ac">{total()}</span>}</Show>
            </Tabs.Trigger>
          </Tabs.List>
        </div>
        <Tabs.Content value="form" class="tab">
          <Form app={app} />
        </Tabs.Content>
        <Tabs.Content value="yaml" class="tab">
          <Yaml app={app} />
        </Tabs.Content>
        <Tabs.Content value="changes" class="tab">
          <Changes app={app} />
        </Tabs.Content>
      </Tabs.Root>
      <div class="lfoot">
        <button
          type="button"
          class="btn"
          onClick={() => save('scenario.json', `${writeDocument(app.document(), 2)}\n`)}
        >
          Save as file
        </button>
        <span class="grow" />
        <button type="button" class="btn" disabled={total() === 0} onClick={() => void app.reset()}>
          Reset
        </button>
      </div>
    </aside>
  );
}

function Yaml(props: { app: App }): JSX.Element {
  const app = props.app;
  const [text, setText] = createSignal('');
  const [dirty, setDirty] = createSignal(false);
  const [wrong, setWrong] = createSignal<readonly string[]>([]);

  const fill = (document: Json): void => {
    void writeYaml(document).then((written) => {
      setText(written);
      setDirty(false);
      setWrong([]);
    });
  };
  // What the reader typed is never overwritten by the run.
  createEffect(
    on(app.document, (document) => {
      if (!dirty()) fill(document);
    }),
  );

  const apply = async (): Promise<void> => {
    const { YAMLParseError } = await import('yaml');
    try {
      if (await app.rerun(await readYaml(text()))) fill(app.document());
      else setWrong([...app.problems().values()].map((d: Diagnostic) => explain(d)));
    } catch (error) {
      if (!(error instanceof YAMLParseError)) throw error;
      setWrong([error.message]);
    }
  };
  return (
    <div class="yaml">
      <textarea
        aria-label="Scenario as YAML"
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        value={text()}
        aria-invalid={wrong().length > 0}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setDirty(true);
        }}
      />
      <Show when={wrong().length > 0}>
        <ul class="problems" role="alert">
          <For each={wrong()}>{(line) => <li>{line}</li>}</For>
        </ul>
      </Show>
      <div class="yaml-foot">
        <button type="button" class="btn pri" disabled={!dirty()} onClick={() => void apply()}>
          Apply
        </button>
        <button type="button" class="btn" disabled={!dirty()} onClick={() => fill(app.document())}>
          Revert
        </button>
        <span class="m">{dirty() ? 'makes the run again' : ''}</span>
      </div>
    </div>
  );
}

function Changes(props: { app: App }): JSX.Element {
  const app = props.app;
  return (
    <div class="changes">
      <Show when={app.changed().length + app.edits().length === 0}>
        <p class="empty">
          Nothing differs from {app.presetName() || 'the scenario as it was loaded'}. Change a field: it is listed here,
          and can be taken back.
        </p>
      </Show>
      <Show when={app.edits().length > 0}>
        <h2>While it runs</h2>
        <ul>
          <For each={app.edits()}>
            {(edit, index) => (
              <li>
                <span class="at">{clock(edit.atUs)} s</span>
                <span class="what">
                  {labelOf(edit.path)} <b>{short(edit.value)}</b>
                </span>
                <button
                  type="button"
                  class="btn"
                  aria-label={`Remove the edit of ${labelOf(edit.path)}`}
                  onClick={() => void app.removeEdit(index())}
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
                  {labelOf(change.path)} <s class="was">{short(change.from)}</s> <b>{short(change.to)}</b>
                </span>
                <button
                  type="button"
                  class="btn"
                  aria-label={`Undo the change of ${labelOf(change.path)}`}
                  onClick={() => {
                    const next = withValue(app.document(), change.path, change.from);
                    if (!equal(next, app.document())) void app.rerun(next);
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

function toTab(value: string): LeftTab {
  return value === 'yaml' || value === 'changes' ? value : 'form';
}

function labelOf(path: string): string {
  return sentence(path.split('.').slice(-1)[0] ?? path);
}

function short(value: Json | undefined): string {
  if (value === undefined) return 'default';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
