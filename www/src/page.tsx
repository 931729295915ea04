// The page's own code, apart from what starts the simulation.

import painter from 'virtual:painter';
import { createRoot } from 'solid-js';
import { render } from 'solid-js/web';
import { App } from './App.tsx';
import { trust } from './base/trust.ts';
import { startPainter, type Take } from './draw/painter.ts';
import { afterParts } from './panels/parts/Deferred.tsx';
import type { WorkerLike } from './sim/spawn.ts';
import type { LinkWorker } from './sim/spawnLinks.ts';
import { thread } from './sim/thread.ts';
import { createApp } from './state/app.ts';

export function show(host: HTMLElement, spawn: () => WorkerLike, spawnLink: () => LinkWorker): void {
  const app = createRoot(() => createApp(spawn, spawnLink));
  // The state and the elements of the page are made in separate tasks.
  setTimeout(() => {
    render(() => <App app={app} />, host);
    afterParts(() =>
      startPainter({
        spawn: () => thread(painter, 'painter'),
        here: async () => {
          const { createPainting } = await import('./painting.ts');
          return (tell) => trust<Take>(createPainting(tell).take);
        },
      }),
    );
  });
}
