// The simulation's thread. The only file that imports the page's first WebAssembly module. It begins with that, which
// is built to be small, and continues with the one built for speed once that has loaded.
import init, { freshSeed, Sim, Trace } from '../../pkg/tokenyard.js';
import wasmUrl from '../../pkg/tokenyard_bg.wasm?url';
import { type Core, coreOf, type Surroundings } from './core.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { Runner } from './runner.ts';

declare const self: DedicatedWorkerGlobalScope;

let runner: Runner | undefined;
/** Whether the first picture was shown. */
let shown = false;

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
  runner = undefined;
  const told = error instanceof Error ? error.message : String(error);
  post({ kind: 'crash', message: panic.split('\n')[1] ?? told });
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(wasmUrl);
  if (!response.ok) throw new Error(`the server answers ${response.status} for its module`);
  try {
    return await WebAssembly.compileStreaming(response.clone());
  } catch {
    // Some hosts serve the file with another type; compiling bytes needs no type.
    return WebAssembly.compile(await response.arrayBuffer());
  }
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
  if (batch) {
    const { BATCH, ready } = await import('./quick.ts');
    await ready();
    begin(BATCH, undefined);
  } else {
    const module = given ?? (await compile());
    await init({ module_or_path: module });
    begin(CORE, module);
  }
  live(life);
}

function begin(core: Core, module: WebAssembly.Module | undefined): void {
  runner = new Runner(core, surroundings(), guardedPost);
  // Runs without display already have the quickest module.
  shown = module === undefined;
  post({ kind: 'ready', module, version: core.version() });
}

function guardedPost(message: FromWorker, transfer?: Transferable[]): void {
  post(message, transfer);
}

const CORE = coreOf({ freshSeed, Sim, Trace });

/** Time after the first picture, in which the page builds its other parts. */
const QUICK_AFTER_MS = 500;

async function quicken(to: Runner): Promise<void> {
  const { QUICK, ready } = await import('./quick.ts');
  await ready();
  if (runner === to) guarded(() => to.quicken(QUICK));
}

/** The first picture is on screen. The quicker module is optional: without it the run continues in the small one. */
function pictured(): void {
  const to = runner;
  if (shown || !to) return;
  shown = true;
  setTimeout(() => {
    quicken(to).catch(() => {});
  }, QUICK_AFTER_MS);
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
  if (!runner) return;
  try {
    work();
  } catch (error) {
    crash(error);
  }
}

self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if (message.kind === 'boot') {
    boot(message).catch(crash);
  } else if (message.kind === 'ping') {
    post({ kind: 'pong' });
  } else {
    guarded(() => runner?.handle(message));
    if (message.kind === 'ack') pictured();
  }
};
