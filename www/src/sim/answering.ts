// The thread's side of questions, which are answered one after the other once the module has loaded.

declare const self: DedicatedWorkerGlobalScope;

export function answering<Q>(ready: Promise<unknown>, answer: (question: Q) => unknown): void {
  self.onmessage = async (event: MessageEvent<{ id: number; question: Q }>) => {
    const { id, question } = event.data;
    try {
      await ready;
      self.postMessage({ id, value: await answer(question) });
    } catch (error) {
      // The module throws a list of diagnostics for refused input.
      if (Array.isArray(error)) self.postMessage({ id, diagnostics: error });
      else self.postMessage({ id, message: error instanceof Error ? error.message : String(error) });
    }
  };
}
