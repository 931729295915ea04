import { expect, test } from 'vitest';
import raw from '../generated/schema.json' with { type: 'json' };
import { trust } from './brand.ts';
import type { Json, JsonObject } from './json.ts';
import { Schema } from './schema.ts';

const schema = new Schema(trust<JsonObject>(raw));
const DOC: Json = {
  cluster: {
    pools: [{ replicas: 4, kv: { blocks: 'auto', block_tokens: 16, prefix_caching: true }, latency: 'catalogue' }],
    routing: 'random',
  },
  workload: { clients: [{ name: 'chat', arrivals: { poisson: { rate_per_s: 9 } } }] },
};

test('a plain enum becomes a choice with a description for each option', () => {
  const [field] = schema.fields(DOC, ['cluster', 'routing']);
  expect(field?.input.kind).toBe('choice');
  if (field?.input.kind !== 'choice') return;
  expect(field.input.tag).toBe('random');
  expect(field.input.options.map((o) => o.tag)).toContain('least-loaded');
  expect(field.input.options.every((o) => o.description !== '')).toBe(true);
});

test('an enum with parameters becomes a choice and the fields of the variant in force', () => {
  const fields = schema.fields(DOC, ['workload', 'clients', 0, 'arrivals']);
  expect(fields.map((f) => [f.path, f.depth, f.unit])).toEqual([
    ['workload.clients[0].arrivals', 0, ''],
    ['workload.clients[0].arrivals.poisson.rate_per_s', 1, 'req/s'],
  ]);
});

test('choosing another variant carries the values over that mean the same', () => {
  const [field] = schema.fields(DOC, ['workload', 'clients', 0, 'arrivals']);
  if (field?.input.kind !== 'choice') throw new Error('not a choice');
  const gamma = field.input.options.find((o) => o.tag === 'gamma');
  expect(gamma?.value).toEqual({ gamma: { rate_per_s: 9, cv: 2 } });
});

test('a field that the document leaves out shows its default', () => {
  const fields = schema.fields({}, ['slo']);
  expect(fields.map((f) => f.initial)).toEqual([1000, 50, 0]);
});

test('a number or a word: the word first, then the number on a line of its own', () => {
  const auto = schema.fields(DOC, ['cluster', 'pools', 0, 'kv', 'blocks']);
  expect(auto.map((f) => f.input.kind)).toEqual(['choice']);
  const counted = schema.fields({ cluster: { pools: [{ kv: { blocks: 500 } }] } }, [
    'cluster',
    'pools',
    0,
    'kv',
    'blocks',
  ]);
  expect(counted.map((f) => f.input.kind)).toEqual(['choice', 'number']);
  expect(new Set(counted.map((f) => f.id)).size).toBe(2);
});

test('every field of the whole scenario has a label and a sentence of help', () => {
  const all = ['run', 'cluster', 'slo', 'observe'].flatMap((key) => schema.fields(DOC, [key]));
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((f) => f.label === '' || f.description === '').map((f) => f.path)).toEqual([]);
});
