// One replica now: load, latency, its KV cache with the conservation check in sight.
import { createMemo, For, type JSX, lazy, Show, Suspense } from 'solid-js';
import { count, durationUs, NO_PRICE, percent, percentileUs, text, usd } from '../../base/units.ts';
import { lastSpan } from '../../base/view.ts';
import type { PoolFrame, ReplicaFrame } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Block, type BlockState, BlockStates, NameValues, type Row } from '../parts/Block.tsx';
import { AnomalyBlock } from './AnomalyList.tsx';
import { BatchBlock } from './BatchBlock.tsx';
import { BreakBlock } from './BreakBlock.tsx';
import { draftRows } from './DraftsBlock.tsx';
import { Little } from './Little.tsx';
import { PortsBlock } from './PortsBlock.tsx';
import { RankBlock } from './RankBlock.tsx';
import { BlockCells, TtftTrend } from './ReplicaPictures.tsx';

const FaultCost = lazy(() => import('../parts/FaultCost.tsx'));

export default function ReplicaPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'studies' | 'document'>;
}): JSX.Element {
  const replica = createMemo(() => {
    const framed = props.app.selection.framed();
    return props.app.transport.throttledFrame()?.replicas.find((r) => r.id === framed);
  });
  return (
    <Show when={replica()} fallback={<Choose app={props.app} />}>
      {(r) => <Detail app={props.app} r={r()} />}
    </Show>
  );
}

function Choose(props: { app: Pick<App, 'transport' | 'selection'> }): JSX.Element {
  return (
    <div class="blk">
      <p class="say">Pick a replica on the stage, or here:</p>
      <div class="offers">
        <For each={(props.app.transport.throttledFrame()?.replicas ?? []).slice(0, 64).map((r) => r.id)}>
          {(id) => (
            <button
              type="button"
              class="btn box"
              onClick={() => props.app.selection.select({ request: undefined, replica: id })}
            >
              r{id}
            </button>
          )}
        </For>
      </div>
    </div>
  );
}

function Detail(props: {
  app: Pick<App, 'transport' | 'selection' | 'studies' | 'document'>;
  r: ReplicaFrame;
}): JSX.Element {
  const r = (): ReplicaFrame => props.r;
  const kv = (): ReplicaFrame['kv'] => props.r.kv;
  const conserved = (): boolean => kv().used + kv().cached + kv().free === kv().total;
  const pool = (): PoolFrame | undefined =>
    props.app.transport.throttledFrame()?.pools.find((p) => p.name === r().pool);
  const now = (): readonly Row[] => [
    ['In flight', count(r().in_flight)],
    ['on their way', count(r().arriving)],
    ['waiting', count(r().waiting)],
    ...(kv().cpu_total > 0 ? [['waiting for KV blocks', count(r().loading)] as const] : []),
    ['running', count(r().running)],
    ['running their prefill', count(r().prefilling)],
    ['Step', text(durationUs(r().step_us))],
    ['Output processing of a token', text(durationUs(pool()?.output_us ?? 0))],
  ];
  const latest = (): readonly Row[] => [
    ['Busy', text(percent(r().busy))],
    ['Share of traffic', text(percent(r().share))],
    ['TTFT p50', text(percentileUs(r().ttft.p50_us, r().ttft.count))],
    ['TTFT p90', text(percentileUs(r().ttft.p90_us, r().ttft.count))],
    ['TTFT p99', text(percentileUs(r().ttft.p99_us, r().ttft.count))],
  ];
  const states = (): readonly BlockState[] => [
    { swatch: 'ku', name: 'Held by one request', blocks: kv().used - kv().shared },
    { swatch: 'ks', name: 'Shared by several', blocks: kv().shared },
    { swatch: 'kc', name: 'Cached, held by none', blocks: kv().cached },
    { swatch: 'kf', name: 'Free', blocks: kv().free },
  ];
  return (
    <>
      <div class="blk">
        <div class="rq">
          <h2 class="big">r{r().id}</h2>
          <span class="pill">{r().pool}</span>
          <span class="pill">{r().life?.phase || (r().serving ? 'serving' : 'draining')}</span>
          <For each={r().faults ?? []}>{(fault) => <span class="pill">{fault.kind}</span>}</For>
        </div>
        <NameValues rows={now()} />
        <p class="m note">An ITL is a step and the output processing of its token.</p>
      </div>
      <Show when={props.app.transport.throttledFrame()?.faults?.some((one) => one.replica === r().id)}>
        <Suspense>
          <FaultCost app={props.app} of={{ replica: r().id }} />
        </Suspense>
      </Show>
      <Block title="Latency and load" remark={lastSpan(props.app.transport.throttledFrame())}>
        <NameValues rows={latest()} />
        <TtftTrend app={props.app} replica={r().id} />
      </Block>
      <RankBlock app={props.app} replica={r().id} />
      <Show when={r().split}>{(moving) => <PortsBlock moving={moving()} />}</Show>
      <Little app={props.app} replica={r().id} />
      <Block title="KV blocks" remark={`${count(kv().total)} · ${conserved() ? 'conserved ✓' : 'not conserved'}`}>
        <BlockCells cells={kv().cells} />
        <BlockStates
          label={`KV cache: ${kv().used} used, ${kv().cached} cached, ${kv().free} free`}
          states={states()}
        />
      </Block>
      <Show when={kv().cpu_total > 0}>
        <CpuTier kv={kv()} />
      </Show>
      <Show when={kv().disks}>
        {(disks) => (
          <Block title={disks().length > 1 ? 'Disks' : 'Disk'}>
            <NameValues rows={disks().map((full, i) => [`Disk ${i + 1}, full`, text(percent(full, 1))] as const)} />
          </Block>
        )}
      </Show>
      <Show when={pool()}>{(found) => <PoolBlock pool={found()} />}</Show>
      <AnomalyBlock app={props.app} of={(a) => a.replica === r().id} />
      <BreakBlock app={props.app} replica={r().id} />
      <BatchBlock app={props.app} replica={r()} />
    </>
  );
}

function CpuTier(props: { kv: ReplicaFrame['kv'] }): JSX.Element {
  return (
    <Block title="CPU tier" remark={`${count(props.kv.cpu_total)} blocks`}>
      <BlockStates
        label={`CPU tier: ${props.kv.cpu_used} of ${props.kv.cpu_total} blocks hold something`}
        states={[
          { swatch: 'kc', name: 'Stored', blocks: props.kv.cpu_used },
          { swatch: 'kf', name: '', blocks: props.kv.cpu_total - props.kv.cpu_used },
        ]}
        further={[['Found there, of the blocks looked for', text(percent(props.kv.cpu_hit_rate, 1))]]}
      />
    </Block>
  );
}

/** The hardware and limits of its pool, with the values of settings that are "auto". */
function PoolBlock(props: { pool: PoolFrame }): JSX.Element {
  const p = (): PoolFrame => props.pool;
  const perHour = (price: number | undefined): string => (price === undefined ? NO_PRICE : `${usd(price)} /h`);
  const rows = (): readonly Row[] => [
    ['Model', p().model],
    ['GPU', p().tp > 1 ? `${p().tp} × ${p().gpu}` : p().gpu],
    ['Cost of a replica', perHour(p().usd_per_hour)],
    [`Cost of ${count(p().serving)} serving`, perHour(p().serving_usd_per_hour)],
    ['KV blocks', `${count(p().kv_blocks)} of ${count(p().block_tokens)} tokens`],
    ['Requests in a batch', `at most ${count(p().max_num_seqs)}`],
    ['Tokens in a step', `at most ${count(p().max_num_batched_tokens)}`],
    ...draftRows(p().speculative),
  ];
  return (
    <Block title="Pool" remark={p().name}>
      <NameValues rows={rows()} />
    </Block>
  );
}
