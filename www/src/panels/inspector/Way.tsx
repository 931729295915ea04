// The way to what the inspector shows: each level is a button, and the next one deeper stands behind it.
import { createMemo, Index, type JSX, Show } from 'solid-js';
import { equal } from '../../base/json.ts';
import { count } from '../../base/units.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { deeper, enter, type Level, levels, nextLevel } from '../../state/view/depth.ts';
import './way.css';

const NEXT = { step: 'batch', request: 'request', blocks: 'blocks' } as const;
const SAYS = {
  step: 'Its latest step and what runs in it (Enter on the stage)',
  request: 'The first request of the batch (Enter on the stage)',
  blocks: 'The KV blocks that it holds (Enter on the stage)',
} as const;

export function Way(props: { app: Pick<App, 'transport' | 'selection' | 'dialogs'> }): JSX.Element {
  // The same levels keep their buttons, and the focus on one of them.
  const way = createMemo(() => levels(props.app), [], { equals: equal });
  return (
    <Show when={way().length > 1}>
      <nav class="way" aria-label="Level">
        <ol>
          <Index each={way()}>
            {(level, i) => (
              <li>
                <button
                  type="button"
                  aria-current={i === way().length - 1 ? 'location' : undefined}
                  onClick={() => enter(props.app, level())}
                >
                  {nameOf(level())}
                </button>
              </li>
            )}
          </Index>
          <Show when={nextLevel(props.app)}>
            {(next) => (
              <li class="deeper">
                <button type="button" title={SAYS[next()]} onClick={() => void deeper(props.app).catch(ignoreLost)}>
                  {NEXT[next()]}
                </button>
              </li>
            )}
          </Show>
        </ol>
      </nav>
    </Show>
  );
}

function nameOf(level: Level): string {
  switch (level.kind) {
    case 'cluster':
      return 'Cluster';
    case 'replica':
      return `r${level.replica}`;
    case 'step':
      return `step ${count(level.seq)}`;
    case 'request':
      return `#${level.request}`;
    case 'blocks':
      return 'blocks';
  }
}
