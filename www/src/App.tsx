import type { JSX } from 'solid-js';
import { NO_DATA, NOTHING } from './base/view.ts';
import { Charts } from './charts/Charts.tsx';
import { Stage } from './stage/Stage.tsx';

export function App(): JSX.Element {
  return (
    <div class="page">
      <main class="mid">
        <section class="stage" aria-label="Stage">
          <Stage
            frame={undefined}
            speed={1}
            playing={false}
            selected={NOTHING}
            onSelect={() => {}}
            reducedMotion={false}
          />
        </section>
        <section class="charts" aria-label="Charts">
          <Charts
            data={NO_DATA}
            cursorS={undefined}
            onCursor={() => {}}
            frame={undefined}
            selected={NOTHING}
            onSelect={() => {}}
          />
        </section>
      </main>
    </div>
  );
}
