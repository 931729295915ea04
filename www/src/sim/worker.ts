// The simulation's thread.
import { trust } from '../base/trust.ts';
import type { Core, Surroundings } from './core.ts';
import * as engine from './engine.ts';
import { Opening } from './opening.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import type { Recording } from './recorded.ts';
import { Runner } from './runner.ts';

declare const self: DedicatedWorkerGlobalScope;

/** How long the module waits for the recorded opening, which is far smaller, so that a slow link brings that first. */
const PATIENCE_MS = 3000;

/** What takes messages: the runner, or what stands before it where the page opens with a recording. */
let taker: Runner | Opening | undefined;
/** That recording on its way; undefined if it does not come. */
let recording: Promise<Recording | undefined> | undefined;

function post(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

/** The panic hook prints the message before the trap; the trap itself has none. */
let panic = '';
const print = console.error.bind(console);
console.error = (...words: unknown[]) => {
  panic = String(words[0]);
  print(...words);
};

/** A trap leaves the module's memory in an unknown state, so the whole worker is given up. */
function crash(error: unknown): void {
  taker = undefined;
  const told = error instanceof Error ? error.message : String(error);
  post({ kind: 'crash', message: panic.split('\n')[1] ?? told });
}

/**
 * Takes the lock and holds it for ever. A browser that denies storage, such as to a frame of another site, also denies
 * locks; then the page does not wait for one.
 */
function live(life: string): void {
  const held = (): Promise<never> => {
    post({ kind: 'alive' });
    return new Promise(() => {});
  };
  navigator.locks?.request(life, held).catch(() => {});
}

async function boot({ module: given, batch, life }: Extract<ToWorker, { kind: 'boot' }>): Promise<void> {
  await Promise.race([opened(), new Promise((go) => setTimeout(go, PATIENCE_MS))]);
  const module = await load(given);
  const core: Core = batch ? engine.BATCH : engine.ENGINE;
  if (taker instanceof Opening) taker.take(core);
  else taker = new Runner(core, surroundings(), post);
  post({ kind: 'ready', module, version: core.version() });
  live(life);
}

/** Plays the opening that was recorded, until the engine takes over. */
async function opened(): Promise<void> {
  const recorded = await recording;
  if (!recorded || taker) return;
  taker = new Opening(recorded, surroundings(), post);
  post({ kind: 'recorded' });
}

/** The module, started in this thread. Without it the recorded opening still plays, and fails once it needs more. */
async function load(given: WebAssembly.Module | undefined): Promise<WebAssembly.Module> {
  try {
    const module = given ?? (await engine.compile((bytes, of) => post({ kind: 'loading', bytes, of })));
    await engine.begin(module);
    return module;
  } catch (error) {
    if (taker instanceof Opening) await taker.needsEngine;
    throw error;
  }
}

async function recordingAt(url: string): Promise<Recording | undefined> {
  const response = await fetch(url);
  return response.ok ? trust<Recording>(await response.json()) : undefined;
}

/** A message over our own channel is handled after waiting messages, without the minimum delay of a timer. */
function surroundings(): Surroundings {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port2.onmessage = () => guarded(() => waiting.shift()?.());
  return {
    now: () => performance.now(),
    soon: (callback) => {
      waiting.push(callback);
      port1.postMessage(0);
    },
    later: (callback, ms) => {
      setTimeout(() => guarded(callback), ms);
    },
  };
}

function guarded(work: () => void): void {
  if (!taker) return;
  try {
    work();
  } catch (error) {
    crash(error);
  }
}

self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if (message.kind === 'boot') boot(message).catch(crash);
  else if (message.kind === 'ahead') recording = recordingAt(message.url).catch(() => undefined);
  else if (message.kind === 'ping') post({ kind: 'pong' });
  else guarded(() => taker?.handle(message));
};
