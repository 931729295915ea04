import { createRoot, createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { getAt, type Json, type JsonObject, setAt } from '../../base/json.ts';
import { Schema } from '../../base/schema.ts';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import raw from '../../generated/schema.json';
import { Client } from '../../sim/client.ts';
import type { Answers, FromWorker, Question, ToWorker } from '../../sim/protocol.ts';
import type { WorkerLike } from '../../sim/spawn.ts';
import { type Edit, effective } from '../edits/edits.ts';
import type { Notice } from '../notices/notices.ts';
import { removeNamedRun, renameNamedRun } from './listedRuns.ts';
import { createRuns } from './runs.ts';

const DOC: Json = {
  seed: 7,
  cluster: { pools: [{ name: 'main', replicas: 4, gpu: 'H100' }], routing: 'random' },
  workload: { clients: [{ name: 'chat', arrivals: { poisson: { rate_per_s: 8 } } }] },
  edits: [],
};

/** A worker that keeps the document and adds each edit at its clock, as the core does. */
class FakeWorker implements WorkerLike {
  document: Json = {};
  nowUs = 0;
  readonly asked: Question[] = [];
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
  answer(question: Question): Answers['load'] | undefined {
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
  accepted(id: Answers['load']['id']): Answers['load'] {
    return { id, diagnostics: [], nowUs: this.nowUs, scenario: JSON.stringify(this.document) };
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
  /** The document in force, from the document of the core. */
  const now = (path: string): Json | undefined => getAt(effective(runs.document(), worker.nowUs), path);
  return { worker, runs, now, notice };
}

test('several fields under one path are one edit; a field that restarts rebuilds the run up to the same instant', async () => {
  const { worker, runs } = await setup();
  await runs.change('cluster.pools[0]', { name: 'main', replicas: 6, gpu: 'A100-80' });
  expect(worker.edits()).toEqual([{ set: { 'cluster.pools[0].replicas': 6, 'cluster.pools[0].gpu': 'A100-80' } }]);
  await runs.change('seed', 8);
  expect([worker.edits().length, worker.loads()]).toEqual([1, 2]);
  expect(getAt(runs.document(), 'seed')).toBe(8);
});

test('undo removes added pools and clients while the run rests there, and empties them later', async () => {
  const { worker, runs, now, notice } = await setup();
  await runs.add('cluster.pools');
  await runs.add('workload.clients');
  expect(now('cluster.pools[1].name')).toBe('main-2');
  await runs.undo();
  await runs.undo();
  expect([now('workload.clients[1]'), now('cluster.pools[1]')]).toEqual([undefined, undefined]);
  expect(runs.edits().length).toBe(0);
  await runs.redo();
  expect(now('cluster.pools[1].replicas')).toBe(4);
  expect([runs.canUndo(), runs.canRedo(), worker.loads()]).toEqual([true, true, 3]);
  worker.nowUs += 1_000_000;
  await runs.undo();
  expect([now('cluster.pools[1].replicas'), runs.edits().length]).toEqual([0, 2]);
  await vi.waitFor(() => expect(notice()?.kind).toBe('ask'));
  const asked = notice();
  if (asked?.kind === 'ask') asked.run();
  await runs.redo();
  expect(runs.edits().length).toBe(1);
});

test('the first client of an empty workload has the first values of the schema', async () => {
  const { worker, runs } = await setup();
  await runs.open(JSON.stringify(setAt(DOC, 'workload.clients', [])), 'none', false);
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
  expect(getAt(effective(runs.document(), worker.nowUs), 'cluster.pools[0].replicas')).toBe(4);
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
  await runs.applyDocument(setAt(setAt(DOC, 'cluster.pools[0].replicas', 5), 'slo', { ttft_ms: 300 }));
  expect(worker.edits()).toEqual([{ set: { 'cluster.pools[0].replicas': 5, slo: { ttft_ms: 300 } } }]);
  await runs.applyDocument(setAt(setAt(runs.document(), 'cluster.pools[0].replicas', 3), 'run', { horizon_s: 60 }));
  expect([worker.edits().length, worker.loads()]).toEqual([1, 2]);
});

test('title and note change without a new run, later edits keep them, and undo brings the old ones back', async () => {
  const { worker, runs } = await setup();
  const asked = worker.asked.length;
  runs.rename('title', 'Postmortem');
  await runs.change('note', 'at 60 s: look');
  expect(worker.asked.length).toBe(asked);
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
  expect(getAt(runs.document(), 'cluster.pools[1].gpu')).toBe('A100-80');
});
