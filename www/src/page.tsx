// The page's own code, apart from what starts the simulation.
import { render } from 'solid-js/web';
import { App } from './App.tsx';
import type { WorkerLike } from './sim/spawn.ts';
import type { LinkWorker } from './sim/spawnLinks.ts';

export function show(host: HTMLElement, spawn: () => WorkerLike, spawnLink: () => LinkWorker): void {
  render(() => <App spawn={spawn} spawnLink={spawnLink} />, host);
}
