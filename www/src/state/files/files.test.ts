import { expect, test, vi } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { TraceOutcome } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import { learning, ownFile } from '../lessons/lesson.ts';
import type { LinksSlice } from '../slices/links.ts';
import { droppedStudy } from '../studies/droppedStudy.ts';
import type { OpenedTrace } from './exchange.ts';
import { type Box, kindOfText, openFile } from './files.ts';

const KEYS = new Set(['title', 'note', 'cluster', 'workload', 'seed']);
const MIB = 2 ** 20;

test.each([
  ['{"cluster": {}}', 'scenario'],
  ['{"tokenyard_study": 1, "seed": 3}', 'study'],
  ['{"lesson": 1, "steps": []}', 'lesson'],
  // The reader of lessons reports a version that is none.
  ['{"lesson": "one"}', 'lesson'],
  ['{}', 'scenario'],
  ['not JSON', 'scenario'],
  ['3', 'scenario'],
  ['[{"start_time": 1}]', 'benchmark'],
  ['{"mean_ttft_ms": 20, "completed": 8}', 'benchmark'],
  ['{"request_rate": Infinity, "mean_itl_ms": NaN}', 'benchmark'],
  ['{"run": {}, "scenario": {}, "results": {}}', 'benchmark'],
  ['{"model_type": "llama", "hidden_size": 4096}', 'model'],
  ['{"kind": "HorizontalPodAutoscaler"}', 'policies'],
])('%s as JSON is: %s', (text, expected) => {
  expect(kindOfText(text, true, KEYS)).toBe(expected);
});

test.each([
  ['cluster: {}\n', 'scenario'],
  ['run: {uid: a}\nscenario: {}\nresults: {}\n', 'benchmark'],
  ['apiVersion: v1\nkind: List\n', 'policies'],
  ['# Ours\nlesson: 1\nsteps:\n  - kind: predict\n', 'lesson'],
  ['title: x\nnote: |\n  lesson: 1\n', 'scenario'],
  ['seed: 7\n', 'scenario'],
  ['cluster: {}\nworklod: {}\n', 'scenario'],
  ['routing:\n  policy: weighted\nscheduler: fcfs\n', 'policies'],
  ['no YAML at all', 'scenario'],
])('%j as YAML is: %s', (text, expected) => {
  expect(kindOfText(text, false, KEYS)).toBe(expected);
});

async function gzip(name: string, text: string): Promise<File> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new File([await new Response(packed).arrayBuffer()], name);
}

/** A page that records the handling of a file. */
function page(waits = false) {
  const went: string[] = [];
  const note = (what: string, file: { name: string }, text: string): void => {
    went.push(`${what} ${file.name}: ${text}`);
  };
  const outcome: TraceOutcome = { ok: false, diagnostics: [], summary: null };
  const client = {
    readTrace: async (file: File) => {
      note('trace', file, await file.text());
      return { ...outcome, ok: true, summary: { requests: 1, duration_s: 60, format: 'Azure' } };
    },
  };
  const links = {
    trouble: () => (waits ? { problems: [], waits: { problems: [], trace: {} } } : undefined),
    setTrouble: ({ problems }: { problems: { found: string }[] }) => went.push(`trouble ${problems[0]?.found}`),
    giveTrace: async (file: File) => {
      note('given', file, await file.text());
      return true;
    },
  };
  const state: Parameters<typeof openFile>[1] = {
    document: () => ({}),
    traceBytes: MIB,
    problems: () => new Map(),
    trace: () => undefined,
    setTrace: () => undefined,
    setTraceFile: (file) => went.push(`replays ${file.name}`),
    setReading: () => undefined,
    setNotice: trust((notice: { text: string }) => went.push(`notice ${notice.text}`)),
    scenarioKeys: KEYS,
    onBenchmark: (file) => note('benchmark', file, file.text),
    onStudy: () => went.push(`study ${droppedStudy()?.name}`),
    open: async (text, name) => {
      note('open', { name }, text);
      return true;
    },
    links: trust<LinksSlice>(links),
  };
  const take = (file: File, box?: Box): Promise<void> => openFile(trust<Client>(client), state, file, box);
  return { take, went };
}

test('the file of a study goes to the view of studies', async () => {
  const { take, went } = page();
  await take(new File(['{"tokenyard_study": 1}'], 'race.json'));
  expect(went).toEqual(['study race.json']);
});

test('a lesson goes to the view of lessons, which checks it', async () => {
  const { take, went } = page();
  await take(new File(['lesson: 1\n'], 'mine.yaml'));
  expect(went).toEqual([]);
  expect(ownFile()).toEqual({ name: 'mine.yaml', text: 'lesson: 1\n' });
  expect(learning()).toBe(true);
});

vi.mock('../../sim/traceFile.ts', () => ({
  inspectTraceFile: async (file: File) => ({
    outcome: { ok: true, diagnostics: [], summary: { requests: 1, duration_s: 60, format: `${file.name} read` } },
    inspection: {},
  }),
}));

test('a packed trace is looked at by its own name, and replayed with the changes that are made to it', async () => {
  const asked: OpenedTrace[] = [];
  vi.stubGlobal('dispatchEvent', (event: CustomEvent) => asked.push(event.detail.trace));
  const { take, went } = page();
  await take(await gzip('azure.csv.gz', 'a,b\n'));
  expect(went).toEqual([]);
  await asked[0]?.run({ subsample: 0.5 });
  expect(went[0]).toBe('trace azure.csv: a,b\n');
  expect(went.find((line) => line.startsWith('open'))).toMatch(/"subsample":0\.5/);
  expect(went).toContain('replays azure.csv');
  expect(went.at(-1)).toBe('notice azure.csv: 1 requests over 1.0 min (azure.csv read).');
  vi.unstubAllGlobals();
});

test('a packed scenario is opened and a packed benchmark goes to its panel', async () => {
  const { take, went } = page();
  await take(await gzip('run.yaml.gz', 'seed: 7\n'));
  await take(await gzip('result.json.gz', '{"mean_ttft_ms":20}'));
  expect(went).toEqual([
    'open run.yaml: {"seed":7}',
    'notice Loaded run.yaml.',
    'benchmark result.json: {"mean_ttft_ms":20}',
  ]);
});

test('a message for a file that only one box takes names the box', async () => {
  const { take, went } = page();
  await take(await gzip('config.json.gz', '{"model_type":"llama"}'));
  expect(went).toEqual([
    'notice config.json describes a model: drop it on the box below “Paste a config.json…” in the form of a pool.',
  ]);
});

test('configuration of another program goes to the dialog of imports', async () => {
  const asked: unknown[] = [];
  vi.stubGlobal('dispatchEvent', (event: CustomEvent) => asked.push(event.detail));
  const { take, went } = page();
  await take(await gzip('keda.yaml.gz', 'kind: ScaledObject\n'));
  expect(went).toEqual([]);
  expect(asked).toEqual([{ kind: 'import', texts: [{ name: 'keda.yaml', text: 'kind: ScaledObject\n' }] }]);
  vi.unstubAllGlobals();
});

test('a box gets the text of a file, and a link that waits for its trace gets the trace', async () => {
  const { take, went } = page(true);
  const box: string[] = [];
  await take(await gzip('keda.yaml.gz', 'kind: ScaledObject\n'), (text, name) => box.push(name, text));
  expect(box).toEqual(['keda.yaml', 'kind: ScaledObject\n']);
  await take(await gzip('azure.csv.gz', 'a,b\n'));
  expect(went).toEqual(['given azure.csv: a,b\n', 'replays azure.csv']);
});

test('a damaged or too large gzip file is reported once, in the dialog of its kind', async () => {
  const damaged = new File([(await gzip('a.csv.gz', 'a,b\n')).slice(0, 20)], 'a.csv.gz');
  const { take, went } = page();
  await take(damaged);
  await take(await gzip('zeros.gz', '0'.repeat(MIB + 1)));
  expect(went).toEqual([
    expect.stringMatching(
      /^notice a\.csv\.gz: found damaged gzip data .* allowed: one whole gzip file; copy or download/,
    ),
    'notice zeros.gz: found more than 1 MiB after unpacking; allowed: at most 1 MiB; use the command line for it',
  ]);
  const waiting = page(true);
  await waiting.take(damaged);
  expect(waiting.went).toEqual([expect.stringMatching(/^trouble damaged gzip data/)]);
});
