// A custom model from its published config.json: paste it, check the values, use it. The pasted text stays until the
// user clears it, even if it is invalid.

import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { getAt, isObject, type Json, type JsonObject, parsePath, setAt } from '../../base/json.ts';
import type { Field } from '../../base/schema.ts';
import type { DescribedModel, Diagnostic } from '../../generated/boundary.ts';
import { RefusedError } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { explain } from '../../state/notices/notices.ts';
import { NameValues } from '../parts/Block.tsx';
import { dropInto } from '../parts/dropInto.ts';
import { inUnit, OWN_SPEEDS, plainText, withOwn } from '../parts/formFields.ts';
import './own.css';

const READ_MS = 250;

export default function OwnModelBox(props: {
  app: Pick<App, 'document' | 'dialogs' | 'links'>;
  path: string;
}): JSX.Element {
  const app = props.app;
  const [text, setText] = createSignal('');
  const [problems, setProblems] = createSignal<readonly Diagnostic[]>([]);
  const [model, setModel] = createSignal<DescribedModel>();
  const shape = createMemo(() => shapeOf(model()));
  const [used, setUsed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = async (): Promise<void> => {
    const asked = text();
    setUsed(false);
    if (asked.trim() === '') {
      setModel(undefined);
      setProblems([]);
      return;
    }
    try {
      const found = await app.links.architecture(asked);
      if (asked !== text()) return;
      setModel(found);
      setProblems([]);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (asked !== text()) return;
      setModel(undefined);
      setProblems(error.diagnostics);
    }
  };
  const typed = (next: string): void => {
    setText(next);
    clearTimeout(timer);
    timer = setTimeout(() => void read(), READ_MS);
  };
  const apply = async (): Promise<void> => {
    const found = shape();
    if (!found) return;
    const pool = props.path.slice(0, props.path.lastIndexOf('.'));
    const own = withOwn(app, props.path, found);
    const whole = own?.value ?? setAt(getAt(app.document.inForce(), pool) ?? {}, 'architecture', found);
    const named = nameIn(text());
    if (await app.document.change(pool, named === undefined ? whole : setAt(whole, 'model', named))) {
      setUsed(true);
      if (own) app.dialogs.setNotice({ kind: 'info', text: OWN_SPEEDS, diagnostics: [] });
    } else
      setProblems([...new Set([...app.document.problems()].filter(([at]) => at.startsWith(pool)).map(([, d]) => d))]);
  };
  return (
    <>
      <textarea
        aria-label="config.json of the model, from Hugging Face"
        placeholder={'{"num_hidden_layers": 32, "hidden_size": 4096, …}'}
        spellcheck={false}
        autocomplete="off"
        rows="6"
        value={text()}
        aria-invalid={problems().length > 0}
        onInput={(event) => typed(event.currentTarget.value)}
        onDrop={dropInto(app, typed)}
      />
      <Show when={problems().length > 0}>
        <ul class="problems" role="alert">
          <For each={problems()}>{(d) => <li>{explain(d)}</li>}</For>
        </ul>
      </Show>
      <Show when={shape()} fallback={<p class="help">{hint(text())}</p>}>
        {(found) => (
          <>
            <button type="button" class="btn pri" disabled={used()} onClick={() => void apply()}>
              {used() ? 'In use' : 'Use this model'}
            </button>
            <NameValues rows={said(app, props.path, found())} class="read" />
            <p class="help">{model()?.summary}</p>
            <Show when={model()?.warnings.length}>
              <ul class="problems">
                <For each={model()?.warnings}>{(d) => <li class="mild">{explain(d)}</li>}</For>
              </ul>
            </Show>
          </>
        )}
      </Show>
    </>
  );
}

function hint(text: string): string {
  return text.trim() === ''
    ? 'On the model’s page at Hugging Face: Files, config.json. It stays on this computer.'
    : '';
}

function shapeOf(model: DescribedModel | undefined): JsonObject | undefined {
  const shape: Json | undefined = model && JSON.parse(model.architecture);
  return isObject(shape) ? shape : undefined;
}

/** The values read, in the words of the form. Zeros, which mean "none" or "as usual", are left out. */
function said(app: Pick<App, 'document'>, path: string, shape: JsonObject): readonly (readonly [string, string])[] {
  const fields = app.document.schema.fields(setAt(app.document.inForce(), path, shape), parsePath(path));
  return fields.filter((f) => f.depth > 0).flatMap((f) => line(f, shape));
}

function line(field: Field, shape: JsonObject): readonly (readonly [string, string])[] {
  const value = inUnit(field, shape[field.path.slice(field.path.lastIndexOf('.') + 1)]);
  if (value === undefined || value === 0) return [];
  const shown =
    typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : typeof value === 'number'
        ? value.toLocaleString('en')
        : plainText(value);
  return [[field.label, field.unit === '' ? shown : `${shown} ${field.unit}`]];
}

/** The name of the model in the file, if it has one. */
function nameIn(text: string): string | undefined {
  let document: Json;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(document)) return undefined;
  const name = document._name_or_path;
  const last =
    typeof name === 'string'
      ? name
          .split('/')
          .filter((s) => s !== '')
          .at(-1)
      : undefined;
  return last ?? (typeof document.model_type === 'string' ? document.model_type : undefined);
}
