// One field of the scenario: its name, its help with the effect of an edit, its control and its error.
import { createListCollection, Select } from '@ark-ui/solid/select';
import { createMemo, createSignal, createUniqueId, For, type JSX, Match, Show, Suspense, Switch } from 'solid-js';
import { Portal } from 'solid-js/web';
import { byPointer } from '../../base/focus.ts';
import { equal, getAt, type Json } from '../../base/json.ts';
import type { EditKind, Field, Input } from '../../base/schema.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import {
  choiceText,
  fromNow,
  inDocument,
  inUnit,
  message,
  OWN_SPEEDS,
  type PlacedField,
  plainText,
  problemOf,
  rangeOf,
  sameList,
  withOwn,
  without,
} from '../parts/formFields.ts';
import { isAdded } from './Entries.tsx';
import { AsExpression, canBeExpression, ExpressionField } from './Expression.tsx';
import { OwnModel } from './OwnModel.tsx';

/** The note beside the label of a field whose edit does more than change the run. */
const MARKS: Readonly<Record<EditKind, string>> = { live: '', replace: '⇄', restart: '↺', none: '' };

export function FieldRow(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  field: PlacedField;
  help: boolean;
  /** The effect of an edit, if a heading already has it. */
  said?: string;
}): JSX.Element {
  const app = props.app;
  const id = createUniqueId();
  const path = (): string => props.field.path;
  const value = createMemo(() => getAt(app.document.inForce(), path()) ?? props.field.initial, undefined, {
    equals: equal,
  });
  const before = createMemo(
    () =>
      isAdded(app.document.original(), path())
        ? value()
        : (getAt(app.document.original(), path()) ?? props.field.initial),
    undefined,
    { equals: equal },
  );
  // Of a choice, only the tag counts as changed; its parameters have their own rows.
  const whole = (): boolean => ['choice', 'optional', 'list'].includes(props.field.input.kind);
  const changed = (): boolean => (whole() ? plainText(value()) !== plainText(before()) : !equal(value(), before()));
  /** The scorer that the weight belongs to: that of the same list item. */
  const owner = createMemo(() => choiceText(getAt(app.document.inForce(), path().replace(/\.weight$/, '.scorer'))));
  const problem = createMemo(() => problemOf(app.document.problems(), props.field));
  /** Makes the change; false if it is refused. */
  const set = async (next: Json): Promise<boolean> => {
    const own = withOwn(app, path(), next);
    if (own) {
      const done = await app.document.change(own.path, own.value);
      if (done) app.dialogs.setNotice({ kind: 'info', text: OWN_SPEEDS, diagnostics: [] });
      return done;
    }
    const together = app.document.schema.together(app.document.inForce(), path(), next);
    if (together) return app.document.change(together.path, together.value);
    if (!equal(next, value())) return app.document.change(path(), next);
    app.document.setProblems((all) => without(all, path()));
    return true;
  };
  /** Removes an item from its list: `slo.classes[1]` from `slo.classes`. */
  const remove = (item: string): void => {
    const list = item.slice(0, item.lastIndexOf('['));
    const items = getAt(app.document.inForce(), list);
    const index = Number(item.slice(list.length + 1, -1));
    if (Array.isArray(items))
      void app.document.change(
        list,
        items.filter((_: Json, i) => i !== index),
      );
  };
  return (
    <div
      class="f"
      classList={{
        chg: changed(),
        wrong: problem()?.severity === 'error',
        sub: props.field.depth > 0,
        deep: props.field.depth > 1,
      }}
    >
      <span class="name">
        <label for={id} id={`${id}-label`}>
          <Show when={props.field.within !== ''} fallback={props.field.label}>
            <span aria-hidden="true">{props.field.label}</span>
            <span class="visually-hidden">
              {props.field.label}, {props.field.within}
            </span>
          </Show>
        </label>
        <Show when={MARKS[props.field.edit]}>
          {(mark) => (
            <span class="takes" role="img" aria-label={props.field.effect} title={props.field.effect}>
              {mark()}
            </span>
          )}
        </Show>
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
          <s class="was">{plainText(inUnit(props.field, before()))}</s>
        </Show>
        <Control
          app={app}
          id={id}
          field={props.field}
          value={value()}
          owner={owner()}
          invalid={problem()?.severity === 'error'}
          onSet={set}
        />
      </div>
      <Show when={props.help}>
        <p class="help" id={`${id}-help`}>
          {props.field.description.replaceAll('`', '')} {rangeOf(props.field)}{' '}
          <Show when={props.field.effect !== props.said}>
            <span class="m">{props.field.effect}</span>
          </Show>
        </p>
      </Show>
      <Show when={problem()}>
        {(d) => (
          <p class="problem" role="alert" classList={{ mild: d().severity === 'warning' }}>
            {message(d(), path())}
          </p>
        )}
      </Show>
      <Show when={canBeExpression(props.field) && typeof value() === 'string'}>
        <Suspense>
          <AsExpression app={app} path={path()} />
        </Suspense>
      </Show>
      <Show when={path().endsWith('.architecture')}>
        <OwnModel app={app} path={path()} />
      </Show>
    </div>
  );
}

function Control(props: {
  app: Pick<App, 'transport' | 'links'>;
  id: string;
  field: Field;
  value: Json | undefined;
  owner: string;
  invalid: boolean;
  onSet: (value: Json) => Promise<boolean>;
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
          onClick={() => void props.onSet(props.value !== true)}
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
            onClick={() => void props.onSet(props.value === undefined || props.value === null ? start() : null)}
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
            onClick={() =>
              void props.onSet(
                fromNow(props.app, props.field.path, [
                  ...(Array.isArray(props.value) ? props.value : []),
                  list().start,
                ]),
              )
            }
          >
            Add {list().word}
          </button>
        )}
      </Match>
      <Match when={input().kind === 'expression'}>
        <ExpressionField {...props} />
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

/** A number or a text. Refused input stays in the field. */
function Typed(props: {
  id: string;
  field: Field;
  value: Json | undefined;
  owner: string;
  invalid: boolean;
  onSet: (value: Json) => Promise<boolean>;
}): JSX.Element {
  const numeric = (): boolean => props.field.input.kind === 'number';
  const shown = (): string => plainText(inUnit(props.field, props.value));
  const commit = (text: string): Promise<boolean> => {
    const trimmed = text.trim().replace(/,(?=\d{3}(\D|$))/g, '');
    const number = numeric() && trimmed !== '' && !Number.isNaN(Number(trimmed));
    return props.onSet(number ? inDocument(props.field, Number(trimmed)) : trimmed);
  };
  /** The value set by arrow keys that is not in force yet. */
  const [nudged, setNudged] = createSignal<string>();
  let wanted: string | undefined;
  let committing = false;
  /** Edits run one after the other, each with the latest value: keys come faster than answers, and each key counts. */
  const follow = async (): Promise<void> => {
    if (committing) return;
    committing = true;
    let done = true;
    while (wanted !== undefined) {
      const text = wanted;
      wanted = undefined;
      done = await commit(text);
    }
    committing = false;
    // Refused input stays, to be corrected.
    if (done) setNudged(undefined);
  };
  const nudge = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    const way = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    const now = Number(event.currentTarget.value);
    if (way === 0 || !numeric() || Number.isNaN(now)) return;
    event.preventDefault();
    const { input } = props.field;
    const [least, most] = input.kind === 'number' ? [input.min ?? 0, input.max ?? Infinity] : [0, Infinity];
    const { times } = props.field;
    const next = Number((now + way * (Number.isInteger(now) ? 1 : 0.1)).toFixed(6));
    wanted = String(Math.min(most / times, Math.max(least / times, next)));
    setNudged(wanted);
    void follow();
  };
  /** Escape restores the value in force. */
  const restore = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    const inForce = shown();
    if (event.key !== 'Escape' || event.currentTarget.value === inForce) return;
    event.preventDefault();
    setNudged(undefined);
    event.currentTarget.value = inForce;
    void commit(inForce);
  };
  /** The value of the slider while it is dragged; releasing it makes the edit. */
  const [dragged, setDragged] = createSignal<string>();
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
          aria-label={`${props.owner} ${props.field.label}, as a slider`.trim()}
          onInput={(event) => setDragged(event.currentTarget.value)}
          onChange={(event) => {
            setDragged(undefined);
            void commit(event.currentTarget.value);
          }}
        />
      </Show>
      <span class="in" classList={{ w: !numeric() }}>
        <input
          id={props.id}
          type="text"
          inputmode={numeric() ? 'decimal' : 'text'}
          spellcheck={false}
          autocomplete="off"
          size={numeric() ? Math.max(3, shown().length) : 14}
          value={dragged() ?? nudged() ?? shown()}
          data-value={shown()}
          aria-invalid={props.invalid}
          onInput={() => setNudged(undefined)}
          onChange={(event) => void commit(event.currentTarget.value)}
          onKeyDown={(event) => {
            nudge(event);
            restore(event);
          }}
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
  onSet: (value: Json) => Promise<boolean>;
}): JSX.Element {
  const options = createMemo(() => (props.field.input.kind === 'choice' ? props.field.input.options : []));
  const option = (tag: string) => options().find((o) => o.tag === tag);
  const tags = createMemo(() => options().map((o) => o.tag), [], { equals: sameList });
  const collection = createMemo(() =>
    createListCollection({
      items: tags(),
      itemToString: (tag) => option(tag)?.label ?? tag,
      itemToValue: (tag) => tag,
    }),
  );
  const current = (): string => (props.field.input.kind === 'choice' ? props.field.input.tag : '');
  /** Whether the pointer or focus has reached it. Its list is built then, nearly always before it opens. */
  const [reached, setReached] = createSignal(false);
  return (
    <Select.Root
      class="select"
      collection={collection()}
      value={[current()]}
      ids={{ trigger: props.id, label: `${props.id}-label` }}
      positioning={{ sameWidth: false, gutter: 4 }}
      onOpenChange={({ open }) => {
        if (open) setReached(true);
        // The list gives the focus back to the field in the next display frame.
        else if (byPointer())
          requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(props.id)?.blur()));
      }}
      onValueChange={({ value }) => {
        const chosen = option(value[0] ?? '');
        if (chosen && chosen.tag !== current()) void props.onSet(chosen.value);
      }}
    >
      <Select.Control>
        <Select.Trigger class="in w pick" onFocus={() => setReached(true)} onPointerDown={() => setReached(true)}>
          <span class="pick-text">{option(current())?.label ?? current()}</span>
          <Icon name="down" />
        </Select.Trigger>
      </Select.Control>
      <Show when={reached()}>
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
      </Show>
    </Select.Root>
  );
}
