// One replica now: load, latency, its KV cache with the conservation check in sight.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, durationUs, percent, percentileUs, text } from '../base/units.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { AnomalyBlock } from './AnomalyList.tsx';

export function ReplicaPanel(props: { app: App }): JSX.Element {
  const replica = createMemo(() => props.app.calm()?.replicas.find((r) => r.id === props.app.selected().replica));
  return (
    <Show when={replica()} fallback={<Choose app={props.app} />}>
      {(r) => <Detail app={props.app} r={r()} />}
    </Show>
  );
}

function Choose(props: { app: App }): JSX.Element {
  return (
    <div class="blk">
      <p class="say">Pick a replica on the stage, or here:</p>
      <div class="offers">
        <For each={(props.app.calm()?.replicas ?? []).slice(0, 64).map((r) => r.id)}>
          {(id) => (
            <button type="button" class="btn box" onClick={() => props.app.select({ request: undefined, replica: id })}>
              r{id}
            </button>
          )}
        </For>
      </div>
    </div>
  );
}

function Detail(props: { app: App; r: ReplicaFrame }): JSX.Element {
  const r = (): ReplicaFrame => props.r;
  const kv = (): ReplicaFrame['kv'] => props.r.kv;
  const conserved = (): boolean => kv().used + kv().cached + kv().free === kv().total;
  const rows = (): readonly (readonly [string, string])[] => [
    ['Waiting', count(r().waiting)],
    ['Running', count(r().running)],
    ['of those prefilling', count(r().prefilling)],
    ['Load as routed', count(r().load)],
    ['Busy', text(percent(r().busy))],
    ['Share of traffic', text(percent(r().share))],
    ['Step', text(durationUs(r().step_us))],
    ['TTFT p50', text(percentileUs(r().ttft.p50_us, r().ttft.count))],
    ['TTFT p99', text(percentileUs(r().ttft.p99_us, r().ttft.count))],
  ];
  return (
    <>
      <div class="blk">
        <div class="rq">
          <h2 class="big">r{r().id}</h2>
          <span class="pill">{r().pool}</span>
          <span class="pill">{r().serving ? 'serving' : 'draining'}</span>
        </div>
        <dl class="list">
          <For each={rows()}>
            {([name, value]) => (
              <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            )}
          </For>
        </dl>
      </div>
      <div class="blk">
        <div class="blk-head">
          <h2>KV blocks</h2>
          <span class="m">
            {count(kv().total)} · {conserved() ? 'conserved ✓' : 'not conserved'}
          </span>
        </div>
        <div
          class="kvbar"
          role="img"
          aria-label={`KV cache: ${kv().used} used, ${kv().cached} cached, ${kv().free} free`}
        >
          <i class="ku" style={{ 'flex-grow': kv().used - kv().shared }} />
          <i class="ks" style={{ 'flex-grow': kv().shared }} />
          <i class="kc" style={{ 'flex-grow': kv().cached }} />
          <i class="kf" style={{ 'flex-grow': kv().free }} />
        </div>
        <dl class="list">
          <KvRow kind="ku" name="Held by one request" value={kv().used - kv().shared} />
          <KvRow kind="ks" name="Shared by several" value={kv().shared} />
          <KvRow kind="kc" name="Cached, held by none" value={kv().cached} />
          <KvRow kind="kf" name="Free" value={kv().free} />
        </dl>
      </div>
      <AnomalyBlock app={props.app} of={(a) => a.replica === r().id} />
      <div class="blk">
        <div class="blk-head">
          <h2>In its batch</h2>
          <span class="m">context tokens</span>
        </div>
        <Show when={r().batch.length > 0} fallback={<p class="say">Nothing is running here now.</p>}>
          <div class="chips">
            <For
              each={r()
                .batch.slice(0, 48)
                .map((b) => b.request)}
            >
              {(request) => (
                <button type="button" class="link" onClick={() => props.app.select({ request, replica: undefined })}>
                  #{request} <span class="m">{count(r().batch.find((b) => b.request === request)?.context ?? 0)}</span>
                </button>
              )}
            </For>
          </div>
        </Show>
      </div>
    </>
  );
}

function KvRow(props: { kind: string; name: string; value: number }): JSX.Element {
  return (
    <div>
      <dt>
        <i class={`sw8 ${props.kind}`} aria-hidden="true" />
        {props.name}
      </dt>
      <dd>{count(props.value)}</dd>
    </div>
  );
}
