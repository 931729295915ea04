// The module built for speed, with what-if questions and laws of queueing theory. Only this file imports it. The threads
// of the simulation, of what-if questions and of laws each load it.
import init, { freshSeed, Sim, TheoryDesk, Trace, WhatIfDesk } from '../../pkg/quick.js';
import wasmUrl from '../../pkg/quick_bg.wasm?url';
import { type Core, coreOf } from './core.ts';

export { TheoryDesk, WhatIfDesk };

/** May be used once `ready` has resolved. */
export const QUICK = coreOf({ freshSeed, Sim, Trace });

/** The same for runs without display. */
export const BATCH: Core = { ...QUICK, newSim: (text) => Sim.unwatched(text) };

/** Loads and compiles the module. */
export function ready(): Promise<unknown> {
  return init({ module_or_path: wasmUrl });
}
