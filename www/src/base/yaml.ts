// The scenario document as YAML. Loaded with the first text that is read or written.

import { isObject, type Json } from './json.ts';
import { hasLongSeed, seedOf } from './text.ts';
import { trust } from './trust.ts';

/** Reads YAML (and with it JSON). Throws the parser's own error. */
export async function readYaml(text: string): Promise<Json> {
  const { parse } = await import('yaml');
  const exact: unknown = parse(text, { intAsBigInt: true });
  return plain(exact, '');
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
