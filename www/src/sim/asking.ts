// The page's side of a thread that answers one question after the other: each question becomes a promise.
import { trust } from '../base/trust.ts';
import type { Diagnostic } from '../generated/boundary.ts';
import { LostError, RefusedError } from './client.ts';

/** The messages of such a thread: an answer, the errors of the input, or a failure. */
export type FromAsked =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly diagnostics: readonly Diagnostic[] }
  | { readonly id: number; readonly message: string };

/** The interface of a `Worker`; tests use a stand-in. */
export type AskedWorker<Q> = {
  postMessage(message: { id: number; question: Q }): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromAsked>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  /** Whether it failed before a listener was attached. */
  failed?: boolean;
};

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

export class Asking<Q extends { readonly kind: string }, A extends Record<Q['kind'], unknown>> {
  private worker: AskedWorker<Q> | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  private readonly spawn: () => AskedWorker<Q>;

  constructor(spawn: () => AskedWorker<Q>) {
    this.spawn = spawn;
  }

  ask<K extends Q['kind']>(question: Extract<Q, { kind: K }>): Promise<A[K]> {
    const worker = this.started();
    const id = this.asked++;
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, question });
    }).then((value) => trust<A[K]>(value)); // The table of answers gives the type for each question.
  }

  /** Ends the thread; open questions are not answered. */
  end(): void {
    this.give('ended');
  }

  private failed(): void {
    this.give('a script of this page could not be loaded or has failed');
  }

  private give(message: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(new LostError(message));
    this.waiting.clear();
  }

  private started(): AskedWorker<Q> {
    if (this.worker) return this.worker;
    const worker = this.spawn();
    worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ('value' in data) waiting?.resolve(data.value);
      else if ('diagnostics' in data) waiting?.reject(new RefusedError(data.diagnostics));
      else waiting?.reject(new Error(data.message));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.failed();
    };
    this.worker = worker;
    if (worker.failed) queueMicrotask(() => this.failed());
    return worker;
  }
}
