// The page's own code, apart from what starts the simulation.

import painter from 'virtual:painter';
import { createRoot } from 'solid-js';
import { render } from 'solid-js/web';
import { trust } from '../base/trust.ts';
import { startPainter, type Take } from '../draw/thread/painter.ts';
import { afterParts } from '../panels/parts/Deferred.tsx';
import type { DeskWorker } from '../sim/desks.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import { thread } from '../sim/thread.ts';
import { createApp } from '../state/app.ts';
import { App } from './App.tsx';

export function show(host: HTMLElement, spawn: () => WorkerLike, spawnLink: () => DeskWorker): void {
  const app = createRoot(() => createApp(spawn, spawnLink));
  // The state and the elements of the page are made in separate tasks.
  setTimeout(() => {
    render(() => <App app={app} />, host);
    afterParts(() =>
      startPainter({
        spawn: () => thread(painter, 'painter'),
        here: async () => {
          const { createPainting } = await import('../painters/painting.ts');
          return (tell) => trust<Take>(createPainting(tell).take);
        },
      }),
    );
  });
}
