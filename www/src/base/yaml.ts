// The scenario document, and other programs' configuration, as YAML. Loaded with the first text that is read or written.

import { isObject, type Json, type JsonObject } from './json.ts';
import { hasLongSeed, seedOf } from './text.ts';
import { trust } from './trust.ts';

/** Reads YAML (and with it JSON). Throws the parser's own error. */
export async function readYaml(text: string): Promise<Json> {
  const { parse } = await import('yaml');
  const exact: unknown = parse(text, { intAsBigInt: true });
  return plain(exact, '');
}

/**
 * Reads YAML of several documents, and texts of several lines within them that are YAML too. Empty documents are left
 * out. Throws the parser's own error.
 */
export async function readYamlDocuments(text: string): Promise<{ documents: Json[]; texts: JsonObject }> {
  const { parseAllDocuments } = await import('yaml');
  const parsed = parseAllDocuments(text);
  const documents = ('empty' in parsed ? [] : [...parsed])
    .map((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return trust<Json>(document.toJS());
    })
    .filter((document) => document !== null);
  const within = documents.flatMap(strings).filter((s) => s.includes('\n'));
  const read = within.flatMap((inner): [string, Json][] => {
    const [document] = parseAllDocuments(inner);
    return document && document.errors.length === 0 ? [[inner, trust<Json>(document.toJS())]] : [];
  });
  return { documents, texts: Object.fromEntries(read) };
}

/** All strings within a value. */
function strings(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return isObject(value) ? Object.values(value).flatMap(strings) : [];
}

/** Writes a document as YAML. */
export async function writeYaml(document: Json): Promise<string> {
  const { stringify } = await import('yaml');
  const exact =
    isObject(document) && hasLongSeed(document) ? { ...document, seed: BigInt(String(document.seed)) } : document;
  return stringify(exact, { lineWidth: 0 });
}

/** Turns big integers back into numbers; only the seed needs all digits. */
function plain(value: unknown, key: string): Json {
  if (typeof value === 'bigint') return key === 'seed' ? (seedOf(String(value)) ?? Number(value)) : Number(value);
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, ''));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]: [string, unknown]) => [k, plain(v, k)]));
  return trust<Json>(value);
}
