// The page's own code, apart from what starts the simulation.
import { render } from 'solid-js/web';
import { App } from './App.tsx';
import type { WorkerLike } from './sim/spawn.ts';

export function show(host: HTMLElement, spawn: () => WorkerLike): void {
  render(() => <App spawn={spawn} />, host);
}
