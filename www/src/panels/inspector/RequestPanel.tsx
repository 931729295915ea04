// One request, or suggestions while none is chosen.
import { createEffect, type JSX, lazy, on, Show, Suspense } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import type { EventKind } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { span } from '../../state/view/span.ts';

const RequestBlocks = lazy(() => import('./RequestBlocks.tsx'));

export function RequestPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'>;
}): JSX.Element {
  const app = props.app;
  const { selected, automatic } = app.selection;
  const chosen = (): boolean => selected().request !== undefined || selected().replica !== undefined;
  /** Under a narrow window it is a drawer: closed, it chooses nothing. */
  const inSight = (): boolean => !matchMedia('(max-width: 1360px)').matches || app.selection.drawer() || isPhone();
  createEffect(
    on([app.transport.refreshTick, app.transport.playing, chosen, span, inSight], ([, , own, , seen]) => {
      if (own || !seen) return;
      import('../../state/view/automatic.ts').then(({ chooseAutomatically }) => chooseAutomatically(app), ignoreLost);
    }),
  );
  return (
    <>
      <Show when={!chosen()}>
        <Offers app={app} why={automatic()?.why} />
      </Show>
      <Show when={app.selection.detail()}>
        {(detail) => (
          <Suspense>
            <RequestBlocks app={app} detail={detail()} />
          </Suspense>
        )}
      </Show>
    </>
  );
}

/** What to look at while no request is selected, and why the one below is shown. */
function Offers(props: { app: Pick<App, 'transport' | 'selection'>; why: string | undefined }): JSX.Element {
  const latest = async (kind: EventKind): Promise<void> => {
    const { rows } = await props.app.selection.events({ kinds: [kind], limit: 1 });
    const request = rows.at(-1)?.request;
    if (request !== undefined) props.app.selection.select({ request, replica: undefined });
  };
  return (
    <div class="blk automatic">
      <Show when={props.why} fallback={<p class="say">Pick a request on the stage or in the log, or look at:</p>}>
        {(why) => (
          <p class="say" role="status">
            {why()}, chosen automatically. Others:
          </p>
        )}
      </Show>
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
