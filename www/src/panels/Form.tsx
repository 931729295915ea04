// The scenario's main fields, generated from its JSON Schema. A field that can be changed while the run goes on is
// applied at the playhead; any other makes the run again.
import { createListCollection, Select } from '@ark-ui/solid/select';
import { createMemo, createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from 'solid-js';
import { Portal } from 'solid-js/web';
import { child, equal, getAt, type Json, parsePath, setAt } from '../base/json.ts';
import type { Field, Input } from '../base/schema.ts';
import { sentence } from '../base/schema.ts';
import { NBSP } from '../base/units.ts';
import type { Diagnostic } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { editFor } from '../state/document.ts';
import { Icon } from './Quantity.tsx';

type Section = { readonly title: string; readonly open: boolean; readonly paths: readonly string[] };

/** `*` stands for every pool or client. What lies under a path comes from the schema. */
const SECTIONS: readonly Section[] = [
  {
    title: 'Fleet',
    open: true,
    paths: [
      'cluster.pools[*].model',
      'cluster.pools[*].gpu',
      'cluster.pools[*].tp',
      'cluster.pools[*].replicas',
      'cluster.pools[*].architecture',
      'cluster.pools[*].hardware',
    ],
  },
  { title: 'KV cache', open: true, paths: ['cluster.pools[*].kv'] },
  { title: 'Admission', open: true, paths: ['cluster.admission', 'cluster.admission_latency_us'] },
  {
    title: 'Routing',
    open: true,
    paths: ['cluster.routing', 'cluster.snapshot_refresh_us', 'cluster.routing_latency_us'],
  },
  {
    title: 'Scheduling',
    open: false,
    paths: ['cluster.pools[*].engine', 'cluster.pools[*].latency', 'cluster.compat'],
  },
  {
    title: 'Workload',
    open: true,
    paths: [
      'workload.clients[*].arrivals',
      'workload.clients[*].tenant',
      'workload.clients[*].slo_class',
      'workload.clients[*].prompt_tokens',
      'workload.clients[*].output_tokens',
      'workload.clients[*].prefix',
      'workload.trace',
    ],
  },
  { title: 'Objectives', open: false, paths: ['slo'] },
  { title: 'Run', open: false, paths: ['run'] },
  { title: 'Observation', open: false, paths: ['observe'] },
];

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
      .map((f) => say(f, getAt(app.inForce(), f.path)))
      .join(' · '),
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
            <span class="sum">{summary()}</span>
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

function FieldRow(props: { app: App; field: Field }): JSX.Element {
  const app = props.app;
  const id = createUniqueId();
  const [help, setHelp] = createSignal(false);
  const path = (): string => props.field.path;
  const value = createMemo(() => getAt(app.inForce(), path()) ?? props.field.initial, undefined, { equals: equal });
  const before = createMemo(() => getAt(app.original(), path()) ?? props.field.initial, undefined, { equals: equal });
  // A choice changes with its tag; its parameters have rows of their own.
  const whole = (): boolean => ['choice', 'optional', 'list'].includes(props.field.input.kind);
  const changed = (): boolean => (whole() ? plainText(value()) !== plainText(before()) : !equal(value(), before()));
  const problem = createMemo(() => problemOf(app.problems(), props.field));
  const live = (): boolean => editFor(path(), value() ?? 0, app.inForce()) !== undefined;
  const set = (next: Json): void => {
    const together = wholeProfile(app.inForce(), path(), next);
    if (together) void app.change(together.path, together.value);
    else if (!equal(next, value())) void app.change(path(), next);
    else app.setProblems((all) => without(all, path()));
  };
  /** Takes an item out of its list: `slo.classes[1]` out of `slo.classes`. */
  const remove = (item: string): void => {
    const list = item.slice(0, item.lastIndexOf('['));
    const items = getAt(app.inForce(), list);
    const index = Number(item.slice(list.length + 1, -1));
    if (Array.isArray(items))
      void app.change(
        list,
        items.filter((_: Json, i) => i !== index),
      );
  };
  return (
    <div class="f" classList={{ chg: changed(), wrong: problem()?.severity === 'error', sub: props.field.depth > 0 }}>
      <span class="name">
        <label for={id} id={`${id}-label`}>
          {props.field.label}
        </label>
        <button
          type="button"
          class="why"
          aria-label={`About ${props.field.label}`}
          aria-expanded={help()}
          onClick={() => setHelp(!help())}
        >
          ?
        </button>
      </span>
      <div class="v">
        <Show when={props.field.item}>
          {(item) => (
            <button type="button" class="btn sq take" aria-label={`Remove ${item()}`} onClick={() => remove(item())}>
              <Icon name="close" />
            </button>
          )}
        </Show>
        <Show when={changed() && !whole()}>
          <s class="was">{plainText(before())}</s>
        </Show>
        <Control id={id} field={props.field} value={value()} invalid={problem()?.severity === 'error'} onSet={set} />
      </div>
      <Show when={help()}>
        <p class="help">
          {props.field.description.replaceAll('`', '')} {rangeOf(props.field)}
          <span class="m">
            {live() ? 'Applies at the playhead.' : 'Restarts the run and goes to the same instant.'}
          </span>
        </p>
      </Show>
      <Show when={problem()}>
        {(d) => (
          <p class="problem" role="alert" classList={{ mild: d().severity === 'warning' }}>
            {message(d())}
          </p>
        )}
      </Show>
    </div>
  );
}

function Control(props: {
  id: string;
  field: Field;
  value: Json | undefined;
  invalid: boolean;
  onSet: (value: Json) => void;
}): JSX.Element {
  const input = (): Input => props.field.input;
  return (
    <Switch>
      <Match when={input().kind === 'choice'}>
        <Choice {...props} />
      </Match>
      <Match when={input().kind === 'toggle'}>
        <button
          type="button"
          class="sw"
          id={props.id}
          role="switch"
          aria-checked={props.value === true}
          aria-labelledby={`${props.id}-label`}
          onClick={() => props.onSet(props.value !== true)}
        />
      </Match>
      <Match when={optionalOf(input())}>
        {(start) => (
          <button
            type="button"
            class="sw"
            id={props.id}
            role="switch"
            aria-checked={props.value !== undefined && props.value !== null}
            aria-labelledby={`${props.id}-label`}
            onClick={() => props.onSet(props.value === undefined || props.value === null ? start() : null)}
          />
        )}
      </Match>
      <Match when={listOf(input())}>
        {(list) => (
          <button
            type="button"
            class="btn box add"
            id={props.id}
            aria-label={`Add ${list().word}`}
            onClick={() => props.onSet([...(Array.isArray(props.value) ? props.value : []), list().start])}
          >
            Add {list().word}
          </button>
        )}
      </Match>
      <Match when={true}>
        <Typed {...props} />
      </Match>
    </Switch>
  );
}

function optionalOf(input: Input): Json | undefined {
  return input.kind === 'optional' ? input.start : undefined;
}

function listOf(input: Input): Extract<Input, { kind: 'list' }> | undefined {
  return input.kind === 'list' ? input : undefined;
}

/** A number or a text. What was typed stays in the field while it is refused. */
function Typed(props: {
  id: string;
  field: Field;
  value: Json | undefined;
  invalid: boolean;
  onSet: (value: Json) => void;
}): JSX.Element {
  const numeric = (): boolean => props.field.input.kind === 'number';
  const commit = (text: string): void => {
    const trimmed = text.trim().replace(/,(?=\d{3}(\D|$))/g, '');
    props.onSet(numeric() && trimmed !== '' && !Number.isNaN(Number(trimmed)) ? Number(trimmed) : trimmed);
  };
  const nudge = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    const way = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    const now = Number(event.currentTarget.value);
    if (way === 0 || !numeric() || Number.isNaN(now)) return;
    event.preventDefault();
    commit(String(Math.max(0, Number((now + way * (Number.isInteger(now) ? 1 : 0.1)).toFixed(6)))));
  };
  const weight = (): boolean => numeric() && props.field.path.endsWith('.weight');
  return (
    <>
      <Show when={weight()}>
        <input
          class="weigh"
          type="range"
          min="0.5"
          max={Math.max(10, Number(props.value))}
          step="0.5"
          value={Number(props.value)}
          aria-label={`${props.field.label}, as a slider`}
          onChange={(event) => commit(event.currentTarget.value)}
        />
      </Show>
      <span class="in" classList={{ w: !numeric() }}>
        <input
          id={props.id}
          type="text"
          inputmode={numeric() ? 'decimal' : 'text'}
          spellcheck={false}
          autocomplete="off"
          size={numeric() ? Math.max(3, plainText(props.value).length) : 14}
          value={plainText(props.value)}
          aria-invalid={props.invalid}
          onChange={(event) => commit(event.currentTarget.value)}
          onKeyDown={nudge}
        />
        <Show when={props.field.unit}>
          <i>{props.field.unit}</i>
        </Show>
      </span>
    </>
  );
}

function Choice(props: {
  id: string;
  field: Field;
  value: Json | undefined;
  onSet: (value: Json) => void;
}): JSX.Element {
  const options = createMemo(() => (props.field.input.kind === 'choice' ? props.field.input.options : []));
  const tags = createMemo(() => options().map((o) => o.tag), [], { equals: sameList });
  const collection = createMemo(() =>
    createListCollection({ items: tags(), itemToString: (tag) => sentence(tag), itemToValue: (tag) => tag }),
  );
  const current = (): string => (props.field.input.kind === 'choice' ? props.field.input.tag : '');
  const option = (tag: string) => options().find((o) => o.tag === tag);
  return (
    <Select.Root
      class="select"
      collection={collection()}
      value={[current()]}
      ids={{ trigger: props.id, label: `${props.id}-label` }}
      positioning={{ sameWidth: false, gutter: 4 }}
      onValueChange={({ value }) => {
        const chosen = option(value[0] ?? '');
        if (chosen && chosen.tag !== current()) props.onSet(chosen.value);
      }}
    >
      <Select.Control>
        <Select.Trigger class="in w pick">
          <span class="pick-text">{option(current())?.label ?? current()}</span>
          <Icon name="down" />
        </Select.Trigger>
      </Select.Control>
      <Portal>
        <Select.Positioner>
          <Select.Content class="menu">
            <For each={tags()}>
              {(tag) => (
                <Select.Item item={tag} class="menu-item tall">
                  <Select.ItemText>
                    <b>{option(tag)?.label}</b>
                  </Select.ItemText>
                  <span class="s">{option(tag)?.description}</span>
                </Select.Item>
              )}
            </For>
          </Select.Content>
        </Select.Positioner>
      </Portal>
    </Select.Root>
  );
}

// ---- what the rows are made of -----------------------------------------------------------------------------------

function fieldsOf(app: App, section: Section): readonly Field[] {
  const document = app.inForce();
  const all = section.paths.flatMap((path) => expand(document, path));
  // Everything about the first pool or client, then everything about the second: the sort keeps the order otherwise.
  const item = (steps: readonly (string | number)[]): number => Number(steps.find((s) => typeof s === 'number') ?? -1);
  const grouped = section.paths.every((path) => path.includes('[*]') || path === 'workload.trace');
  const ordered = grouped ? all.toSorted((a, b) => item(a) - item(b)) : all;
  return ordered.flatMap((steps) => app.schema.fields(document, steps));
}

/** `cluster.pools[*].kv` for every pool there is; nothing for an optional part that is not there. */
function expand(document: Json, path: string): readonly (readonly (string | number)[])[] {
  // A trace replaces the clients.
  if (path.startsWith('workload.clients') && getAt(document, 'workload.trace')) return [];
  const [list, rest] = path.split('[*]');
  if (rest === undefined)
    return path === 'workload.trace' && getAt(document, path) === undefined ? [] : [parsePath(path)];
  const items = getAt(document, list ?? '');
  const tail = parsePath(rest);
  return Array.isArray(items) ? items.map((_: Json, i) => [...parsePath(list ?? ''), i, ...tail]) : [];
}

/** The name of the pool or client above its first row, where there are several. */
function groupName(document: Json, path: string, previous: string | undefined): string | undefined {
  const match = /^(cluster\.pools|workload\.clients)\[(\d+)\]/.exec(path);
  if (!match?.[1] || previous?.startsWith(match[0])) return undefined;
  const items = getAt(document, match[1]);
  if (!Array.isArray(items) || items.length < 2) return undefined;
  return String(child(items[Number(match[2])], 'name') ?? match[2]);
}

/** What the built-in profiles of the weighted router are made of: where a reader's own one starts. */
const FIRST_SCORERS: Json = [
  { scorer: 'prefix-affinity', weight: 3 },
  { scorer: 'queue-depth', weight: 2 },
  { scorer: 'kv-utilization', weight: 2 },
];

/** A profile and its scorers go together: one's own profile needs some, a named one has none. */
function wholeProfile(document: Json, path: string, next: Json): { path: string; value: Json } | undefined {
  const [, base, key] = /^(.*\.weighted)\.(profile|scorers)$/.exec(path) ?? [];
  const policy = base === undefined ? undefined : getAt(document, base);
  if (base === undefined || policy === undefined) return undefined;
  if (key === 'scorers') return { path: base, value: setAt(setAt(policy, 'scorers', next), 'profile', 'custom') };
  const scorers = child(policy, 'scorers');
  const kept = Array.isArray(scorers) && scorers.length > 0 ? scorers : FIRST_SCORERS;
  return { path: base, value: setAt(setAt(policy, 'profile', next), 'scorers', next === 'custom' ? kept : []) };
}

function problemOf(problems: ReadonlyMap<string, Diagnostic>, field: Field): Diagnostic | undefined {
  return problems.get(field.id) ?? problems.get(field.path);
}

function message(d: Diagnostic): string {
  return [`Found ${d.found}`, d.allowed === '' ? '' : `allowed: ${d.allowed}`, d.fix]
    .filter((s) => s !== '')
    .join('; ');
}

function rangeOf(field: Field): string {
  if (field.input.kind !== 'number') return '';
  const { min, max } = field.input;
  const initial =
    field.initial === undefined
      ? ''
      : `Default ${plainText(field.initial)}${field.unit === '' ? '' : NBSP + field.unit}. `;
  if (max === undefined) return initial;
  return `${initial}From ${min ?? 0} to ${max.toLocaleString('en')}. `;
}

function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : String(value.length);
  if (typeof value === 'object') return sentence(Object.keys(value)[0] ?? '');
  return String(value);
}

/** Whether a closed section's line needs it: a zero, an empty text or list, or an off switch says nothing. */
function saysSomething(field: Field, value: Json | undefined): boolean {
  if (field.input.kind === 'toggle' || field.input.kind === 'optional' || field.input.kind === 'list') return false;
  return value !== undefined && value !== 0 && value !== '';
}

function say(field: Field, value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? field.label.toLowerCase() : `no ${field.label.toLowerCase()}`;
  const text = typeof value === 'number' ? value.toLocaleString('en') : choiceText(value);
  if (field.unit === '' && typeof value === 'number') return `${field.label.toLowerCase()} ${text}`;
  return field.unit === '' || typeof value !== 'number' ? text : text + NBSP + field.unit;
}

function choiceText(value: Json | undefined): string {
  return typeof value === 'string' ? sentence(value) : plainText(value);
}

function without(all: ReadonlyMap<string, Diagnostic>, path: string): ReadonlyMap<string, Diagnostic> {
  const next = new Map(all);
  next.delete(path);
  return next;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}
