import words from 'virtual:schema-words';
import { expect, test } from 'vitest';
import raw from '../generated/schema.json' with { type: 'json' };
import { getAt, type Json, type JsonObject, setAt } from './json.ts';
import { Schema } from './schema.ts';
import { trust } from './trust.ts';

const schema = new Schema(trust<JsonObject>(raw)).described(words);
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

test('an option has its name in the schema, else the words of its tag', () => {
  const [field] = schema.fields(DOC, ['cluster', 'pools', 0, 'scaling', 'policy']);
  if (field?.input.kind !== 'choice') throw new Error('not a choice');
  const labels = new Map(field.input.options.map((o) => [o.tag, o.label]));
  expect(labels.get('hpa')).toBe('HPA');
  expect(labels.get('wva-saturation-v2')).toBe('WVA saturation v2 (legacy)');
  expect(labels.get('target-utilization')).toBe('Target utilization');
});

test('an enum with parameters becomes a choice and the fields of the variant in force', () => {
  const fields = schema.fields(DOC, ['workload', 'clients', 0, 'arrivals']);
  expect(fields.map((f) => [f.path, f.depth, f.unit])).toEqual([
    ['workload.clients[0].arrivals', 0, ''],
    ['workload.clients[0].arrivals.poisson.rate_per_s', 1, 'req/s'],
  ]);
});

test('choosing another variant keeps values with the same meaning', () => {
  const [field] = schema.fields(DOC, ['workload', 'clients', 0, 'arrivals']);
  if (field?.input.kind !== 'choice') throw new Error('not a choice');
  const gamma = field.input.options.find((o) => o.tag === 'gamma');
  expect(gamma?.value).toEqual({ gamma: { rate_per_s: 9, cv: 2 } });
});

test('a field that the document leaves out shows its default', () => {
  const fields = schema.fields({}, ['slo']);
  expect(fields.map((f) => f.initial)).toEqual([1000, 50, 0, []]);
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

test('a share or the word for the mean: the number begins with llm-d’s', () => {
  const path = ['cluster', 'pools', 0, 'scaling', 'policy', 'slo-aware', 'quantile'];
  const policy = (quantile: Json): Json => ({
    cluster: { pools: [{ scaling: { policy: { 'slo-aware': { quantile } } } }] },
  });
  const [word] = schema.fields(policy('mean'), path);
  expect(word?.input.kind === 'choice' && word.input.options.map((o) => o.value)).toEqual(['mean', 0.9]);
  const share = schema.fields(policy(0.5), path);
  expect(share.map((f) => f.input.kind)).toEqual(['choice', 'number']);
  expect(share[1]?.input).toMatchObject({ integer: false, min: 0, max: 1 });
});

test('every field of the whole scenario has a label and a sentence of help', () => {
  const all = ['run', 'cluster', 'slo', 'observe'].flatMap((key) => schema.fields(DOC, [key]));
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((f) => f.label === '' || f.description === '').map((f) => f.path)).toEqual([]);
});

/** The document once with each option of each choice, each optional part, and one item in each list. */
function everything(key: string): readonly { from: string; document: Json }[] {
  return schema.fields(DOC, [key]).flatMap(({ path, input }) => {
    if (input.kind === 'choice')
      return input.options.map((o) => ({ from: `${path} = ${o.tag}`, document: setAt(DOC, path, o.value) }));
    if (input.kind === 'optional') return [{ from: path, document: setAt(DOC, path, input.start) }];
    return input.kind === 'list' ? [{ from: path, document: setAt(DOC, path, [input.start]) }] : [];
  });
}

test('every policy shows its parameters, each with a label, help, and a first value within bounds', () => {
  const all = ['cluster', 'slo', 'observe'].flatMap((key) => everything(key).map((one) => ({ key, ...one })));
  expect(all.map((one) => one.from)).toContain('cluster.admission = token-bucket');
  for (const { key, from, document } of all) {
    const fields = schema.fields(document, [key]);
    expect(new Set(fields.map((f) => f.id)).size, from).toBe(fields.length);
    for (const field of fields) {
      expect(field.label, `${from}: ${field.path}`).not.toBe('');
      expect(field.description, `${from}: ${field.path}`).not.toBe('');
      const value = schema.valueAt(document, field.path) ?? field.initial;
      if (field.input.kind === 'choice' && field.id === field.path)
        expect(field.input.tag, `${from}: ${field.path}`).not.toBe('');
      if (field.input.kind !== 'number') continue;
      expect(typeof value, `${from}: ${field.path}`).toBe('number');
      expect(Number(value), `${from}: ${field.path}`).toBeGreaterThanOrEqual(
        field.input.min ?? Number.NEGATIVE_INFINITY,
      );
      expect(Number(value), `${from}: ${field.path}`).toBeLessThanOrEqual(field.input.max ?? Number.POSITIVE_INFINITY);
    }
  }
  // Hundreds of documents, which take as long as the machine is busy.
}, 60_000);

test('a list of parts has a field to add one, and each item can be removed', () => {
  const [, , , list] = schema.fields(DOC, ['slo']);
  if (list?.input.kind !== 'list') throw new Error('not a list');
  const one = schema.fields(setAt(DOC, 'slo.classes', [list.input.start]), ['slo', 'classes'])[0];
  if (one?.input.kind !== 'list') throw new Error('not a list');
  expect(getAt(one.input.start, 'class'), 'the second item is of another class').not.toBe(
    getAt(list.input.start, 'class'),
  );
  const document = setAt(DOC, 'slo.classes', [list.input.start, one.input.start]);
  const items = schema.fields(document, ['slo', 'classes']).flatMap((f) => f.item ?? []);
  expect(items).toEqual(['slo.classes[0]', 'slo.classes[1]']);
});

test('a first item of a list is complete: a request has a visible prompt', () => {
  const [list] = schema.fields(DOC, ['workload', 'requests']);
  if (list?.input.kind !== 'list') throw new Error('not a list');
  expect(getAt(list.input.start, 'prompt')).toEqual([{ text: 0, tokens: 100, offset: 0 }]);
});

test('an optional part is a switch, and its fields follow once it is on', () => {
  const steps = ['cluster', 'pools', 0, 'hardware'];
  const off = schema.fields(DOC, steps);
  expect(off.map((f) => f.input.kind)).toEqual(['optional']);
  if (off[0]?.input.kind !== 'optional') return;
  const on = schema.fields(setAt(DOC, 'cluster.pools[0].hardware', off[0].input.start), steps);
  expect(on.map((f) => f.unit)).toEqual([
    '',
    'GiB',
    'TFLOP/s',
    'TB/s',
    '$/h',
    'TFLOP/s',
    'TOP/s',
    'TFLOP/s',
    'GB/s',
    'MHz',
    '',
  ]);
});

test('a further point of a rate profile is after the last one', () => {
  const doc = setAt(DOC, 'workload.clients[0].rate_profile', {
    steps: { points: [{ at_s: 0, factor: 2 }], repeat_s: 0 },
  });
  const fields = schema.fields(doc, ['workload', 'clients', 0, 'rate_profile']);
  expect(fields.map((f) => f.input.kind)).toEqual(['choice', 'list', 'number', 'number', 'number']);
  const list = fields.find((f) => f.input.kind === 'list')?.input;
  expect(list?.kind === 'list' ? list.start : undefined).toEqual({ at_s: 30, factor: 3 });
  const [choice] = fields;
  if (choice?.input.kind !== 'choice') throw new Error('not a choice');
  const windows = choice.input.options.find((o) => o.tag === 'windows');
  expect(windows?.value).toEqual({ windows: { windows: [{ start_s: 30, end_s: 90 }] } });
});

test('a client without a rate profile is steady', () => {
  const fields = schema.fields(DOC, ['workload', 'clients', 0]);
  const field = fields.find((f) => f.path === 'workload.clients[0].rate_profile');
  expect(field?.input.kind === 'choice' ? field.input.tag : '').toBe('steady');
});

test('a client that gets conversations has the default ones', () => {
  const fields = schema.fields(DOC, ['workload', 'clients', 0]);
  const field = fields.find((f) => f.path === 'workload.clients[0].conversation');
  expect(field?.input).toEqual({
    kind: 'optional',
    start: {
      rounds: { geometric: { mean_rounds: 5, max_rounds: 50 } },
      think_time: { exponential: { mean_s: 10 } },
      clock: 'open',
      context_growth: 'accumulate',
      max_context_tokens: 131072,
    },
  });
});

test('a custom profile comes with scorers, and adding a scorer makes the profile custom', () => {
  const path = 'cluster.routing.weighted';
  const weighted = (settings: Json): Json => setAt(DOC, 'cluster.routing', { weighted: settings });
  const own = schema.together(weighted({ profile: 'blis-default' }), `${path}.profile`, 'custom');
  const scorers = getAt(own?.value, 'scorers');
  expect(own?.path).toBe(path);
  expect(Array.isArray(scorers) && scorers.length).toBe(3);
  const one: Json = [{ scorer: 'queue-depth', weight: 1 }];
  const added = schema.together(weighted({ profile: 'blis-default' }), `${path}.scorers`, one);
  expect(added?.value).toEqual({ profile: 'custom', scorers: one });
  const named = schema.together(weighted({ profile: 'custom', scorers: one }), `${path}.profile`, 'llm-d-default');
  expect(named?.value).toEqual({ profile: 'llm-d-default', scorers: [] });
  const kept = schema.together(weighted({ profile: 'custom', scorers: one }), `${path}.scorers`, []);
  expect(kept?.value).toEqual({ profile: 'custom', scorers: [] });
  expect(schema.together(weighted({}), `${path}.ties`, 'random')).toBeUndefined();
});

test('a profile shows the scorers that it stands for, one row each, and a moved weight makes it custom', () => {
  const path = 'cluster.routing.weighted';
  const profile = (name: string): Json => setAt(DOC, 'cluster.routing', { weighted: { profile: name } });
  const rows = (doc: Json) => schema.fields(doc, ['cluster', 'routing']).filter((f) => f.row !== undefined);
  const weights = (doc: Json) => rows(doc).map((f) => [f.label, schema.valueAt(doc, f.path)]);
  const doc = profile('llm-d-default');
  expect(weights(doc)).toEqual([
    ['Prefix affinity', 3],
    ['Waiting requests', 2],
    ['KV utilization', 2],
  ]);
  expect(weights(profile('llm-d-1.0'))).toEqual([['Token load', 1]]);
  const moved = schema.together(doc, `${path}.scorers[1].weight`, 5);
  const scorers: Json = [
    { scorer: 'prefix-affinity', weight: 3 },
    { scorer: 'waiting-requests', weight: 5 },
    { scorer: 'kv-utilization', weight: 2 },
  ];
  expect(moved).toEqual({ path, value: { profile: 'custom', scorers } });
  const own = setAt(DOC, path, { profile: 'custom', scorers });
  expect(weights(own)[1]).toEqual(['Waiting requests', 5]);
  expect(schema.together(own, `${path}.scorers[1].weight`, 4)).toBeUndefined();
  expect(getAt(schema.together(doc, `${path}.profile`, 'custom')?.value, 'scorers[1].scorer')).toBe('waiting-requests');
  // A flag names the scorer, and the scorer itself is among the details of its row.
  expect(schema.fields(own, ['cluster', 'routing', 'weighted', 'scorers', 1, 'weight'])[0]?.label).toBe(
    'Waiting requests',
  );
  const details = schema.fields(own, ['cluster', 'routing']).filter((f) => f.detail === `${path}.scorers[1]`);
  expect(details.map((f) => [f.label, f.item])).toEqual([['Scorer', `${path}.scorers[1]`]]);
});

test('rare settings of a policy are marked, and long lists have groups', () => {
  const doc = setAt(DOC, 'cluster.routing', { weighted: { profile: 'blis-default' } });
  const [policy, ...fields] = schema.fields(doc, ['cluster', 'routing']);
  const rare = fields.filter((f) => f.rare).map((f) => f.label);
  expect(rare).toContain('Token threshold');
  expect(fields.filter((f) => !f.rare && f.depth === 1).map((f) => f.label)).toEqual(
    expect.arrayContaining(['Profile', 'Scorers', 'Picker']),
  );
  const groups = policy?.input.kind === 'choice' ? policy.input.options.map((o) => o.group) : [];
  expect(new Set(groups)).toEqual(new Set(['No signals', 'Load', 'Cache and sessions', 'Weighted scores']));
});

test('each field says the effect of an edit', () => {
  const pool = schema.fields(DOC, ['cluster', 'pools', 0]);
  const edit = (path: string) => pool.find((f) => f.path === `cluster.pools[0].${path}`)?.edit;
  expect([edit('gpu'), edit('kv.block_tokens'), edit('kv.blocks'), edit('engine.scheduler')]).toEqual([
    'replace',
    'replace',
    'live',
    'live',
  ]);
  expect(schema.fields(DOC, ['run']).every((f) => f.edit === 'restart')).toBe(true);
  expect(pool.every((f) => f.effect.endsWith('.'))).toBe(true);
});

test('lengths of another family keep their typical value', () => {
  const steps = ['workload', 'clients', 0, 'prompt_tokens'];
  const doc = setAt(DOC, 'workload.clients[0].prompt_tokens', { constant: { tokens: 77 } });
  const [field] = schema.fields(doc, steps);
  if (field?.input.kind !== 'choice') throw new Error('not a choice');
  const lognormal = field.input.options.find((o) => o.tag === 'lognormal');
  expect(getAt(lognormal?.value, 'lognormal.median_tokens')).toBe(77);
});

test('the largest trace comes from the schema', () => {
  expect(schema.said('workload.trace.file', 'x-max-bytes')).toBe(64 * 2 ** 20);
});

test('an entry that is a choice has the effect of its list', () => {
  const one = new Schema({
    properties: {
      tiers: {
        type: 'array',
        'x-entry': 'tier',
        'x-edit': 'replace',
        'x-edit-help': 'New replicas.',
        items: { oneOf: [{ properties: { disk: { properties: { gb: { type: 'number' } } } }, required: ['disk'] }] },
      },
    },
  });
  const [list, entry] = one.fields({ tiers: [{ disk: { gb: 1 } }] }, ['tiers']);
  expect([list?.edit, entry?.edit, entry?.effect, entry?.label]).toEqual([
    'replace',
    'replace',
    'New replicas.',
    'Tier 1',
  ]);
});

test('the effect of an edit comes from the innermost field, through references, variants and optional parts', () => {
  const small = new Schema({
    properties: {
      seed: { type: 'integer', 'x-edit': 'restart' },
      cluster: { $ref: '#/$defs/Cluster', 'x-edit': 'live' },
    },
    $defs: {
      Cluster: {
        properties: {
          pools: { items: { $ref: '#/$defs/Pool' } },
          compat: { $ref: '#/$defs/Compat', 'x-edit': 'restart' },
          routing: {
            oneOf: [{ const: 'random' }, { properties: { weighted: { properties: { k: { 'x-edit': 'none' } } } } }],
          },
        },
      },
      Compat: { type: 'string' },
      Pool: {
        properties: {
          gpu: { type: 'string', 'x-edit': 'replace' },
          hardware: { anyOf: [{ properties: { memory: {} } }, { type: 'null' }], 'x-edit': 'replace' },
          replicas: {},
        },
      },
    },
  });
  const kinds: Record<string, string> = {
    seed: 'restart',
    'cluster.compat': 'restart',
    'cluster.pools[0].gpu': 'replace',
    'cluster.pools[3].hardware.memory': 'replace',
    'cluster.pools[0].replicas': 'live',
    'cluster.routing.weighted.k': 'none',
    'cluster.routing': 'live',
    unknown: 'restart',
  };
  for (const [path, kind] of Object.entries(kinds)) expect(small.editKind(path), path).toBe(kind);
});

test('all of cluster, workload and slo is live or replaces replicas, except the semantics and the trace', () => {
  const fields = ['cluster', 'workload', 'slo'].flatMap((key) => schema.fields(DOC, [key]));
  expect(fields.length).toBeGreaterThan(30);
  const rest = fields.filter((f) => !['live', 'replace'].includes(schema.editKind(f.path))).map((f) => f.path);
  expect(
    rest.every((path) => /^(cluster\.compat|workload\.trace)/.test(path)),
    rest.join(', '),
  ).toBe(true);
});

test('no description of a definition is read: the page has none of them', () => {
  const { $defs, ...rest } = trust<JsonObject>(raw);
  const bare = Object.entries(trust<JsonObject>($defs)).map(([name, definition]) => {
    const { description: _, ...kept } = trust<JsonObject>(definition);
    return [name, kept] as const;
  });
  const trimmed = new Schema({ ...rest, $defs: Object.fromEntries(bare) }).described(words);
  for (const key of ['run', 'cluster', 'workload', 'slo', 'observe'])
    for (const { from, document } of [{ from: key, document: DOC }, ...everything(key)])
      expect(trimmed.fields(document, [key]), from).toEqual(schema.fields(document, [key]));
});

test('a choice that can be left out has a first option for that', () => {
  const path = ['cluster', 'disaggregation', 'prefill_routing'];
  const [field] = schema.fields(DOC, path);
  const options = field?.input.kind === 'choice' ? field.input.options : [];
  expect([field?.input.kind === 'choice' && field.input.tag, options[0]?.label, options[0]?.value]).toEqual([
    '',
    'As homes',
    null,
  ]);
  const chosen = setAt(DOC, 'cluster.disaggregation', { prefill_routing: 'round-robin' });
  const [own] = schema.fields(chosen, path);
  expect(own?.input.kind === 'choice' && own.input.tag).toBe('round-robin');
});
