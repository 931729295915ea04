// The scenario's main fields, generated from its JSON Schema, in sections.
import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { getAt } from '../base/json.ts';
import type { Field } from '../base/schema.ts';
import type { App } from '../state/app.ts';
import { FieldRow } from './FieldRow.tsx';
import { fieldsOf, groupName, SECTIONS, type Section, sameList, say, saysSomething } from './formFields.ts';

export function Form(props: { app: App }): JSX.Element {
  return (
    <div class="form">
      <For each={SECTIONS}>{(section) => <FormSection app={props.app} section={section} />}</For>
    </div>
  );
}

function FormSection(props: { app: App; section: Section }): JSX.Element {
  const app = props.app;
  const [open, setOpen] = createSignal(props.section.open);
  const body = createUniqueId();
  const fields = createMemo(() => fieldsOf(app, props.section));
  const byId = createMemo(() => new Map(fields().map((f) => [f.id, f])));
  const ids = createMemo(() => fields().map((f) => f.id), [], { equals: sameList });
  const summary = createMemo(() =>
    fields()
      .filter((f) => f.depth === 0 && saysSomething(f, getAt(app.inForce(), f.path)))
      .slice(0, 3)
      .map((f) => say(f, getAt(app.inForce(), f.path))),
  );
  return (
    <section class="sec" classList={{ shut: !open() }}>
      <h2>
        <button
          type="button"
          class="sec-head"
          aria-expanded={open()}
          aria-controls={body}
          onClick={() => setOpen(!open())}
        >
          <svg class="tw" viewBox="0 0 8 8" aria-hidden="true">
            <path d={open() ? 'M1 2.500l3 3 3-3' : 'M2.500 1l3 3-3 3'} />
          </svg>
          {props.section.title}
          <Show when={!open()}>
            {/* What does not fit is left out whole, never cut. */}
            <span class="sum">
              <For each={summary()}>{(part) => <span>{part}</span>}</For>
            </span>
          </Show>
        </button>
      </h2>
      <div id={body} hidden={!open()}>
        <For each={ids()}>
          {(id, i) => {
            const field = createMemo<Field | undefined>((old) => byId().get(id) ?? old);
            return (
              <Show when={field()}>
                {(f) => (
                  <>
                    <Show when={groupName(app.document(), f().path, ids()[i() - 1])}>
                      {(name) => <h3 class="group">{name()}</h3>}
                    </Show>
                    <FieldRow app={app} field={f()} />
                  </>
                )}
              </Show>
            );
          }}
        </For>
      </div>
    </section>
  );
}
