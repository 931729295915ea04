// An entrant of one's own: any settings of the scenario's policies, in a form over a copy of the scenario. Loaded when
// it is opened.
import { createMemo, createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from 'solid-js';
import { equal, getAt, type Json, setAt } from '../../base/json.ts';
import type { Field, Input } from '../../base/schema.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { freeName, settingsOf } from '../../state/studies/entrants.ts';
import type { Entrant } from '../../state/studies/race.ts';
import {
  choiceText,
  entriesOf,
  entryTitle,
  fieldsIn,
  hasNeighbours,
  inDocument,
  inUnit,
  type PlacedField,
  plainText,
  SECTIONS,
} from '../parts/formFields.ts';

/** The sections of the form whose fields are policies. */
const POLICIES = ['Routing', 'Admission', 'Gateway queue', 'Scheduling', 'Autoscaling', 'Split'] as const;

export default function EntrantForm(props: {
  app: Pick<App, 'document'>;
  /** The scenario of the race. */
  base: Json;
  /** The scenario that the form begins with. */
  start: Json;
  taken: readonly string[];
  onAdd: (entrant: Entrant) => void;
  onCancel: () => void;
}): JSX.Element {
  const [draft, setDraft] = createSignal(props.start);
  const [name, setName] = createSignal<string>();
  const [section, setSection] = createSignal<string>(POLICIES[0]);
  const set = createMemo(() => settingsOf(props.base, draft()), undefined, { equals: false });
  const own = (): string => name() ?? suggested(set());
  const schema = props.app.document.schema;
  const change = (path: string, value: Json): void => {
    const together = schema.together(draft(), path, value);
    setDraft((before) => setAt(before, together?.path ?? path, together?.value ?? value));
  };
  const sections = createMemo(() =>
    SECTIONS.filter(({ title }) => POLICIES.some((p) => p === title)).filter((s) => entriesOf(draft(), s).length > 0),
  );
  const shown = () => sections().find(({ title }) => title === section());
  return (
    <section class="entrant-form" aria-label="Own entrant">
      <label class="entrant-name">
        Name
        <input class="in" type="text" maxlength={40} value={own()} onInput={(e) => setName(e.currentTarget.value)} />
      </label>
      <label class="entrant-name">
        Policies of
        <select class="in" value={section()} onChange={(e) => setSection(e.currentTarget.value)}>
          <For each={sections()}>{({ title }) => <option value={title}>{title}</option>}</For>
        </select>
      </label>
      <Show when={shown()} keyed>
        {(of) => (
          <For each={entriesOf(draft(), of)}>
            {(entry) => (
              <>
                <Show when={hasNeighbours(draft(), entry)}>
                  <h3 class="compare-sub">{entryTitle(draft(), entry)}</h3>
                </Show>
                <Fields
                  fields={() => fieldsIn(schema, draft(), of, entry)}
                  draft={draft}
                  base={props.base}
                  onSet={change}
                />
              </>
            )}
          </For>
        )}
      </Show>
      <div class="entrant-foot">
        <p class="say" role="status">
          {Object.keys(set()).length === 0 ? 'Nothing differs from the scenario yet.' : `Differs in ${said(set())}.`}
        </p>
        <div class="compare-buttons flat">
          <button
            type="button"
            class="btn pri"
            disabled={Object.keys(set()).length === 0}
            onClick={() => props.onAdd({ name: freeName(own(), props.taken), set: set() })}
          >
            Add to the race
          </button>
          <button type="button" class="btn box" onClick={props.onCancel}>
            Cancel
          </button>
        </div>
      </div>
    </section>
  );
}

const said = (set: Readonly<Record<string, Json>>): string =>
  Object.keys(set)
    .map((path) => path.replace(/^cluster\./, '').replaceAll('_', ' '))
    .join(', ');

/** A name from what differs: the router, or else the first path. */
export function suggested(set: Readonly<Record<string, Json>>): string {
  const router = set['cluster.routing'];
  if (router !== undefined) return `${choiceText(router)}, own`;
  const [first] = Object.keys(set);
  return first === undefined ? 'Own' : `Own ${first.split('.').at(-1) ?? ''}`.replaceAll('_', ' ');
}

function Fields(props: {
  fields: () => readonly PlacedField[];
  draft: () => Json;
  base: Json;
  onSet: (path: string, value: Json) => void;
}): JSX.Element {
  const ids = createMemo(() => props.fields().map((f) => f.id), [], { equals: equal });
  return (
    <For each={ids()}>
      {(id) => {
        const field = createMemo(
          (old: PlacedField | undefined) => props.fields().find((f) => f.id === id) ?? old,
          undefined,
        );
        return (
          <Show when={field()}>
            {(of) => <Row field={of()} draft={props.draft} base={props.base} onSet={props.onSet} />}
          </Show>
        );
      }}
    </For>
  );
}

function Row(props: {
  field: PlacedField;
  draft: () => Json;
  base: Json;
  onSet: (path: string, value: Json) => void;
}): JSX.Element {
  const id = createUniqueId();
  const path = (): string => props.field.path;
  const value = createMemo(() => getAt(props.draft(), path()) ?? props.field.initial, undefined, { equals: equal });
  const changed = (): boolean => !equal(value() ?? null, getAt(props.base, path()) ?? props.field.initial ?? null);
  const removeItem = (item: string): void => {
    const list = item.slice(0, item.lastIndexOf('['));
    const items = getAt(props.draft(), list);
    const index = Number(item.slice(list.length + 1, -1));
    if (Array.isArray(items)) props.onSet(list, items.toSpliced(index, 1));
  };
  return (
    <div
      class="entrant-row"
      classList={{ changed: changed(), deep: props.field.depth > 0, item: props.field.item !== undefined }}
    >
      <label for={id} title={props.field.description.replaceAll('`', '')}>
        {props.field.label}
        <Show when={props.field.within}>
          <span class="visually-hidden">, {props.field.within}</span>
        </Show>
      </label>
      <span class="entrant-value">
        <Show when={props.field.item}>
          {(item) => (
            <button type="button" class="btn sq" aria-label={`Remove ${item()}`} onClick={() => removeItem(item())}>
              <Icon name="close" />
            </button>
          )}
        </Show>
        <Control id={id} field={props.field} value={value()} onSet={(next) => props.onSet(path(), next)} />
        <Show when={props.field.unit}>
          <i class="s">{props.field.unit}</i>
        </Show>
      </span>
    </div>
  );
}

function Control(props: {
  id: string;
  field: Field;
  value: Json | undefined;
  onSet: (value: Json) => void;
}): JSX.Element {
  const input = (): Input => props.field.input;
  const choice = () => asKind(input(), 'choice');
  const list = () => asKind(input(), 'list');
  const isOn = (): boolean => (input().kind === 'optional' ? (props.value ?? null) !== null : props.value === true);
  const typed = (text: string): Json => {
    const number = Number(text.trim().replaceAll(',', ''));
    return input().kind === 'number' && text.trim() !== '' && !Number.isNaN(number)
      ? inDocument(props.field, number)
      : text.trim();
  };
  return (
    <Switch
      fallback={
        <input
          id={props.id}
          class="in"
          type="text"
          spellcheck={false}
          inputmode={input().kind === 'number' ? 'decimal' : 'text'}
          value={plainText(inUnit(props.field, props.value))}
          onChange={(event) => props.onSet(typed(event.currentTarget.value))}
        />
      }
    >
      <Match when={choice()}>
        {(of) => (
          <select
            id={props.id}
            class="in"
            onChange={(event) => {
              const found = of().options.find((o) => o.tag === event.currentTarget.value);
              if (found) props.onSet(found.value);
            }}
          >
            <For each={of().options}>
              {(o) => (
                <option value={o.tag} selected={o.tag === of().tag}>
                  {o.label}
                </option>
              )}
            </For>
          </select>
        )}
      </Match>
      <Match when={input().kind === 'toggle' || input().kind === 'optional'}>
        <input
          id={props.id}
          type="checkbox"
          checked={isOn()}
          onChange={() => {
            const optional = asKind(input(), 'optional');
            props.onSet(optional ? (isOn() ? null : optional.start) : !isOn());
          }}
        />
      </Match>
      <Match when={list()}>
        {(of) => (
          <button
            type="button"
            id={props.id}
            class="btn box"
            aria-label={`Add ${of().word}`}
            onClick={() => props.onSet([...(Array.isArray(props.value) ? props.value : []), of().start])}
          >
            Add {of().word}
          </button>
        )}
      </Match>
    </Switch>
  );
}

function asKind<K extends Input['kind']>(input: Input, kind: K): Extract<Input, { kind: K }> | undefined {
  const is = (of: Input): of is Extract<Input, { kind: K }> => of.kind === kind;
  return is(input) ? input : undefined;
}
