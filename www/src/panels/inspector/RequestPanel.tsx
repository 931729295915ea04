// One request, or suggestions while none is chosen.
import { type JSX, lazy, Show, Suspense } from 'solid-js';
import type { EventKind } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';

const RequestBlocks = lazy(() => import('./RequestBlocks.tsx'));

export function RequestPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'>;
}): JSX.Element {
  const app = props.app;
  return (
    <Show when={app.selection.detail()} fallback={<Empty app={app} />}>
      {(detail) => (
        <Suspense>
          <RequestBlocks app={app} detail={detail()} />
        </Suspense>
      )}
    </Show>
  );
}

/** Suggestions in an empty inspector. */
function Empty(props: { app: Pick<App, 'transport' | 'selection'> }): JSX.Element {
  const latest = async (kind: EventKind): Promise<void> => {
    const { rows } = await props.app.selection.events({ kinds: [kind], limit: 1 });
    const request = rows.at(-1)?.request;
    if (request !== undefined) props.app.selection.select({ request, replica: undefined });
  };
  return (
    <div class="blk">
      <p class="say">
        Pick a request on the stage or in the log to see where its time went and why it was routed to its replica. Or
        look at:
      </p>
      <div class="offers">
        <button
          type="button"
          class="btn box"
          disabled={(props.app.transport.frame()?.counts.completed ?? 0) === 0}
          onClick={() => void latest('completed')}
        >
          The latest completion
        </button>
        <button
          type="button"
          class="btn box"
          disabled={(props.app.transport.frame()?.counts.preemptions ?? 0) === 0}
          onClick={() => void latest('preempted')}
        >
          The latest preemption
        </button>
        <Show when={props.app.transport.anomalies().at(-1)}>
          {(mark) => (
            <button type="button" class="btn box" onClick={() => void props.app.transport.showAnomaly(mark())}>
              The latest anomaly
            </button>
          )}
        </Show>
      </div>
    </div>
  );
}
