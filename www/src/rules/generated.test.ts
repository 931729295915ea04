// The page's copy of the schema, which is sent in fewer bytes, says of each field what the whole one says.
import words from 'virtual:schema-words';
import { expect, test } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { Schema } from '../base/schema.ts';
import { trust } from '../base/trust.ts';
import sent from '../generated/schema.json';
import whole from '../generated/schema.json?raw';

type Node = Readonly<Record<string, unknown>>;

/** What the form reads of every field, by its place. */
function fieldsOf(node: Node, place: string, into: Map<string, unknown>): Map<string, unknown> {
  for (const [key, value] of Object.entries(node)) {
    if (value === null || typeof value !== 'object') continue;
    if (key === 'properties')
      for (const [name, field] of Object.entries(value as Record<string, Node>)) {
        const { description, 'x-label': label, 'x-unit': unit, 'x-edit': edit, 'x-edit-help': help, type } = field;
        into.set(`${place}.${name}`, [description, label, unit, edit, help, type, field.default, field.minimum]);
      }
    fieldsOf(value as Node, `${place}.${key}`, into);
  }
  return into;
}

test('labels, units, descriptions and what an edit does are those of the whole schema, in its order', () => {
  const described = new Schema(trust<JsonObject>(sent)).described(words).at([]);
  const of = fieldsOf(trust<Node>(described), '', new Map());
  const all = [...fieldsOf(JSON.parse(whole), '', new Map())].filter(([place]) => of.has(place));
  expect(of.size).toBeGreaterThan(400);
  expect([...of]).toEqual(all);
});

test('the first copy has no descriptions, and until they come a field has an empty one', () => {
  const longest = words.reduce((a, b) => (a.length > b.length ? a : b));
  expect(longest.length).toBeGreaterThan(100);
  expect(JSON.stringify(sent)).not.toContain(longest);
  const [seed] = new Schema(trust<JsonObject>(sent)).fields({ seed: '1' }, ['seed']);
  expect(seed?.label).toBe('Seed');
  expect(seed?.description).toBe('');
});
