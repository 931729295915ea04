// The thread's side of questions, which are answered one after the other once the module has loaded.
import type { AnswerBytes, ToDesk } from './packet.ts';

declare const self: DedicatedWorkerGlobalScope;

/** The class of a module that answers questions; it throws a list of diagnostics for refused input. */
type Desk = { ask(question: string, named: Uint8Array[]): AnswerBytes };

/** `take` gets the compiled module of the page, for a desk in that. */
export function answering(
  ready: Promise<unknown>,
  open: () => Desk,
  take: (module: WebAssembly.Module) => void = () => {},
): void {
  let desk: Desk | undefined;
  self.onmessage = async ({ data }: MessageEvent<ToDesk>) => {
    if ('module' in data) {
      take(data.module);
      return;
    }
    const { id, question, named } = data;
    try {
      await ready;
      desk ??= open();
      const answer = desk.ask(question, [...named]);
      self.postMessage(
        { id, answer },
        answer.map((bytes) => bytes.buffer),
      );
    } catch (error) {
      if (Array.isArray(error)) {
        self.postMessage({ id, diagnostics: error });
        return;
      }
      // A desk whose code has failed takes no further question.
      desk = undefined;
      self.postMessage({ id, message: error instanceof Error ? error.message : String(error) });
    }
  };
}
