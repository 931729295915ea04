import { expect, test } from 'vitest';
import { trust } from '../base/trust.ts';
import type { Frame } from '../generated/boundary.ts';
import { Client, type Crash, LostError, RefusedError } from './client.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import type { WorkerLike } from './spawn.ts';

class FakeWorker implements WorkerLike {
  readonly sent: ToWorker[] = [];
  terminated = false;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  postMessage(message: ToWorker): void {
    this.sent.push(message);
    if (message.kind === 'boot') this.say({ kind: 'ready', module: MODULE, version: '0' });
    if (message.kind === 'ask' && message.question.kind === 'load') {
      this.say({
        kind: 'answer',
        id: message.id,
        value: {
          id: message.question.id,
          diagnostics: [],
          nowUs: 0,
          scenario: `kept:${message.question.text}`,
        },
      });
    }
  }
  terminate(): void {
    this.terminated = true;
  }
  say(message: FromWorker): void {
    queueMicrotask(() => this.onmessage?.(trust<MessageEvent<FromWorker>>({ data: message })));
  }
  asked(kind: string): number {
    return this.sent.filter((m) => m.kind === 'ask' && m.question.kind === kind).length;
  }
}

const MODULE = trust<WebAssembly.Module>({ name: 'module' });
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function setup() {
  const workers: FakeWorker[] = [];
  const frames: number[] = [];
  const crashes: Crash[] = [];
  const paints: (() => void)[] = [];
  const client = new Client(
    () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    { onFrame: (frame: Frame) => frames.push(frame.now_us), onCrash: (crash) => crashes.push(crash) },
    (callback) => paints.push(callback),
  );
  const last = (): FakeWorker => {
    const worker = workers.at(-1);
    if (!worker) throw new Error('no worker');
    return worker;
  };
  const frame = (nowUs: number, run = 1): void =>
    last().say({
      kind: 'frame',
      id: { run, edit: 0 },
      frame: new TextEncoder().encode(JSON.stringify({ now_us: nowUs })),
      mode: 'paused',
      achieved: 0,
    });
  const paint = (): void => {
    for (const callback of paints.splice(0)) callback();
  };
  return { client, workers, last, frames, crashes, frame, paint };
}

const RUN = { id: { run: 1, edit: 0 }, useTrace: false, untilUs: 0, thenPlay: false, keeps: false };

test('frames that come faster than they can be drawn are skipped, and each drawn one is acknowledged', async () => {
  const t = setup();
  await t.client.start();
  t.frame(1);
  t.frame(2);
  await settle();
  t.paint();
  expect(t.frames).toEqual([2]);
  expect(t.last().sent.filter((m) => m.kind === 'ack').length).toBe(1);
});

test('a frame of a run that was replaced is acknowledged but not shown', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', { ...RUN, id: { run: 2, edit: 0 } });
  t.frame(7, 1);
  await settle();
  t.paint();
  expect(t.frames).toEqual([]);
  t.frame(1, 2);
  await settle();
  t.paint();
  expect(t.frames).toEqual([1]);
  expect(t.last().sent.filter((m) => m.kind === 'ack').length).toBe(2);
});

test('a refusal arrives as an error with its diagnostics', async () => {
  const t = setup();
  await t.client.start();
  const answer = t.client.apply('{}');
  const asked = t.last().sent.find((m) => m.kind === 'ask');
  const diagnostics = [{ severity: 'error' as const, path: 'p', found: 'f', allowed: 'a', fix: '' }];
  t.last().say({ kind: 'refused', id: asked?.kind === 'ask' ? asked.id : -1, diagnostics });
  await expect(answer).rejects.toMatchObject({ diagnostics });
  await expect(answer).rejects.toBeInstanceOf(RefusedError);
});

test('a worker that dies is replaced from the compiled module and the run made again up to the last frame', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  t.frame(31_000_000);
  await settle();
  t.paint();
  const lost = t.client.inspect(1);
  t.last().say({ kind: 'crash', message: 'INV-4: 7 blocks' });
  await expect(lost).rejects.toBeInstanceOf(LostError);
  await settle();
  expect(t.workers.length).toBe(2);
  expect(t.workers[0]?.terminated).toBe(true);
  expect(t.last().sent[0]).toMatchObject({ kind: 'boot', module: MODULE });
  const load = t.last().sent.find((m) => m.kind === 'ask' && m.question.kind === 'load');
  expect(load?.kind === 'ask' ? load.question : undefined).toMatchObject({ text: 'kept:{}', untilUs: 31_000_000 });
  expect(t.crashes).toMatchObject([{ recovered: true, nowUs: 31_000_000, message: 'INV-4: 7 blocks' }]);
});

test('the first frame after a crash is shown, though a paint of the dead thread was still to come', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  t.frame(31_000_000);
  await settle();
  t.last().say({ kind: 'crash', message: 'INV-4: 7 blocks' });
  await settle();
  expect(t.workers.length).toBe(2);
  t.frame(32_000_000);
  await settle();
  t.paint();
  expect(t.frames).toEqual([32_000_000]);
  expect(t.last().sent.filter((m) => m.kind === 'ack').length).toBe(1);
});

test('a question asked while the thread after a crash begins is answered with an error instead of never', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  t.last().say({ kind: 'crash', message: 'INV-4: 7 blocks' });
  await Promise.resolve();
  while (t.workers.length < 2) await Promise.resolve();
  const asked = t.client.evidence();
  await expect(asked).rejects.toBeInstanceOf(LostError);
  await settle();
  expect(t.crashes).toMatchObject([{ recovered: true }]);
});

test('a run that crashes again and again is taken to its start, and then left alone', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  t.frame(5);
  await settle();
  t.paint();
  for (let i = 0; i < 3; i += 1) {
    t.last().say({ kind: 'crash', message: 'again' });
    await settle();
  }
  expect(t.crashes.map((c) => c.recovered)).toEqual([true, true, false]);
  expect(t.workers.length).toBe(3);
});

test('a question asked while no worker lives is answered with an error instead of never', async () => {
  const t = setup();
  await expect(t.client.report()).rejects.toBeInstanceOf(LostError);
});
