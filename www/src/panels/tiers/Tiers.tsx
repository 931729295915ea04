// Tiers: how full each is on each replica, the stores, what moves between them, where the blocks of the selected prompt came from, and
// what caches of any size could find. Loaded when it is opened.
import { createEffect, createSignal, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type { Reuse, Tiers as TiersAnswer } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { ToolRow } from '../parts/ToolRow.tsx';
import { Origin } from './Origin.tsx';
import { ReuseBySize } from './ReuseBySize.tsx';
import { TierStage } from './TierStage.tsx';
import { TierTable } from './TierTable.tsx';
import './tiers.css';

/** Answers at most this often, in milliseconds. */
const EVERY_MS = 400;
const REUSE_EVERY_MS = 2000;

export default function Tiers(props: { app: App }): JSX.Element {
  const app = props.app;
  const [tiers, setTiers] = createSignal<TiersAnswer>();
  const [reuse, setReuse] = createSignal<Reuse>();
  const [width, setWidth] = createSignal(0);
  const [asTable, setAsTable] = createSignal(false);
  const request = (): number | undefined => app.selection.selected().request;
  let host: HTMLDivElement | undefined;
  let gone = false;
  onMount(() => {
    if (!host) return;
    const sized = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    sized.observe(host);
    onCleanup(() => sized.disconnect());
  });
  onCleanup(() => {
    gone = true;
  });
  const instant = createThrottled(() => app.transport.frame(), EVERY_MS);
  const ask = oneAtATime(async () => {
    const chosen = request();
    const answer = await app.selection
      .closeUp('tiers', chosen === undefined ? {} : { request: chosen })
      .catch(() => undefined);
    if (answer && !gone) setTiers(answer);
  });
  createEffect(on([instant, request], () => ask()));
  const seldom = createThrottled(() => app.transport.frame(), REUSE_EVERY_MS);
  const askReuse = oneAtATime(async () => {
    const answer = await app.selection.closeUp('reuse', {}).catch(() => undefined);
    if (!gone) setReuse(answer ?? undefined);
  });
  createEffect(on(seldom, () => askReuse()));
  return (
    <section class="closeup" aria-label="Tiers">
      <ToolRow>
        <span class="tier-key held">held</span>
        <span class="tier-key kept">kept</span>
        <Show when={request() !== undefined}>
          <span class="tier-key chosen">#{request()}</span>
        </Show>
        <span class="grow" />
        <button type="button" class="btn" aria-pressed={asTable()} onClick={() => setAsTable(!asTable())}>
          Table
        </button>
      </ToolRow>
      <section class="tiers" aria-label="Layers, stores and reuse" tabindex={0}>
        <div class="tiers-body">
          <div class="tier-host" ref={host}>
            <Show when={tiers()} fallback={<p class="empty">The tiers are on their way…</p>}>
              {(answer) => (
                <Show when={!asTable()} fallback={<TierTable tiers={answer()} />}>
                  <Show when={width() > 0}>
                    <TierStage
                      tiers={answer()}
                      width={width()}
                      request={request()}
                      onReplica={(replica) => app.selection.select({ replica, request: undefined })}
                    />
                  </Show>
                </Show>
              )}
            </Show>
          </div>
          <Origin of={tiers()?.origin ?? undefined} request={request()} />
          <ReuseBySize of={reuse()} />
        </div>
      </section>
    </section>
  );
}
