// How a worker is made, and no more: this is read before anything else of the page.
import type { FromWorker, ToWorker } from './protocol.ts';
import { early, thread } from './thread.ts';
import script from './worker.ts?worker&url';

/** What a `Worker` is to the client; tests put a stand-in here. */
export type WorkerLike = {
  postMessage(message: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  /** Whether it failed before anybody listened. */
  failed?: boolean;
};

/** The real worker. */
export function spawnWorker(): WorkerLike {
  return early<WorkerLike>(thread(script, 'simulation'));
}
