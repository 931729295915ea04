import words from 'virtual:schema-words';
import { expect, test } from 'vitest';
import preset from '../../../../scenarios/chat-4xh100.json';
import { type Json, type JsonObject, parsePath, setAt } from '../../base/json.ts';
import { sentence } from '../../base/keyWords.ts';
import { type Field, Schema } from '../../base/schema.ts';
import { trust } from '../../base/trust.ts';
import raw from '../../generated/schema.json';
import type { App } from '../../state/app.ts';
import type { Edit } from '../../state/edits/edits.ts';
import {
  commonest,
  entriesOf,
  fieldAt,
  fieldsIn,
  flagSaid,
  inDocument,
  inUnit,
  pathName,
  rangeOf,
  SECTIONS,
  typedText,
  ungrouped,
} from './formFields.ts';

const schema = new Schema(trust<JsonObject>(raw)).described(words);
const document = trust<Json>(preset);

/** Every field that the form can show: all sections, and every variant of each choice with its fields. */
function everyField(): ReadonlyMap<string, Field> {
  const all = new Map<string, Field>();
  const visit = (at: Json, path: string): void => {
    for (const field of schema.fields(at, parsePath(path))) {
      const { input } = field;
      const key = input.kind === 'choice' ? `${field.id} ${input.tag}` : field.id;
      if (all.has(key)) continue;
      all.set(key, field);
      if (input.kind === 'choice')
        for (const option of input.options) visit(setAt(at, field.path, option.value), field.path);
      if (input.kind === 'optional') visit(setAt(at, field.path, input.start), field.path);
    }
  };
  for (const { paths } of SECTIONS) for (const path of paths) visit(document, path.replaceAll('[*]', '[0]'));
  return all;
}

test('every field of cluster, pools, clients and workload is in a section', () => {
  const properties = (name: 'Cluster' | 'Pool' | 'Client' | 'Workload'): string[] =>
    Object.keys(raw.$defs[name].properties);
  const all = [
    ...properties('Cluster').map((key) => `cluster.${key}`),
    ...properties('Pool').map((key) => `cluster.pools[*].${key}`),
    ...properties('Client').map((key) => `workload.clients[*].${key}`),
    ...properties('Workload').map((key) => `workload.${key}`),
  ];
  const paths = SECTIONS.flatMap((section) => section.paths);
  const isShown = (path: string): boolean => paths.some((of) => path === of || of.startsWith(`${path}.`));
  const lists = ['cluster.pools', 'workload.clients'];
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((path) => !lists.includes(path) && !isShown(path))).toEqual([]);
});

test('every field that the form can show has help, and numbers have a range', () => {
  const fields = everyField();
  expect(fields.size).toBeGreaterThan(150);
  const silent = [...fields.values()].filter((f) => f.description === '').map((f) => f.path);
  expect(silent).toEqual([]);
  const endless = [...fields.values()].filter((f) => f.input.kind === 'number' && !/From .* to /.test(rangeOf(f)));
  expect(endless.map((f) => f.path)).toEqual([]);
});

test('every variant of every choice has a description', () => {
  const silent = [...everyField().values()].flatMap((f) =>
    f.input.kind === 'choice'
      ? f.input.options.filter((o) => o.description === '').map((o) => `${f.path} ${o.tag}`)
      : [],
  );
  expect(silent).toEqual([]);
});

test('labels fit their column, and times, tokens, blocks and requests have their unit', () => {
  const fields = [...everyField().values()];
  expect(fields.filter((f) => f.label.length > 17).map((f) => f.label)).toEqual([]);
  const bare = fields.filter((f) => f.unit === '' && /_(us|ms|s|tokens|blocks|gib)$/.test(f.path));
  expect(bare.map((f) => f.path)).toEqual([]);
});

test('help says the default of numbers, switches and choices', () => {
  const fields = [...everyField().values()];
  const help = (path: string): string => fields.filter((f) => f.path === path).map(rangeOf)[0] ?? '';
  expect(help('cluster.routing.power-of-d.d')).toBe('Default 2\u00a0replicas. From 1 to 1,024\u00a0replicas.');
  expect(help('cluster.admission.rate-limit.per_tenant')).toBe('Default off.');
  expect(help('cluster.admission.rate-limit.then')).toBe('Default Reject.');
  expect(help('cluster.pools[0].engine.priority.slo-class.critical')).toMatch(/^Default 100. From −2,147,483,648 to /);
});

test('profiles are called by their names', () => {
  expect([sentence('blis-default'), sentence('llm-d-default')]).toEqual(['BLIS default', 'llm-d default']);
});

test('latencies are shown and typed in milliseconds, and kept in whole microseconds', () => {
  const inMicros = [...everyField().values()].filter((f) => f.unit === 'µs').map((f) => f.path);
  // Coefficients of a step are a few microseconds each.
  expect(
    inMicros.filter((path) => !/\.latency\.|\.lora\.step_us_|\.drafter\..*\.fixed_us|\.dcp\.us_per_layer/.test(path)),
  ).toEqual([]);
  const field = fieldAt(schema, document, 'cluster.routing_latency_us');
  expect(field).toBeDefined();
  if (!field) return;
  expect([field.unit, inUnit(field, 2_500), inDocument(field, 2.5), inDocument(field, 0.0004)]).toEqual([
    'ms',
    2.5,
    2500,
    0,
  ]);
  expect(rangeOf(field)).toMatch(/ms\.$/);
  const rate = fieldAt(schema, document, 'workload.clients[0].arrivals.poisson.rate_per_s');
  expect(rate && [inUnit(rate, 18), inDocument(rate, 18.5)]).toEqual([18, 18.5]);
});

test.each<[Edit, string]>([
  [{ set: { 'cluster.routing': 'random' } }, 'Routing policy Random'],
  [{ set: { 'cluster.admission': 'always-admit' } }, 'Admission policy Always admit'],
  [{ set: { 'workload.clients[0].arrivals.poisson.rate_per_s': 27 } }, 'chat: Rate 27\u00a0req/s'],
  [{ set: { 'cluster.pools[0].replicas': 5, 'cluster.pools[0].gpu': 'A100-80' } }, 'Replicas 5 +1'],
  [{ set: { 'cluster.flow_control': { eviction: true } } }, 'Flow control on'],
  [{ set: { 'cluster.flow_control': null } }, 'Flow control off'],
  [{ set: { 'cluster.flow_control.bands': [{ priority: 0 }] } }, 'Bands 1'],
  [{ add: { 'cluster.pools': { name: 'spare' } } }, 'New pool spare'],
  [{ route: { request: 7, to: 2 } }, 'Request 7 to r2'],
])('a flag describes an edit in the words of the form: %o', (edit, said) => {
  expect(flagSaid(trust<App>({ document: { schema, inForce: () => document } }), edit)).toBe(said);
});

test('the name of a policy says its section', () => {
  expect(pathName(schema, document, 'cluster.routing')).toBe('Routing policy');
});

test('an effect shared by several fields is given once', () => {
  expect(commonest(['a', 'b', 'a', '', ''])).toBe('a');
  expect(commonest(['a', 'b'])).toBeUndefined();
});

test('settings of hand-overs are in the form where a pool prefills or decodes only', () => {
  const labels = (doc: Json, title: string): readonly string[] =>
    SECTIONS.filter((section) => section.title === title).flatMap((section) =>
      entriesOf(doc, section).flatMap((entry) => fieldsIn(schema, doc, section, entry).map((f) => f.label)),
    );
  const split = setAt(document, 'cluster.pools[0].role', 'decode');
  expect(labels(document, 'Split')).toEqual([]);
  expect(labels(document, 'Link')).toEqual([]);
  expect(labels(split, 'Split')).toEqual(['Decider', 'Hand-over', 'First token', 'Home hits']);
  const threshold = setAt(split, 'cluster.disaggregation', { decider: { threshold: {} } });
  expect(labels(threshold, 'Split').slice(0, 4)).toEqual(['Decider', 'Remote from', 'Or a share of', 'Busy from']);
  expect(labels(split, 'Link')).toEqual(['Port of a GPU', 'First byte', 'Bytes a token', 'Overlap', 'Shared ports']);
  expect(labels(document, 'Routing')[0]).toBe('Policy');
  expect(labels(split, 'Routing')[0]).toBe('Homes');
  expect(labels(split, 'Routing')).toContain('Prefill routing');
});

test('a number in a field has separators, and reads the same without them', () => {
  for (const [value, text] of [
    [4_194_304, '4,194,304'],
    [1200, '1,200'],
    [0.5, '0.5'],
    [1e-12, '1e-12'],
  ] as const) {
    expect(typedText(value)).toBe(text);
    expect(Number(ungrouped(text))).toBe(value);
  }
  expect(typedText('chat')).toBe('chat');
  // A comma that separates no thousands stays, so that it is refused.
  expect(ungrouped(' 1,20 ')).toBe('1,20');
});
