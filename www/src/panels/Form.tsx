// The scenario's main fields, generated from its JSON Schema, in sections.
import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { getAt } from '../base/json.ts';
import type { Field } from '../base/schema.ts';
import type { App } from '../state/app.ts';
import { AddEntry, EntryHead, entryName, entryOf, hasNeighbours, headId, isJustAdded } from './Entries.tsx';
import { FieldRow } from './FieldRow.tsx';
import { fieldsOf, SECTIONS, type Section, sameList, say, saysSomething } from './formFields.ts';
import { Twisty } from './Twisty.tsx';

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
  /** The pools or clients of the section, and '' for what belongs to none. */
  const entries = createMemo(() => [...new Set(fields().map((f) => entryOf(f.path) ?? ''))], [], { equals: sameList });
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
          <Twisty open={open()} />
          {props.section.title}
          <Show when={!open()}>
            <Summary app={app} fields={fields()} />
          </Show>
        </button>
      </h2>
      <div id={body} hidden={!open()}>
        <For each={entries()}>{(entry) => <Entry app={app} section={props.section} entry={entry} byId={byId()} />}</For>
        <AddEntry app={app} section={props.section} />
      </div>
    </section>
  );
}

/** What is closed in one line. What does not fit is left out whole, never cut. */
function Summary(props: { app: App; fields: readonly Field[] }): JSX.Element {
  const parts = createMemo(() =>
    props.fields
      .filter((f) => saysSomething(f, getAt(props.app.inForce(), f.path)))
      .slice(0, 3)
      .map((f) => say(f, getAt(props.app.inForce(), f.path))),
  );
  return (
    <span class="sum">
      <For each={parts()}>{(part) => <span>{part}</span>}</For>
    </span>
  );
}

/**
 * The rows of one pool or client, under its name where there are several; or those that belong to none. Of several, the first is
 * open, and those that were just added.
 */
function Entry(props: { app: App; section: Section; entry: string; byId: ReadonlyMap<string, Field> }): JSX.Element {
  const app = props.app;
  const body = createUniqueId();
  const several = (): boolean => props.entry !== '' && hasNeighbours(app.inForce(), props.entry);
  const [open, setOpen] = createSignal(props.entry.endsWith('[0]') || isJustAdded(props.entry));
  const shown = (): boolean => open() || !several();
  const fields = createMemo(() => [...props.byId.values()].filter((f) => (entryOf(f.path) ?? '') === props.entry));
  const ids = createMemo(() => fields().map((f) => f.id), [], { equals: sameList });
  const rows = (
    <For each={ids()}>
      {(id) => {
        const field = createMemo<Field | undefined>((old) => props.byId.get(id) ?? old);
        return <Show when={field()}>{(f) => <FieldRow app={app} field={f()} />}</Show>;
      }}
    </For>
  );
  return (
    <Show when={props.entry !== ''} fallback={rows}>
      <fieldset class="entry" aria-label={entryName(app.inForce(), props.entry)}>
        <Show when={several()}>
          <EntryHead app={app} section={props.section} entry={props.entry} open={open()}>
            <button
              type="button"
              class="entry-name"
              id={headId(props.section, props.entry)}
              aria-expanded={open()}
              aria-controls={body}
              onClick={() => setOpen(!open())}
            >
              <Twisty open={open()} />
              <span>{entryName(app.inForce(), props.entry)}</span>
              <Show when={!open()}>
                <Summary app={app} fields={fields()} />
              </Show>
            </button>
          </EntryHead>
        </Show>
        <div id={body} hidden={!shown()}>
          {rows}
        </div>
      </fieldset>
    </Show>
  );
}
