// What can break in a replica: the faults that the schema knows with their settings, made an edit at the playhead.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { child, isObject, type Json, type JsonObject } from '../../base/json.ts';
import { type Schema, sentence } from '../../base/schema.ts';
import type { App } from '../../state/app.ts';
import { Block } from '../parts/Block.tsx';
import './break.css';

type Setting = { readonly key: string; readonly label: string; readonly unit: string; readonly help: string } & {
  readonly initial: number;
  readonly least: number;
  readonly most: number;
};
type Kind = { readonly tag: string; readonly help: string; readonly settings: readonly Setting[] };

/** The kinds of faults, with those settings that are numbers; the replica is the one that is shown. */
function kindsOf(schema: Schema): readonly Kind[] {
  const variants = schema.resolve({ $ref: '#/$defs/Fault' }).oneOf;
  if (!Array.isArray(variants)) return [];
  return variants.filter(isObject).flatMap((variant) => {
    const [entry] = Object.entries(isObject(variant.properties) ? variant.properties : {});
    if (!entry || !isObject(entry[1])) return [];
    const body = schema.resolve(entry[1]).properties;
    const settings = Object.entries(isObject(body) ? body : {}).flatMap(([key, raw]) =>
      isObject(raw) ? settingOf(key, schema.resolve(raw)) : [],
    );
    return [{ tag: entry[0], help: String(variant.description ?? ''), settings }];
  });
}

function settingOf(key: string, node: JsonObject): readonly Setting[] {
  if (node.type !== 'number') return [];
  return [
    {
      key,
      label: String(node['x-label'] ?? sentence(key)),
      unit: String(node['x-unit'] ?? ''),
      help: String(node.description ?? ''),
      initial: Number(node.default ?? 0),
      least: Number(node.minimum ?? 0),
      most: Number(node.maximum ?? Number.MAX_SAFE_INTEGER),
    },
  ];
}

export function BreakBlock(props: { app: Pick<App, 'document'>; replica: number }): JSX.Element {
  const kinds = createMemo(() => kindsOf(props.app.document.schema));
  const [chosen, setChosen] = createSignal('');
  const [values, setValues] = createSignal<Readonly<Record<string, number>>>({});
  const kind = (): Kind | undefined => kinds().find((k) => k.tag === chosen()) ?? kinds()[0];
  const apply = (): void => {
    const of = kind();
    if (!of) return;
    const settings = of.settings.map(({ key, initial }): [string, Json] => [key, values()[key] ?? initial]);
    const fault = { [of.tag]: { replica: props.replica, ...Object.fromEntries(settings) } };
    void props.app.document.applyEdit({ fault }, '');
  };
  return (
    <Block title={`Break r${props.replica}`} remark="now, as an edit">
      <fieldset class="break" aria-label={`Break r${props.replica}`}>
        <For each={kinds()}>
          {({ tag, help }) => (
            <label title={help}>
              <input
                type="radio"
                name="fault"
                checked={kind()?.tag === tag}
                onChange={() => {
                  setChosen(tag);
                  setValues({});
                }}
              />
              {sentence(tag)}
            </label>
          )}
        </For>
      </fieldset>
      <Show when={kind()}>{(of) => <p class="say">{of().help}</p>}</Show>
      <div class="break-settings">
        <For each={kind()?.settings ?? []}>
          {(setting) => (
            <label title={setting.help}>
              {setting.label}
              <input
                type="number"
                class="in"
                min={setting.least}
                max={setting.most}
                step="any"
                value={values()[setting.key] ?? setting.initial}
                onInput={(event) => {
                  const value = child({ v: event.currentTarget.valueAsNumber }, 'v');
                  if (typeof value === 'number' && Number.isFinite(value))
                    setValues({ ...values(), [setting.key]: value });
                }}
              />
              <span class="m">{setting.unit}</span>
            </label>
          )}
        </For>
        <button type="button" class="btn box" onClick={apply}>
          Break it now
        </button>
      </div>
    </Block>
  );
}
