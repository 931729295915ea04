import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { trust } from '../base/trust.ts';
import type { Frame } from '../generated/boundary.ts';
import { Client, type Crash, LostError, RefusedError } from './client.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import type { WorkerLike } from './spawn.ts';

class FakeWorker implements WorkerLike {
  readonly sent: ToWorker[] = [];
  terminated = false;
  /** Whether it no longer sends messages. */
  hangs = false;
  boots = true;
  loads = true;
  failed = false;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  postMessage(message: ToWorker): void {
    this.sent.push(message);
    if (message.kind === 'ping' && !this.hangs) this.say({ kind: 'pong' });
    if (message.kind === 'boot' && this.boots) this.say({ kind: 'ready', module: MODULE, version: '0' });
    if (message.kind === 'ask' && message.question.kind === 'load' && this.loads) {
      this.say({
        kind: 'answer',
        id: message.id,
        value: {
          id: message.question.id,
          diagnostics: [],
          nowUs: 0,
          scenario: `kept:${message.question.text}`,
          documents: [],
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

function setup(prepare: (worker: FakeWorker) => void = () => {}) {
  const workers: FakeWorker[] = [];
  const frames: number[] = [];
  const crashes: Crash[] = [];
  const paints: (() => void)[] = [];
  const listener = {
    onFrame: (frame: Frame) => frames.push(frame.now_us),
    onCrash: (crash: Crash) => crashes.push(crash),
  };
  const client = new Client(
    () => {
      const worker = new FakeWorker();
      prepare(worker);
      workers.push(worker);
      return worker;
    },
    listener,
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
  return { client, listener, workers, last, frames, crashes, frame, paint };
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
  const lost = t.client.ask('inspect', 1);
  t.last().say({ kind: 'crash', message: 'INV-4: 7 blocks' });
  await expect(lost).rejects.toBeInstanceOf(LostError);
  await settle();
  expect(t.workers.length).toBe(2);
  expect(t.workers[0]?.terminated).toBe(true);
  expect(t.last().sent[0]).toMatchObject({ kind: 'boot', module: MODULE });
  const load = t.last().sent.find((m) => m.kind === 'ask' && m.question.kind === 'load');
  expect(load?.kind === 'ask' ? load.question : undefined).toMatchObject({ text: 'kept:{}', untilUs: 31_000_000 });
  expect(t.crashes).toMatchObject([{ againUs: 31_000_000, nowUs: 31_000_000, message: 'INV-4: 7 blocks' }]);
});

test('the first frame after a crash is shown, though a paint of the dead thread was pending', async () => {
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

test('a question before the module has loaded waits for it, and the page hears how much has come', async () => {
  const loading: unknown[] = [];
  const t = setup((worker) => {
    worker.boots = false;
  });
  Object.assign(t.listener, { onLoading: (...how: number[]) => loading.push(how) });
  const started = t.client.start();
  const load = t.client.load('{}', {
    id: { run: 1, edit: 0 },
    useTrace: false,
    untilUs: 0,
    thenPlay: false,
    keeps: false,
  });
  t.last().say({ kind: 'loading', bytes: 5, of: 20 });
  await settle();
  expect([t.last().asked('load'), t.client.isAwaited(), loading]).toEqual([0, true, [[5, 20]]]);
  t.last().say({ kind: 'ready', module: MODULE, version: '0' });
  await started;
  expect((await load).scenario).toBe('kept:{}');
  expect(t.client.isAwaited()).toBe(false);
});

test('a question during the restart after a crash is answered with an error', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  t.last().say({ kind: 'crash', message: 'INV-4: 7 blocks' });
  await Promise.resolve();
  while (t.workers.length < 2) await Promise.resolve();
  const asked = t.client.ask('evidence', null);
  await expect(asked).rejects.toBeInstanceOf(LostError);
  await settle();
  expect(t.crashes).toMatchObject([{ againUs: 0 }]);
});

test('a run that crashes repeatedly is taken to its start, and then left alone', async () => {
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
  expect(t.crashes.map((c) => c.againUs)).toEqual([5, 0, undefined]);
  expect(t.workers.length).toBe(3);
});

test('a question without a live worker is answered with an error', async () => {
  const t = setup();
  await expect(t.client.ask('report', null)).rejects.toBeInstanceOf(LostError);
});

/** Lets seconds pass, one check of the watchdog at a time. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i += 1) await vi.advanceTimersByTimeAsync(1000);
}

/** A client whose run is at 31 s. */
async function running() {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  t.frame(31_000_000);
  await pass(0);
  await vi.advanceTimersByTimeAsync(0);
  t.paint();
  return t;
}

describe('a thread that hangs', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is ended and replaced, and the run rebuilt up to its instant, without the question that hung it', async () => {
    const t = await running();
    const first = t.last();
    first.hangs = true;
    const lost = t.client.seek(90_000_000);
    const caught = expect(lost).rejects.toBeInstanceOf(LostError);
    await pass(8);
    await caught;
    expect(first.terminated).toBe(true);
    expect(t.workers.length).toBe(2);
    expect(t.crashes).toMatchObject([{ againUs: 31_000_000, scenario: 'kept:{}' }]);
    expect(t.crashes[0]?.message).toMatch(/did not answer for 5 s/);
    expect(t.last().asked('seek')).toBe(0);
    const load = t.last().sent.find((m) => m.kind === 'ask' && m.question.kind === 'load');
    expect(load?.kind === 'ask' ? load.question : undefined).toMatchObject({ untilUs: 31_000_000, thenPlay: false });
  });

  test('is noticed while the run plays, even without questions', async () => {
    const t = await running();
    t.client.play(1);
    await pass(3);
    t.last().hangs = true;
    await pass(8);
    expect(t.crashes.length).toBe(1);
  });

  test('is distinguished from a slow one, which answers in between', async () => {
    const t = await running();
    const answer = t.client.runTo('preemption');
    answer.catch(() => {});
    await pass(60);
    expect(t.crashes).toEqual([]);
  });

  test('is not checked for while nothing is under way', async () => {
    const t = await running();
    await pass(3);
    const pings = t.last().sent.filter((m) => m.kind === 'ping').length;
    await pass(60);
    expect(t.last().sent.filter((m) => m.kind === 'ping').length).toBe(pings);
  });

  test('gets longer for work done in one piece', async () => {
    const t = await running();
    t.last().hangs = true;
    t.client.ask('report', null).catch(() => {});
    await pass(20);
    expect(t.crashes).toEqual([]);
    await pass(15);
    expect(t.crashes.length).toBe(1);
  });
});

test('a script that could not be loaded is reported, even if it failed before a listener was attached', async () => {
  const early = setup((worker) => {
    worker.failed = true;
  });
  await expect(early.client.start()).rejects.toThrow('its script could not be loaded or run');
  const late = setup((worker) => {
    worker.boots = false;
  });
  const started = late.client.start();
  late.last().onerror?.(trust<ErrorEvent>({ message: '' }));
  await expect(started).rejects.toThrow('its script could not be loaded or run');
  expect(late.crashes).toMatchObject([{ againUs: undefined }]);
});

test('a thread that cannot hold its lock is not considered dead', async () => {
  const t = setup();
  await t.client.start();
  await t.client.load('{}', RUN);
  await settle();
  expect(t.crashes).toEqual([]);
});

test('after a first scenario that ends its thread, another scenario can be loaded', async () => {
  const t = setup((worker) => {
    worker.loads = false;
  });
  await t.client.start();
  const lost = t.client.load('{}', RUN);
  t.last().say({ kind: 'crash', message: 'INV-4: 7 blocks' });
  await expect(lost).rejects.toBeInstanceOf(LostError);
  await t.client.settled();
  expect(t.crashes).toMatchObject([{ againUs: undefined }]);
  t.last().loads = true;
  await expect(t.client.load('other', RUN)).resolves.toMatchObject({ scenario: 'kept:other' });
});
