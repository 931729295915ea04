// How a worker is made. The file is kept small, because the page loads it first.
import type { FromWorker, ToWorker } from './protocol.ts';
import { early, thread } from './thread.ts';
import script from './worker.ts?worker&url';

/** The interface of a `Worker` for the client; tests use a stand-in. */
export type WorkerLike = {
  postMessage(message: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  /** Whether it failed before a listener was attached. */
  failed?: boolean;
};

/** The real worker. */
export function spawnWorker(): WorkerLike {
  return early<WorkerLike>(thread(script, 'simulation'));
}
