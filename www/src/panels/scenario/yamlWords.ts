// Completions for the scenario as YAML, from its schema: keys with their help, and the words of choices.
import { isObject, type Json, type JsonObject, type PathStep } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';

export type Word = {
  readonly label: string;
  /** What it is called in the form, and its unit. */
  readonly detail: string;
  /** Its help. */
  readonly info: string;
  /** What is written for it. */
  readonly apply: string;
};

/** The keys that a part of the document may have, and the words that a value may be. */
export function wordsAt(schema: Schema, path: readonly PathStep[], what: 'key' | 'value'): readonly Word[] {
  const node = schema.at(path);
  if (!node) return [];
  return what === 'key' ? keysOf(schema, node) : valuesOf(node);
}

function keysOf(schema: Schema, node: JsonObject): readonly Word[] {
  const variants = Array.isArray(node.oneOf) ? node.oneOf.filter(isObject) : [];
  const own = isObject(node.properties) ? Object.entries(node.properties) : [];
  const ofVariants = variants.flatMap((variant) =>
    isObject(variant.properties) ? Object.keys(variant.properties).map((key): [string, Json] => [key, variant]) : [],
  );
  return [...own, ...ofVariants].flatMap(([key, raw]) => {
    if (!isObject(raw)) return [];
    const there = schema.resolve(raw);
    const nests = isObject(there.properties) || isObject(there.items);
    return [
      { label: key, detail: detailOf(there), info: textOf(there.description), apply: nests ? `${key}:` : `${key}: ` },
    ];
  });
}

function valuesOf(node: JsonObject): readonly Word[] {
  if (node.type === 'boolean') return ['true', 'false'].map((label) => ({ label, detail: '', info: '', apply: label }));
  const variants = Array.isArray(node.oneOf) ? node.oneOf.filter(isObject) : [];
  return variants.flatMap((variant) => {
    if (typeof variant.const !== 'string') return [];
    const info = textOf(variant.description);
    return [{ label: variant.const, detail: textOf(variant['x-label']), info, apply: variant.const }];
  });
}

function detailOf(node: JsonObject): string {
  const unit = textOf(node['x-unit']);
  const label = textOf(node['x-label']);
  return unit === '' ? label : `${label} · ${unit}`;
}

function textOf(said: Json | undefined): string {
  return typeof said === 'string' ? said : '';
}
