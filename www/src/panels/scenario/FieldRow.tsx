// One field of the scenario: its name, its help with the effect of an edit, its control and its error.
import { createMemo, createSignal, createUniqueId, type JSX, Match, Show, Suspense, Switch } from 'solid-js';
import { equal, getAt, isObject, type Json } from '../../base/json.ts';
import type { EditKind, Field, Input } from '../../base/schema.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { Disclosure } from '../parts/Disclosure.tsx';
import {
  choiceText,
  fromNow,
  inUnit,
  message,
  OWN_SPEEDS,
  type PlacedField,
  plainText,
  problemOf,
  rangeOf,
  typedText,
  withOwn,
  without,
} from '../parts/formFields.ts';
import { Choice } from './Choice.tsx';
import { isAdded } from './Entries.tsx';
import { AsExpression, canBeExpression, ExpressionField } from './Expression.tsx';
import { OwnModel } from './OwnModel.tsx';
import { Typed } from './Typed.tsx';

/** A value as the control of its field shows it; empty for a switch or a list. */
function shownText(field: Field, value: Json | undefined): string {
  if (field.input.kind === 'choice') return choiceText(value, field);
  return ['optional', 'list'].includes(field.input.kind) ? '' : typedText(inUnit(field, value));
}

/** The note beside the label of a field whose edit does more than change the run. */
const MARKS: Readonly<Record<EditKind, string>> = { live: '', replace: '⇄', restart: '↺', none: '' };

export function FieldRow(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  field: PlacedField;
  help: boolean;
  /** The effect of an edit, if a heading already has it. */
  said?: string;
  /** Of the row of a list item: whether its details are shown, and what shows or hides them. */
  details?: { readonly open: boolean; readonly turn: () => void };
}): JSX.Element {
  const app = props.app;
  const id = createUniqueId();
  const path = (): string => props.field.path;
  const schema = app.document.schema;
  /** Whether its own help is shown. */
  const [asked, setAsked] = createSignal(false);
  const helps = (): boolean => props.help || asked();
  const value = createMemo(() => schema.valueAt(app.document.inForce(), path()) ?? props.field.initial, undefined, {
    equals: equal,
  });
  const before = createMemo(
    () =>
      isAdded(app.document.original(), path())
        ? value()
        : props.field.row
          ? weightBefore(app, props.field)
          : (schema.valueAt(app.document.original(), path()) ?? props.field.initial),
    undefined,
    { equals: equal },
  );
  // Of a choice, only the tag counts as changed; its parameters have their own rows.
  const whole = (): boolean => ['choice', 'optional', 'list'].includes(props.field.input.kind);
  const changed = (): boolean => (whole() ? plainText(value()) !== plainText(before()) : !equal(value(), before()));
  /** Where the slider of a row has a tick, if its value has changed. */
  const was = (): number | undefined => {
    const old = before();
    return changed() && typeof old === 'number' ? old : undefined;
  };
  const problem = createMemo(() => problemOf(app.document.problems(), props.field));
  /** Makes the change; false if it is refused. */
  const set = async (next: Json): Promise<boolean> => {
    const own = withOwn(app, path(), next);
    if (own) {
      const done = await app.document.change(own.path, own.value);
      if (done) app.dialogs.setNotice({ kind: 'info', text: OWN_SPEEDS, diagnostics: [] });
      return done;
    }
    const together = schema.together(app.document.inForce(), path(), next);
    if (together) return app.document.change(together.path, together.value);
    if (!equal(next, value())) return app.document.change(path(), next);
    app.document.setProblems((all) => without(all, path()));
    return true;
  };
  return (
    <div
      class="f"
      data-path={path()}
      classList={{
        chg: changed(),
        wrong: problem()?.severity === 'error',
        sub: props.field.depth > 0,
        deep: props.field.depth > 1,
        weight: props.field.row !== undefined,
      }}
      ref={(row) => helpWhenAsked(row, () => setAsked(!asked()))}
    >
      <span class="name">
        <Show when={props.details}>
          {(details) => (
            <button
              type="button"
              class="unfold"
              aria-label={`Settings of ${props.field.label}`}
              aria-expanded={details().open}
              onClick={details().turn}
            >
              <Disclosure open={details().open} />
            </button>
          )}
        </Show>
        <label for={id} id={`${id}-label`} title={helps() ? undefined : 'Click, or F1 in the field: what it means'}>
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
            <button
              type="button"
              class="btn sq take"
              aria-label={`Remove ${item()}`}
              onClick={() => removeItem(app, item())}
            >
              <Icon name="close" />
            </button>
          )}
        </Show>
        <Show when={changed() && shownText(props.field, before())}>{(old) => <s class="was">{old()}</s>}</Show>
        <Control
          app={app}
          id={id}
          field={props.field}
          value={value()}
          was={was()}
          help={helps() ? `${id}-help` : undefined}
          invalid={problem()?.severity === 'error'}
          onSet={set}
        />
      </div>
      <Show when={helps()}>
        <p class="help" id={`${id}-help`}>
          {props.field.description.replaceAll('`', '')} {rangeOf(props.field)}{' '}
          <Show when={props.field.effect !== props.said || !props.help}>
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
  was: number | undefined;
  /** The id of its help, while that is shown. */
  help: string | undefined;
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

/** Removes an item from its list: `slo.classes[1]` from `slo.classes`. */
function removeItem({ document }: Pick<App, 'document'>, item: string): void {
  const list = item.slice(0, item.lastIndexOf('['));
  const items = document.schema.valueAt(document.inForce(), list);
  const index = Number(item.slice(list.length + 1, -1));
  if (!Array.isArray(items)) return;
  const next = items.filter((_: Json, i) => i !== index);
  const together = document.schema.together(document.inForce(), list, next);
  void document.change(together?.path ?? list, together?.value ?? next);
}

/** The weight that the entry of the same name had in the loaded scenario. */
function weightBefore(app: Pick<App, 'document'>, field: Field): Json | undefined {
  const [, list, key] = /^(.*)\[\d+\]\.(\w+)$/.exec(field.path) ?? [];
  const items = app.document.schema.valueAt(app.document.original(), list ?? '');
  const named = (item: Json): boolean => Object.values(item ?? {}).some((part) => tagOf(part) === field.row?.tag);
  const old = Array.isArray(items) ? items.find(named) : undefined;
  return old === undefined ? undefined : getAt(old, key ?? '');
}

const tagOf = (part: Json): string => (isObject(part) ? (Object.keys(part)[0] ?? '') : String(part));

/** The help of one field: a click on its label, or F1 in it. */
function helpWhenAsked(row: HTMLElement, turn: () => void): void {
  row.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    if (target?.closest('label')?.parentElement?.classList.contains('name')) turn();
  });
  row.addEventListener('keydown', (event) => {
    if (event.key !== 'F1') return;
    event.preventDefault();
    turn();
  });
}

function optionalOf(input: Input): Json | undefined {
  return input.kind === 'optional' ? input.start : undefined;
}

function listOf(input: Input): Extract<Input, { kind: 'list' }> | undefined {
  return input.kind === 'list' ? input : undefined;
}
