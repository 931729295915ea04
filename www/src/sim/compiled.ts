// The compiled module of the page: one thread compiles it, the others get it from here. The file is kept small, because a page
// opened by a link loads it first.

let module: WebAssembly.Module | undefined;
const waiting: ((module: WebAssembly.Module) => void)[] = [];

/** The module, if it is compiled. */
export const compiledModule = (): WebAssembly.Module | undefined => module;

/** Calls back with the module as soon as it is compiled. */
export function whenCompiled(callback: (module: WebAssembly.Module) => void): void {
  if (module) callback(module);
  else waiting.push(callback);
}

/** Takes the module that a thread has compiled. */
export function shareCompiled(next: WebAssembly.Module): void {
  module = next;
  for (const callback of waiting.splice(0)) callback(next);
}
