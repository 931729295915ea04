// How a worker is made, and no more: this is read before anything else of the page.
import type { FromWorker, ToWorker } from './protocol.ts';

/** What a `Worker` is to the client; tests put a stand-in here. */
export type WorkerLike = {
  postMessage(message: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
};

/** The real worker. */
export function spawnWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'simulation' });
}
