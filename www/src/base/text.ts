// The scenario document as text and back. A seed has 64 bits and a JavaScript number only 53, so a larger seed is kept
// as digits: a string in the document, a number in every text.

import { isObject, type Json } from './json.ts';
import { trust } from './trust.ts';

const LONG_SEED = /(?<!\\)"seed"\s*:\s*(\d{16,})(?=\s*[,}\r\n])/;
const KEPT_SEED = /(?<!\\)"seed":( ?)"(\d+)"/;

/** A seed from its digits: a number if that is exact. Undefined if it is not a seed. */
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

/** Whether its seed is kept as digits. */
export function hasLongSeed(document: Json): boolean {
  return isObject(document) && typeof document.seed === 'string' && /^\d+$/.test(document.seed);
}
