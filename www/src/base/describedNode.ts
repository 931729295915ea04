// A part of the schema with its descriptions, which the build takes apart: the page loads them later.
import { isObject, type Json, type JsonObject } from './json.ts';

/** What describes a field or an option; the build takes these apart (form/plugin.mjs). */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['description', 'x-none-help']);

/** The part with the words that its numbers stand for. */
export function describedNode(node: JsonObject, words: readonly string[]): JsonObject {
  const entries = Object.entries(node).map(([key, value = null]): [string, Json] => {
    if (DESCRIPTIONS.has(key) && typeof value === 'number') return [key, words[value] ?? ''];
    if (Array.isArray(value)) return [key, value.map((one: Json) => (isObject(one) ? describedNode(one, words) : one))];
    return [key, isObject(value) ? describedNode(value, words) : value];
  });
  return Object.fromEntries(entries);
}
