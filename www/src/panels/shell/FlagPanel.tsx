// The edits of a flag on the timeline: their time, their values and their switch.
import { createMemo, For, type JSX, lazy, Show, Suspense } from 'solid-js';
import { getAt, isObject, type Json } from '../../base/json.ts';
import { clock, secondsOf } from '../../base/units.ts';
import { Listed, restOfList } from '../../draw/GrowingList.tsx';
import type { App } from '../../state/app.ts';
import { faultSaid, routeSaid } from '../../state/edits/edits.ts';
import { fieldAt, inDocument, inUnit, pathName } from '../parts/formFields.ts';

const FaultCost = lazy(() => import('../parts/FaultCost.tsx'));

type Slices = Pick<App, 'transport' | 'document' | 'studies'>;

export default function FlagPanel(props: { app: Slices }): JSX.Element {
  const app = props.app;
  return (
    <ul class="flag-list">
      <Show when={app.document.openFlags().length === 0}>
        <li>No edits were made during the run.</li>
      </Show>
      <Listed each={app.document.openFlags()} rest={restOfList}>
        {(index) => <Row app={app} index={index} />}
      </Listed>
    </ul>
  );
}

function Row(props: { app: Slices; index: number }): JSX.Element {
  const app = props.app;
  const placed = () => app.document.edits()[props.index];
  /** What the edit broke, if anything. */
  const broke = () => app.transport.throttledFrame()?.flags[props.index]?.fault;
  return (
    <Show when={placed()}>
      {(edit) => (
        <li classList={{ off: edit().off }}>
          <label>
            at{' '}
            <input
              class="in"
              size={9}
              inputmode="decimal"
              aria-label="Time of the edit, in seconds"
              value={clock(edit().atUs)}
              onChange={(event) => {
                const seconds = secondsOf(event.currentTarget.value.trim().replaceAll(',', ''));
                if (seconds !== undefined) void app.document.moveEdit(props.index, seconds * 1e6);
              }}
            />{' '}
            s
          </label>
          <For each={Object.entries(edit().edit.set ?? {})}>
            {([path, value]) => (
              <Value
                app={app}
                path={path}
                value={value}
                onSet={(next) => void app.document.reviseEdit(props.index, path, next)}
              />
            )}
          </For>
          <For each={Object.entries(edit().edit.add ?? {})}>
            {([list, entry]) => (
              <span class="what">
                {list === 'cluster.pools' ? 'New pool' : 'New client'} <b>{String(getAt(entry, 'name') ?? '')}</b>
              </span>
            )}
          </For>
          <Show when={routeSaid(edit().edit) ?? faultSaid(edit().edit)}>
            {(said) => (
              <span class="what">
                {said()[0]} <b>{said()[1]}</b>
              </span>
            )}
          </Show>
          <Show when={edit().off ? undefined : broke()}>
            {(fault) => (
              <Suspense>
                <FaultCost app={app} of={{ kind: fault().kind, atUs: edit().atUs, replica: fault().replica }} />
              </Suspense>
            )}
          </Show>
          <span class="flag-acts">
            <button type="button" class="btn box" onClick={() => void app.transport.seek(edit().atUs / 1e6)}>
              Go there
            </button>
            <button
              type="button"
              class="btn box"
              aria-pressed={edit().off}
              onClick={() => void app.document.switchEdit(props.index)}
            >
              {edit().off ? 'Switch on' : 'Switch off'}
            </button>
            <button type="button" class="btn box" onClick={() => void app.document.removeEdit(props.index)}>
              Remove
            </button>
          </span>
        </li>
      )}
    </Show>
  );
}

/** The value of a field as in the form: a list of choices, a number in its unit, or text. */
function Value(props: {
  app: Pick<App, 'document'>;
  path: string;
  value: Json;
  onSet: (next: Json) => void;
}): JSX.Element {
  const field = createMemo(() => fieldAt(props.app.document.schema, props.app.document.inForce(), props.path));
  const choices = () => {
    const input = field()?.input;
    if (input?.kind === 'toggle') return SWITCHED;
    // A value that is no listed option, such as a number, gets a text field.
    const listed = input?.kind === 'choice' && input.options.some(({ tag }) => tag === tagOf(props.value));
    return listed ? input.options : undefined;
  };
  const shown = (): Json => {
    const f = field();
    return (f ? inUnit(f, props.value) : undefined) ?? props.value;
  };
  const typed = (text: string): Json => {
    const next = readAs(text.trim(), props.value);
    const f = field();
    return f && typeof next === 'number' ? inDocument(f, next) : next;
  };
  const name = (): string => pathName(props.app.document.schema, props.app.document.inForce(), props.path);
  return (
    <Show
      when={choices()}
      fallback={
        <label>
          <span class="what">{name()}</span>
          <input
            class="in"
            size={12}
            value={textOf(shown())}
            onChange={(event) => props.onSet(typed(event.currentTarget.value))}
          />
          {field()?.unit}
        </label>
      }
    >
      {(options) => (
        <label>
          <span class="what">{name()}</span>
          <select
            class="in"
            value={tagOf(props.value)}
            onChange={(event) => {
              const chosen = options().find(({ tag }) => tag === event.currentTarget.value);
              if (chosen && chosen.tag !== tagOf(props.value)) props.onSet(chosen.value);
            }}
          >
            <For each={options()}>{({ tag, label }) => <option value={tag}>{label}</option>}</For>
          </select>
        </label>
      )}
    </Show>
  );
}

const SWITCHED = [
  { tag: 'true', label: 'On', value: true },
  { tag: 'false', label: 'Off', value: false },
] as const;

/** The option that a value belongs to. */
function tagOf(value: Json): string {
  return isObject(value) ? (Object.keys(value)[0] ?? '') : String(value);
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * The typed text as JSON, or as text if the old value was text or the JSON is invalid; the core then reports the error.
 */
function readAs(text: string, before: Json): Json {
  if (typeof before === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
