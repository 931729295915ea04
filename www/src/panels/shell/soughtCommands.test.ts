import { expect, test } from 'vitest';
import { isObject, type Json } from '../../base/json.ts';
import { Schema } from '../../base/schema.ts';
import { trust } from '../../base/trust.ts';
import rawSchema from '../../generated/schema.json';
import type { App } from '../../state/app.ts';
import { found } from '../../state/commands/commands.ts';
import { allCommands, fieldCommands, withCards, wordCommands } from './soughtCommands.ts';

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

/** What a word is to find first. */
const FIRST: readonly (readonly [words: string, does: string])[] = [
  ['router', 'Choose the router'],
  ['replicas', 'pool main: Replicas'],
  ['autoscal', 'pool main: Policy'],
  ['seed', 'Change the seed'],
  ['perfetto', 'Save a trace of the run for Perfetto…'],
  ['html', 'Save the run as a page of HTML…'],
  ['csv', 'Save rows of requests, events or decisions…'],
  ['epp', 'Take the policy home: export it as configuration…'],
  ['report', 'Save the report of the run…'],
  ['waterfall', 'Show the request in the inspector'],
  ['present', 'Hide the form and the inspector, or show them again'],
  ['why slow', 'Why are slow requests slow? Where their time went'],
  ['explain', 'Why are slow requests slow? Where their time went'],
  ['lanes', 'Show lanes: the steps of each replica'],
  ['kv blocks', 'Show KV: the blocks of a replica'],
  ['heat map', 'Show density: latencies as heat maps'],
  ['yaml', 'Show the scenario as YAML'],
  ['lessons', 'Show the lessons'],
  ['before after', 'Hide the run without the last edit'],
  ['link', 'Share this run'],
  ['share request', 'Share request #1924…'],
  ['picture', 'Save the picture of #1924…'],
  ['sentence', 'Copy the sentence about #1924…'],
  ['race', 'Compare with a second run'],
  ['crash', 'Break the replica in focus, or mend it'],
  ['dark', 'Change between light and dark'],
  ['goodput', 'goodput'],
  ['stale-herd', 'Open “A herd that follows stale signals”'],
];

test('a word finds first what it is most likely to mean', () => {
  const app = trust<App>({
    document: { schema, inForce: () => DOCUMENT },
    selection: { selected: () => ({ request: 1924, replica: undefined }) },
    transport: { anomalies: () => [] },
  });
  const everything = allCommands(app, true);
  const firsts = FIRST.map(([words]) => [words, found(everything, words)[0]?.does]);
  expect(firsts).toEqual(FIRST);
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
