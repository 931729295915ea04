// Tiers: how full each is on each replica, the stores, what moves between them, where the blocks of the selected prompt came from, and
// what caches of any size could find. Loaded when it is opened.
import { createSignal, type JSX, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import { createAnswer, createWidth } from '../parts/following.ts';
import { KeyMark } from '../parts/KeptPattern.tsx';
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
  const [asTable, setAsTable] = createSignal(false);
  const { width, ref } = createWidth();
  const request = (): number | undefined => app.selection.selected().request;
  const ask = () => {
    const chosen = request();
    return app.selection.closeUp('tiers', chosen === undefined ? {} : { request: chosen });
  };
  const tiers = createAnswer(app, EVERY_MS, ask, request);
  const reuse = createAnswer(app, REUSE_EVERY_MS, () => app.selection.closeUp('reuse', {}));
  return (
    <section class="closeup" aria-label="Tiers">
      <ToolRow>
        <KeyMark look="held">held</KeyMark>
        <KeyMark look="kept">kept</KeyMark>
        <Show when={request() !== undefined}>
          <KeyMark look="chosen">#{request()}</KeyMark>
        </Show>
        <span class="grow" />
        <button type="button" class="btn" aria-pressed={asTable()} onClick={() => setAsTable(!asTable())}>
          Table
        </button>
      </ToolRow>
      <section class="tiers" aria-label="Layers, stores and reuse" tabindex={0}>
        <div class="tiers-body">
          <div class="tier-host" ref={ref}>
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
          <ReuseBySize of={reuse() ?? undefined} />
        </div>
      </section>
    </section>
  );
}
