import { expect, test } from 'vitest';
import { isObject, type Json } from '../../base/json.ts';
import { Schema } from '../../base/schema.ts';
import rawSchema from '../../generated/schema.json';
import { found } from '../../state/commands/commands.ts';
import { fieldCommands, withCards, wordCommands } from './soughtCommands.ts';

const DOCUMENT: Json = {
  cluster: { pools: [{ name: 'main', model: 'llama-3.1-8b', gpu: 'H100', replicas: 4 }], routing: 'round-robin' },
  workload: { clients: [{ name: 'chat' }] },
};
const schema = new Schema(isObject(rawSchema as Json) ? (rawSchema as never) : {});
const all = [...fieldCommands({ schema, inForce: () => DOCUMENT }), ...wordCommands()];
const names = (words: string): readonly string[] => found(all, words).map(({ does }) => does);

test('a field is found by its name, its help and other words for it', () => {
  expect(names('router')[0]).toBe('Routing policy');
  expect(names('replicas')).toContain('pool main: Replicas');
  expect(names('autoscal').length).toBeGreaterThan(0);
  for (const { does } of all) expect(does).not.toBe('');
});

test('a word of the glossary is found by its name and its meaning', () => {
  expect(names('waterfall').length + names('preempt').length).toBeGreaterThan(0);
  expect(found(wordCommands(), 'token').length).toBeGreaterThan(0);
});

test('a preset is found by the words of its card', () => {
  const action = (): void => {};
  const preset = { does: 'Open “One long prompt”', group: 'Preset', keys: '', also: 'long-prompt', action } as const;
  const [with_] = withCards([preset]);
  expect(with_?.about).toMatch(/\w+/);
  expect(withCards([{ ...preset, also: 'no-such-preset' }])[0]?.about).toBeUndefined();
});
