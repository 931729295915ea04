// Density: a latency as a heat map over time with a brush, the table of the brushed requests, the distribution of the span on screen, and
// steps by batch size. Loaded when it is opened.

import { createSignal, type JSX, lazy, onCleanup, onMount, Show, Suspense } from 'solid-js';
import { LATENCIES, MEASURES } from '../../base/latencies.ts';
import type { Measure } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { boxes, measure, setBoxes, setMeasure } from '../../state/view/closeup.ts';
import { setSorting, sorting } from '../../state/view/density.ts';
import { Segments } from '../parts/Segments.tsx';
import { ToolRow } from '../parts/ToolRow.tsx';
import { createAnswers } from './answers.ts';
import type { Behind } from './DataTable.tsx';
import { HeatMap } from './HeatMap.tsx';
import { RequestTable } from './RequestTable.tsx';
import { Spread, Steps } from './Spreads.tsx';
import './density.css';

const DataTable = lazy(() => import('./DataTable.tsx'));
const OPTIONS = MEASURES.map((of) => [of, LATENCIES[of].name] as const);

export default function Density(props: { app: App }): JSX.Element {
  const app = props.app;
  let view: HTMLDivElement | undefined;
  const [table, setTable] = createSignal<Behind>();
  const [width, setWidth] = createSignal(560);
  const [firstRow, setFirstRow] = createSignal(0);
  onMount(() => {
    if (!view) return;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(view);
    onCleanup(() => watch.disconnect());
  });
  createAnswers(app, () => ({ width: width(), firstRow: firstRow() }));
  const choose = (of: Measure): void => {
    // A table sorted by the latency of the map stays so.
    const { by, descending } = sorting();
    if (by === LATENCIES[measure()].column) setSorting({ by: LATENCIES[of].column, descending });
    setMeasure(of);
  };
  const clear = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || boxes().length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setBoxes([]);
  };
  return (
    <section class="closeup" aria-label="Density" onKeyDown={clear}>
      <ToolRow>
        <Segments label="Latency" options={OPTIONS} chosen={measure()} onChoose={choose} />
        <span class="grow" />
        <span class="density-keys">
          drag to select <kbd>Shift</kbd> add <kbd>Esc</kbd> clear
        </span>
      </ToolRow>
      <div class="density" ref={view}>
        <HeatMap app={app} onTable={() => setTable('map')} />
        <Spread onTable={() => setTable('spread')} />
        <RequestTable app={app} onFirstRow={setFirstRow} />
        <Steps onTable={() => setTable('steps')} />
        <Show when={table()}>
          {(of) => (
            <Suspense>
              <DataTable of={of()} onClose={() => setTable(undefined)} />
            </Suspense>
          )}
        </Show>
      </div>
    </section>
  );
}
