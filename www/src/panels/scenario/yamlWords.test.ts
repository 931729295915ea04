import words from 'virtual:schema-words';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { Schema } from '../../base/schema.ts';
import { trust } from '../../base/trust.ts';
import raw from '../../generated/schema.json';
import { wordsAt } from './yamlWords.ts';

const SCHEMA = new Schema(trust<JsonObject>(raw)).described(words);
const labels = (
  ...asked: Parameters<typeof wordsAt> extends [Schema, ...infer Rest] ? Rest : never
): readonly string[] => wordsAt(SCHEMA, ...asked).map((word) => word.label);

test('the keys of a part come with their name, unit and help', () => {
  expect(labels([], 'key')).toEqual(expect.arrayContaining(['cluster', 'workload', 'slo', 'seed']));
  const replicas = wordsAt(SCHEMA, ['cluster', 'pools', 0], 'key').find((word) => word.label === 'replicas');
  expect(replicas).toMatchObject({ detail: 'Replicas', apply: 'replicas: ' });
  expect(replicas?.info).toContain('Number of replicas');
});

test('a part that nests is written without a value', () => {
  expect(wordsAt(SCHEMA, ['cluster'], 'key').find((word) => word.label === 'pools')?.apply).toBe('pools:');
});

test('a choice has its words, and as a key the variants with fields', () => {
  expect(labels(['cluster', 'routing'], 'value')).toContain('least-loaded');
  expect(labels(['cluster', 'routing'], 'key')).toContain('weighted');
  expect(labels(['cluster', 'nothing'], 'key')).toEqual([]);
});
