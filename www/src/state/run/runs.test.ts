import { createRoot, createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { getAt, type Json, type JsonObject, setAt } from '../../base/json.ts';
import { Schema } from '../../base/schema.ts';
import { trust } from '../../base/trust.ts';
import type { Frame, RunDocuments, RunQuestion, Undo } from '../../generated/boundary.ts';
import raw from '../../generated/schema.json';
import { Client } from '../../sim/client.ts';
import type { Answers, FromWorker, Question, ToWorker } from '../../sim/protocol.ts';
import type { WorkerLike } from '../../sim/spawn.ts';
import type { Edit } from '../edits/edits.ts';
import type { Notice } from '../notices/notices.ts';
import { removeNamedRun, renameNamedRun } from './listedRuns.ts';
import { createRuns } from './runs.ts';

const DOC: Json = {
  seed: 7,
  cluster: { pools: [{ name: 'main', replicas: 4, gpu: 'H100' }], routing: 'random' },
  workload: { clients: [{ name: 'chat', arrivals: { poisson: { rate_per_s: 8 } } }] },
  edits: [],
};

const UNDO: Undo = { back: {}, added: [] };
/** The entries that the simulation proposes. */
const FURTHER: Readonly<Record<string, Json>> = {
  'cluster.pools': { name: 'main-2', replicas: 4 },
  'workload.clients': { name: 'chat-2' },
};

const bytes = (value: unknown): Uint8Array<ArrayBuffer>[] => [new TextEncoder().encode(JSON.stringify(value))];

/** A worker that keeps the document and adds each edit at its clock, as the core does. What an edit makes of it, tests say. */
class FakeWorker implements WorkerLike {
  document: Json = {};
  nowUs = 0;
  readonly asked: Question[] = [];
  inForce: RunDocuments['in_force'] = [];
  undo = UNDO;
  /** The answers that tests give to questions about the run. */
  answers: Readonly<Record<string, unknown>> = {};
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  postMessage(message: ToWorker): void {
    if (message.kind === 'boot') this.say({ kind: 'ready', module: trust<WebAssembly.Module>({}), version: '' });
    if (message.kind !== 'ask') return;
    this.asked.push(message.question);
    const value = this.answer(message.question);
    this.say(
      value === undefined
        ? {
            kind: 'refused',
            id: message.id,
            diagnostics: [
              { severity: 'error', path: 'cluster.routing.power-of-d.d', found: 'bad', allowed: 'a policy', fix: '' },
            ],
          }
        : { kind: 'answer', id: message.id, value },
    );
  }
  answer(question: Question): Answers['load'] | Answers['present'] | undefined {
    if (question.kind === 'present') return bytes(this.about(trust<RunQuestion>(JSON.parse(question.question))));
    if (question.kind === 'load') {
      this.document = trust<Json>(JSON.parse(question.text));
      this.nowUs = question.untilUs;
      return this.accepted(question.id);
    }
    if (question.kind !== 'apply' || question.edit.includes('"bad"')) return undefined;
    const edit = trust<JsonObject>(JSON.parse(question.edit));
    const edits = getAt(this.document, 'edits');
    this.document = setAt(this.document, 'edits', [
      ...(Array.isArray(edits) ? edits : []),
      { at_us: this.nowUs, ...edit },
    ]);
    return this.accepted({ run: 1, edit: 1 });
  }
  about(question: RunQuestion): unknown {
    const [[kind, query] = ['', undefined]] = Object.entries(question);
    if (kind in this.answers) return this.answers[kind];
    if ('set-field' in question) {
      const { path, value } = question['set-field'];
      return { edits: [{ set: { [path]: value }, add: {} }], without: null };
    }
    return kind === 'further-entry' ? { add: { [String(query)]: FURTHER[String(query)] } } : [];
  }
  accepted(id: Answers['load']['id']): Answers['load'] {
    const edits = getAt(this.document, 'edits');
    const latest = { index: Array.isArray(edits) ? edits.length - 1 : -1, undo: this.undo };
    const documents = bytes({ in_force: this.inForce, latest });
    return { id, diagnostics: [], nowUs: this.nowUs, scenario: JSON.stringify(this.document), documents };
  }
  terminate(): void {}
  say(message: FromWorker): void {
    queueMicrotask(() => this.onmessage?.(trust<MessageEvent<FromWorker>>({ data: message })));
  }
  edits(): readonly Edit[] {
    return this.asked.flatMap((q) => (q.kind === 'apply' ? [trust<Edit>(JSON.parse(q.edit))] : []));
  }
  loads(): number {
    return this.asked.filter((q) => q.kind === 'load').length;
  }
}

async function setup() {
  const worker = new FakeWorker();
  const client = new Client(
    () => worker,
    { onFrame: () => {}, onCrash: () => {} },
    () => {},
  );
  await client.start();
  const [notice, setNotice] = createSignal<Notice>();
  const runs = createRoot(() =>
    createRuns({
      client: () => client,
      schema: new Schema(trust<JsonObject>(raw)),
      frame: () => trust<Frame>({ now_us: worker.nowUs }),
      playsOn: () => false,
      aim: () => undefined,
      onWay: () => {},
      setNotice,
      takeCarried: () => Promise.resolve(undefined),
      onNewRun: () => {},
    }),
  );
  await runs.open(JSON.stringify(DOC), 'four', false);
  return { worker, runs, notice };
}

test('a field that may change is an edit; one that restarts rebuilds the run up to the same instant', async () => {
  const { worker, runs } = await setup();
  await runs.change('cluster.pools[0].replicas', 6);
  expect(worker.edits().map((edit) => edit.set)).toEqual([{ 'cluster.pools[0].replicas': 6 }]);
  await runs.change('seed', 8);
  expect([worker.edits().length, worker.loads()]).toEqual([1, 2]);
  expect(getAt(runs.document(), 'seed')).toBe(8);
});

test('a value that the field has changes nothing, and one that is set back leaves the run without its edit', async () => {
  const { worker, runs } = await setup();
  const asked = worker.asked.length;
  expect(await runs.change('cluster.routing', 'random')).toBe(true);
  expect(worker.asked.length).toBe(asked);
  worker.answers = { 'set-field': { edits: [], without: JSON.stringify(setAt(DOC, 'title', 'of the core')) } };
  expect(await runs.change('cluster.routing', 'least-loaded')).toBe(true);
  expect([worker.edits().length, worker.loads()]).toEqual([0, 2]);
});

test('the form shows the documents in force that the simulation says', async () => {
  const { worker, runs } = await setup();
  const path = 'cluster.routing';
  worker.inForce = [
    { from_us: worker.nowUs, set: { [path]: 'least-loaded' } },
    { from_us: worker.nowUs + 1, set: { [path]: 'round-robin' } },
  ];
  await runs.change(path, 'least-loaded');
  expect(getAt(runs.inForce(), path)).toBe('least-loaded');
  expect(getAt(runs.document(), path)).toBe('random');
});

test('undo removes added pools and clients while the run rests there, and empties them later', async () => {
  const { worker, runs, notice } = await setup();
  const path = 'cluster.pools[1].replicas';
  worker.undo = { back: { [path]: 0 }, again: { [path]: 4 }, added: ['cluster.pools[1]'] };
  await runs.add('cluster.pools');
  await runs.add('workload.clients');
  expect(getAt(runs.document(), 'edits[0].add')).toEqual({ 'cluster.pools': FURTHER['cluster.pools'] });
  await runs.undo();
  await runs.undo();
  expect(runs.edits().length).toBe(0);
  await runs.redo();
  expect([runs.edits().length, runs.canUndo(), runs.canRedo(), worker.loads()]).toEqual([1, true, true, 3]);
  worker.nowUs += 1_000_000;
  await runs.undo();
  expect(runs.edits().map(({ edit }) => edit.set)).toEqual([undefined, { [path]: 0 }]);
  await vi.waitFor(() => expect(notice()?.kind).toBe('ask'));
  const asked = notice();
  if (asked?.kind === 'ask') asked.run();
  await runs.redo();
  expect(runs.edits().length).toBe(1);
});

test('the first client of an empty workload has the first values of the schema', async () => {
  const { worker, runs } = await setup();
  await runs.open(JSON.stringify(setAt(DOC, 'workload.clients', [])), 'none', false);
  worker.answers = { 'further-entry': null };
  expect(await runs.add('workload.clients')).toBe(true);
  const [edit] = worker.edits();
  expect(getAt(edit?.add?.['workload.clients'], 'arrivals')).toBeDefined();
});

test('a restart is undone by the document before it', async () => {
  const { runs } = await setup();
  const before = runs.document();
  await runs.change('seed', 8);
  await runs.undo();
  expect(runs.document()).toEqual(before);
  await runs.redo();
  expect(getAt(runs.document(), 'seed')).toBe(8);
});

test('undo of opening another scenario restores edits, runs and instant', async () => {
  const { worker, runs } = await setup();
  expect(runs.canUndo()).toBe(false);
  await runs.change('cluster.pools[0].replicas', 6);
  runs.addSecondRun('B', JSON.stringify(setAt(DOC, 'seed', 9)));
  const before = [runs.document(), runs.namedRuns(), runs.presetName(), worker.nowUs];
  await runs.open(JSON.stringify(setAt(DOC, 'seed', 8)), 'other', false, 3_000_000);
  expect([runs.presetName(), runs.namedRuns().all, runs.edits()]).toEqual(['other', [], []]);
  await runs.undo();
  expect([runs.document(), runs.namedRuns(), runs.presetName(), worker.nowUs]).toEqual(before);
  expect(runs.differences()).toBe(1);
  await runs.redo();
  expect([getAt(runs.document(), 'seed'), runs.presetName(), worker.nowUs]).toEqual([8, 'other', 3_000_000]);
  await runs.undo();
  await runs.undo();
  expect(runs.edits()).toEqual([]);
});

test('a run that is renamed or removed is back after an undo', async () => {
  const { runs } = await setup();
  runs.addSecondRun('B', JSON.stringify(setAt(DOC, 'seed', 9)));
  const listed = runs.namedRuns();
  renameNamedRun(runs, 2, 'Nine');
  removeNamedRun(runs, 2);
  expect(runs.namedRuns().all.map((run) => run.name)).toEqual(['Run 1']);
  await runs.undo();
  expect(runs.namedRuns().all.map((run) => run.name)).toEqual(['Run 1', 'Nine']);
  await runs.undo();
  expect(runs.namedRuns()).toEqual(listed);
  await runs.redo();
  await runs.redo();
  expect(runs.namedRuns().all.map((run) => run.name)).toEqual(['Run 1']);
});

test('a document as text is one edit if all of it is live, else a restart', async () => {
  const { worker, runs } = await setup();
  const set = { 'cluster.pools[0].replicas': 5, slo: { ttft_ms: 300 } };
  worker.answers = { 'edits-to': [{ set }] };
  await runs.applyDocument(setAt(setAt(DOC, 'cluster.pools[0].replicas', 5), 'slo', { ttft_ms: 300 }));
  expect(worker.edits()).toEqual([{ set }]);
  worker.answers = { 'edits-to': [{ set: { 'cluster.pools[0].replicas': 3, 'run.horizon_s': 60 } }] };
  await runs.applyDocument(setAt(setAt(runs.document(), 'cluster.pools[0].replicas', 3), 'run', { horizon_s: 60 }));
  expect([worker.edits().length, worker.loads()]).toEqual([1, 2]);
});

test('title and note change without a new run, later edits keep them, and undo brings the old ones back', async () => {
  const { worker, runs } = await setup();
  const made = (): number => worker.loads() + worker.edits().length;
  const before = made();
  runs.rename('title', 'Postmortem');
  await runs.change('note', 'at 60 s: look');
  expect(made()).toBe(before);
  expect(runs.staleWords()).toEqual({ title: '', note: '' });
  await runs.change('cluster.routing', 'least-loaded');
  // The simulation still has the old words.
  expect(getAt(worker.document, 'title')).toBeUndefined();
  expect([getAt(runs.document(), 'title'), getAt(runs.document(), 'note')]).toEqual(['Postmortem', 'at 60 s: look']);
  await runs.undo();
  expect(getAt(runs.document(), 'title')).toBe('Postmortem');
  await runs.undo();
  await runs.undo();
  expect([getAt(runs.document(), 'title'), getAt(runs.document(), 'note')]).toEqual(['', '']);
  await runs.redo();
  expect(getAt(runs.document(), 'title')).toBe('Postmortem');
  const loads = worker.loads();
  await runs.applyDocument(setAt(runs.document(), 'title', 'From the text'));
  expect([getAt(runs.document(), 'title'), worker.loads()]).toEqual(['From the text', loads]);
});

test('a refused change has no effect, is reported at its field and cannot be undone', async () => {
  const { runs } = await setup();
  expect(await runs.change('cluster.routing', 'bad')).toBe(false);
  expect(getAt(runs.document(), 'cluster.routing')).toBe('random');
  expect([...runs.problems().keys()]).toEqual(['cluster.routing', 'cluster.routing.power-of-d.d']);
  expect(runs.canUndo()).toBe(false);
});

test('before its first event a run has no edits: the document changes', async () => {
  const { worker, runs } = await setup();
  worker.nowUs = 0;
  await runs.change('cluster.pools[0].gpu', 'A100-80');
  await runs.add('cluster.pools');
  expect(worker.edits()).toEqual([]);
  expect([0, 1].map((i) => getAt(runs.document(), `cluster.pools[${i}].gpu`))).toEqual(['A100-80', undefined]);
  expect(getAt(runs.document(), 'cluster.pools[1].name')).toBe('main-2');
});
