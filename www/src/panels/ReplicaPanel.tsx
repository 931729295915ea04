// One replica now: load, latency, its KV cache with the conservation check in sight.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, DASH, durationUs, percent, percentileUs, text, usd } from '../base/units.ts';
import type { PoolFrame, ReplicaFrame } from '../generated/boundary.ts';
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
    ...(kv().cpu_total > 0 ? [['of those loading KV blocks', count(r().loading)] as const] : []),
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
      <Show when={kv().cpu_total > 0}>
        <CpuTier kv={kv()} />
      </Show>
      <Show when={props.app.calm()?.pools.find((pool) => pool.name === r().pool)}>
        {(pool) => <PoolBlock pool={pool()} />}
      </Show>
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

function CpuTier(props: { kv: ReplicaFrame['kv'] }): JSX.Element {
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>CPU tier</h2>
        <span class="m">{count(props.kv.cpu_total)} blocks</span>
      </div>
      <div
        class="kvbar"
        role="img"
        aria-label={`CPU tier: ${props.kv.cpu_used} of ${props.kv.cpu_total} blocks hold something`}
      >
        <i class="kc" style={{ 'flex-grow': props.kv.cpu_used }} />
        <i class="kf" style={{ 'flex-grow': props.kv.cpu_total - props.kv.cpu_used }} />
      </div>
      <dl class="list">
        <KvRow kind="kc" name="Stored" value={props.kv.cpu_used} />
        <div>
          <dt>Found there, of the blocks looked for</dt>
          <dd>{text(percent(props.kv.cpu_hit_rate, 1))}</dd>
        </div>
      </dl>
    </div>
  );
}

/** What its pool is made of, and what the settings that say "auto" came to. */
function PoolBlock(props: { pool: PoolFrame }): JSX.Element {
  const p = (): PoolFrame => props.pool;
  const perHour = (price: number | undefined): string => (price === undefined ? DASH : `${usd(price)} /h`);
  const rows = (): readonly (readonly [string, string])[] => [
    ['Model', p().model],
    ['GPU', p().tp > 1 ? `${p().tp} × ${p().gpu}` : p().gpu],
    ['Cost of a replica', perHour(p().usd_per_hour)],
    [`Cost of ${count(p().serving)} serving`, perHour(p().serving_usd_per_hour)],
    ['KV blocks', `${count(p().kv_blocks)} of ${count(p().block_tokens)} tokens`],
    ['Requests in a batch', `at most ${count(p().max_num_seqs)}`],
    ['Tokens in a step', `at most ${count(p().max_num_batched_tokens)}`],
  ];
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Pool</h2>
        <span class="m">{p().name}</span>
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
