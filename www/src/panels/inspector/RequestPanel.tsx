// One request, or suggestions while none is chosen.
import { createEffect, type JSX, lazy, on, Show, Suspense } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import type { EventKind } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { span } from '../../state/view/span.ts';

const RequestBlocks = lazy(() => import('./RequestBlocks.tsx'));

export function RequestPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;
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

/** What happens to a request whose luck is bad, the rarest first. */
const UNLUCKY: readonly EventKind[] = ['lost', 'retried', 'preempted', 'dropped', 'rejected'];

/** What to look at while nothing is selected, and which request is shown meanwhile. */
function Offers(props: {
  app: Pick<App, 'transport' | 'selection' | 'dialogs'>;
  why: string | undefined;
}): JSX.Element {
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
  const say = async (kinds: readonly EventKind[], none: string): Promise<void> => {
    const request = await latest(kinds);
    if (request === undefined) dialogs.tell(none);
    else open(request);
  };
  return (
    <div class="blk automatic">
      <p class="say">Click a request or a replica.</p>
      <fieldset class="three" aria-label="Requests to look at">
        <button
          type="button"
          title="The slowest first token of the span on screen"
          disabled={selection.automatic() === undefined}
          onClick={() => open(selection.automatic()?.request ?? 0)}
        >
          slowest
        </button>
        <button
          type="button"
          title="The latest that has finished"
          disabled={(transport.frame()?.counts.completed ?? 0) === 0}
          onClick={() => void say(['completed'], 'Nothing has finished yet.')}
        >
          latest
        </button>
        <button
          type="button"
          title="The latest that was lost, or else tried again, preempted, dropped or refused"
          onClick={() => void say(UNLUCKY, 'No request has been unlucky yet.')}
        >
          unlucky
        </button>
      </fieldset>
      <Show when={props.why}>
        {(why) => (
          <p class="meanwhile" role="status">
            Meanwhile: {why()[0]?.toLowerCase()}
            {why().slice(1)}.
          </p>
        )}
      </Show>
    </div>
  );
}
