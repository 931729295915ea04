// The page's side of a thread that answers one question after the other: each question becomes a promise.
import { LostError, RefusedError } from './client.ts';
import { type DeskName, type Desks, type DeskWorker, spawnDesk } from './desks.ts';
import { type AnswerBytes, answerOf, askedText, type QueryOf } from './packet.ts';

type Waiting = { readonly resolve: (answer: AnswerBytes) => void; readonly reject: (error: Error) => void };

export class Asking<D extends DeskName> {
  private worker: DeskWorker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  private readonly spawn: () => DeskWorker;

  constructor(name: D, spawn: () => DeskWorker = () => spawnDesk(name)) {
    this.spawn = spawn;
  }

  ask<K extends keyof Desks[D]['answers'] & string>(
    kind: K,
    query: QueryOf<Desks[D]['asked'], K>,
  ): Promise<Desks[D]['answers'][K]> {
    const worker = this.started();
    const id = this.asked++;
    return new Promise<AnswerBytes>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ...askedText({ [kind]: query }) });
    }).then((answer) => answerOf<Desks[D]['answers'][K]>(answer));
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

  private started(): DeskWorker {
    if (this.worker) return this.worker;
    const worker = this.spawn();
    worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ('answer' in data) waiting?.resolve(data.answer);
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
