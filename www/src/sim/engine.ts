// The page's WebAssembly module: the simulation, what-if questions and laws of queueing theory. Only this file imports it. The
// simulation's thread compiles it; other threads get what that has compiled.
import init, { freshSeed, Sim, TheoryDesk, Trace, WhatIfDesk } from '../../pkg/tokenyard.js';
import wasmUrl from '../../pkg/tokenyard_bg.wasm?url';
import { type Core, coreOf } from './core.ts';

export { TheoryDesk, WhatIfDesk };

/** May be used once `begin` has resolved. */
export const ENGINE: Core = coreOf({ freshSeed, Sim, Trace });

/** The same for runs without display. */
export const BATCH: Core = { ...ENGINE, newSim: (text) => Sim.unwatched(text) };

/** The bytes of the module, uncompressed: a response tells only how many are sent. */
declare const ENGINE_BYTES: number;

/** The least time from one word of progress to the next. */
const APART_MS = 100;

/** Loads and compiles the module. `progress` gets the number of bytes that have come, and of all. */
export async function compile(progress: (bytes: number, of: number) => void): Promise<WebAssembly.Module> {
  progress(0, ENGINE_BYTES);
  const response = await fetch(wasmUrl);
  if (!response.ok || !response.body) throw new Error(`the server answers ${response.status} for its module`);
  const compiled = WebAssembly.compileStreaming(response.clone());
  compiled.catch(() => {});
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let [came, dueMs] = [0, 0];
  const reader = response.body.getReader();
  for (let piece = await reader.read(); piece.value; piece = await reader.read()) {
    pieces.push(piece.value);
    came += piece.value.byteLength;
    if (performance.now() < dueMs) continue;
    dueMs = performance.now() + APART_MS;
    progress(came, ENGINE_BYTES);
  }
  // Some hosts serve the file with another type; compiling bytes needs no type.
  return compiled.catch(async () => WebAssembly.compile(await new Blob(pieces).arrayBuffer()));
}

/** Starts the compiled module in this thread. */
export function begin(module: WebAssembly.Module): Promise<unknown> {
  return init({ module_or_path: module });
}
