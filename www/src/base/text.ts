// The scenario document as text and back. A seed has 64 bits and a JavaScript number 53 of them, so a seed that does
// not fit stays the digits it was written with: a string in the document, a number in every text.

import { isObject, type Json, type JsonObject } from './json.ts';
import { trust } from './trust.ts';

const LONG_SEED = /(?<!\\)"seed"\s*:\s*(\d{16,})(?=\s*[,}\r\n])/;
const KEPT_SEED = /(?<!\\)"seed":( ?)"(\d+)"/;

/** A seed from its digits: a number where a number holds it exactly. Undefined where it is no seed. */
export function seedOf(digits: string): Json | undefined {
  if (!/^\d{1,20}$/.test(digits)) return undefined;
  const plain = digits.replace(/^0+(?=\d)/, '');
  const value = Number(plain);
  return Number.isSafeInteger(value) ? value : plain;
}

/** Reads the JSON of a document. */
export function readDocument(text: string): Json {
  return trust<Json>(
    JSON.parse(text.replace(LONG_SEED, (all, digits: string) => all.replace(digits, JSON.stringify(seedOf(digits))))),
  );
}

/** Writes a document as JSON. */
export function writeDocument(document: Json, indent?: number): string {
  const text = JSON.stringify(document, null, indent);
  return hasLongSeed(document) ? text.replace(KEPT_SEED, '"seed":$1$2') : text;
}

/** Reads YAML (and with it JSON). Throws the parser's own error. */
export async function readYaml(text: string): Promise<Json> {
  const { parse } = await import('yaml');
  const exact: unknown = parse(text, { intAsBigInt: true });
  return plain(exact, '');
}

/**
 * Reads YAML of several documents, and what the texts of several lines within them say where these are YAML too. Empty documents are
 * left out. Throws the parser's own error.
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

function hasLongSeed(document: Json): boolean {
  return isObject(document) && typeof document.seed === 'string' && /^\d+$/.test(document.seed);
}

/** Whole numbers back to plain ones; only the seed needs all of its digits. */
function plain(value: unknown, key: string): Json {
  if (typeof value === 'bigint') return key === 'seed' ? (seedOf(String(value)) ?? Number(value)) : Number(value);
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, ''));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]: [string, unknown]) => [k, plain(v, k)]));
  return trust<Json>(value);
}
