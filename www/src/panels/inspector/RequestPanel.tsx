// One request, or suggestions while none is chosen.
import { type JSX, lazy, Show, Suspense } from 'solid-js';
import type { EventKind } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';

const RequestBlocks = lazy(() => import('./RequestBlocks.tsx'));

export function RequestPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;
}): JSX.Element {
  const app = props.app;
  const { selected } = app.selection;
  /** The selected request, where the playhead is before its arrival. */
  const ahead = (): number | undefined => {
    const { request } = selected();
    const arrived = app.transport.throttledFrame()?.counts.arrived ?? 0;
    return request !== undefined && request >= arrived && !app.selection.detail() ? request : undefined;
  };
  return (
    <>
      <Show when={selected().request === undefined && selected().replica === undefined}>
        <Offers app={app} />
      </Show>
      <Show when={ahead() !== undefined}>
        <div class="blk">
          <p class="say">#{ahead()} has not arrived yet.</p>
        </div>
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

/** What happens to a request whose luck is bad, the rarest first. */
const UNLUCKY: readonly EventKind[] = ['lost', 'retried', 'preempted', 'dropped', 'rejected'];

/** What to look at while nothing is selected. */
function Offers(props: { app: Pick<App, 'transport' | 'selection' | 'dialogs'> }): JSX.Element {
  const { transport, selection, dialogs } = props.app;
  const open = (request: number): void => selection.select({ request, replica: undefined });
  const latest = async (kinds: readonly EventKind[]): Promise<number | undefined> => {
    for (const kind of kinds) {
      const { rows } = await selection.events({ kinds: [kind], limit: 1 });
      const request = rows.at(-1)?.request;
      if (request !== undefined) return request;
    }
    return undefined;
  };
  const slowest = async (): Promise<void> => {
    const { slowestNow } = await import('../../state/view/slowestNow.ts');
    const request = await slowestNow(props.app);
    if (request === undefined) dialogs.tell('No request has come yet.');
    else open(request);
  };
  const say = async (kinds: readonly EventKind[], none: string): Promise<void> => {
    const request = await latest(kinds);
    if (request === undefined) dialogs.tell(none);
    else open(request);
  };
  return (
    <div class="blk why-none">
      <p class="say">Click a request or a replica.</p>
      <fieldset class="three" aria-label="Requests to look at">
        <button
          type="button"
          title="The slowest first token of the latest seconds, or of the selected span"
          onClick={() => void slowest().catch(ignoreLost)}
        >
          slowest
        </button>
        <button
          type="button"
          title="The latest that has finished"
          disabled={(transport.frame()?.counts.completed ?? 0) === 0}
          onClick={() => void say(['completed'], 'Nothing has finished yet.').catch(ignoreLost)}
        >
          latest
        </button>
        <button
          type="button"
          title="The latest that was lost, or else tried again, preempted, dropped or refused"
          onClick={() => void say(UNLUCKY, 'No request has been unlucky yet.').catch(ignoreLost)}
        >
          unlucky
        </button>
      </fieldset>
    </div>
  );
}
