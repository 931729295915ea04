// The faults that the schema knows, with their settings, and the edit that makes one at the playhead.
import { createMemo, createSignal } from 'solid-js';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/keyWords.ts';
import { type Schema, text } from '../../base/schema.ts';
import type { App } from '../../state/app.ts';

export type Setting = { readonly key: string; readonly label: string; readonly unit: string; readonly help: string } & {
  readonly initial: number;
  readonly least: number;
  readonly most: number;
};
export type Kind = { readonly tag: string; readonly help: string; readonly settings: readonly Setting[] };

/** The kinds of faults that can be aimed at a replica, with those settings that are numbers. */
export function kindsOf(schema: Schema): readonly Kind[] {
  const variants = schema.resolve({ $ref: '#/$defs/Fault' }).oneOf;
  if (!Array.isArray(variants)) return [];
  return variants.filter(isObject).flatMap((variant) => {
    const [entry] = Object.entries(isObject(variant.properties) ? variant.properties : {});
    if (!entry || !isObject(entry[1])) return [];
    const body = schema.resolve(entry[1]).properties;
    if (!isObject(body) || !Object.hasOwn(body, 'replica')) return [];
    const settings = Object.entries(body).flatMap(([key, raw]) =>
      isObject(raw) ? settingOf(key, schema.resolve(raw)) : [],
    );
    return [{ tag: entry[0], help: text(variant.description), settings }];
  });
}

function settingOf(key: string, node: JsonObject): readonly Setting[] {
  if (node.type !== 'number') return [];
  return [
    {
      key,
      label: String(node['x-label'] ?? sentence(key)),
      unit: String(node['x-unit'] ?? ''),
      help: text(node.description),
      initial: Number(node.default ?? 0),
      least: Number(node.minimum ?? 0),
      most: Number(node.maximum ?? Number.MAX_SAFE_INTEGER),
    },
  ];
}

/** The fault that is being made for a replica: its kind and its values. */
export function createBreak(app: Pick<App, 'document'>, replica: () => number) {
  const kinds = createMemo(() => kindsOf(app.document.schema));
  const [chosen, setChosen] = createSignal('');
  const [values, setValues] = createSignal<Readonly<Record<string, number>>>({});
  const kind = (): Kind | undefined => kinds().find((k) => k.tag === chosen()) ?? kinds()[0];
  return {
    kinds,
    kind,
    choose: (tag: string): void => {
      if (tag !== kind()?.tag) setValues({});
      setChosen(tag);
    },
    valueOf: (setting: Setting): number => values()[setting.key] ?? setting.initial,
    setValue: ({ key }: Setting, value: number): void => {
      if (Number.isFinite(value)) setValues({ ...values(), [key]: value });
    },
    apply: async (): Promise<boolean> => {
      const of = kind();
      if (!of) return false;
      const settings = of.settings.map(({ key, initial }): [string, Json] => [key, values()[key] ?? initial]);
      const fault = { [of.tag]: { replica: replica(), ...Object.fromEntries(settings) } };
      return app.document.applyEdit({ fault }, '');
    },
  };
}

export type Breaking = ReturnType<typeof createBreak>;
