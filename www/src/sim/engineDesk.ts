// A thread that answers questions in the page's module, which it is given: its name says which.
import { answering } from './answering.ts';
import { begin, TheoryDesk, WhatIfDesk } from './engine.ts';

declare const self: DedicatedWorkerGlobalScope;

const open = self.name === 'theory' ? () => new TheoryDesk() : () => new WhatIfDesk();
let take: (module: WebAssembly.Module) => void = () => {};
const given = new Promise<WebAssembly.Module>((resolve) => {
  take = resolve;
});
answering(given.then(begin), open, take);
