// Figures that only the report has: everything measured since the warm-up, by class, tenant, client and pool, and the
// slowest requests.

import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { shapeOf } from '../../base/anomalies.ts';
import { sentence, titled } from '../../base/keyWords.ts';
import {
  clock,
  count,
  DASH,
  durationMs,
  durationUs,
  NO_PRICE,
  percent,
  plain,
  ratePerS,
  sig3,
  text,
  usd,
} from '../../base/units.ts';
import { ANOMALY_KINDS, type GroupPart, PERCENTILES, type Report, type Summary } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';
import { LATENCY_METRICS, type LatencyMetric } from '../parts/latencyMetrics.ts';
import { Segments } from '../parts/Segments.tsx';
import { GatewayBlock } from './GatewayBlock.tsx';
import { KvTierBlocks } from './KvTierBlocks.tsx';

/** The requests that a share of objectives met refers to. */
const BASE = 'of those finished, refused or dropped';

const ms = (x: number | undefined): string => text(durationMs(x ?? Number.NaN));
const share = (x: number | undefined): string => text(percent(x ?? Number.NaN, 1));

export function ReportBlocks(props: { app: Pick<App, 'selection'>; report: Report }): JSX.Element {
  const r = (): Report => props.report;
  const span = (): string => `${plain(r().run.measured_from_us / 1e6)} – ${clock(r().run.clock_us)} s`;
  return (
    <Show
      when={r().run.warmup_over}
      fallback={
        <Block title="Since the warm-up">
          <p class="say">The warm-up is not over: nothing has been measured yet.</p>
        </Block>
      }
    >
      <Block title="Latency since the warm-up" remark={span()}>
        <Tails
          rows={[
            ['TTFT', r().latency_ms.ttft],
            ['TPOT', r().latency_ms.tpot],
            ['ITL', r().latency_ms.itl],
            ['E2E', r().latency_ms.e2e],
            ['Queue wait', r().latency_ms.queue_wait],
          ]}
        />
      </Block>
      <Block title="Throughput and objectives" remark={span()}>
        <NameValues rows={throughput(r())} />
      </Block>
      <Show when={r().gateway}>{(gateway) => <GatewayBlock gateway={gateway()} span={span()} />}</Show>
      <Groups report={r()} span={span()} />
      <Slowest app={props.app} report={r()} span={span()} />
      <Block title="Fairness, cost and caches" remark={span()}>
        <NameValues rows={shares(r())} />
      </Block>
      <KvTierBlocks report={r()} />
      <Show when={(r().rejections ?? []).length > 0}>
        <Block title="Refusals by reason" remark="warm-up included">
          <NameValues rows={(r().rejections ?? []).map((p) => [sentence(p.reason), count(p.requests)])} />
        </Block>
      </Show>
      <Show when={anomalies(r()).length > 0}>
        <Block title="Anomalies by kind" remark="warm-up included">
          <NameValues rows={anomalies(r())} />
        </Block>
      </Show>
    </Show>
  );
}

function throughput(r: Report): readonly Row[] {
  const t = r.throughput;
  const tokens = (x: number): string => `${sig3(x)} tok/s`;
  return [
    ['Arrived', text(ratePerS(t.arrived_per_s))],
    ['Finished', text(ratePerS(t.completed_per_s))],
    ['Goodput', text(ratePerS(t.goodput_per_s))],
    [`Objectives met, ${BASE}`, share(r.slo.met_share ?? t.attainment)],
    ['met TTFT, of those finished', share(r.slo.ttft_attainment)],
    ['met TPOT, of those finished', share(r.slo.tpot_attainment)],
    ['met E2E, of those finished', share(r.slo.e2e_attainment)],
    ['Prompt tokens', tokens(t.prompt_tokens_per_s)],
    ['Output tokens', tokens(t.output_tokens_per_s)],
    ['All tokens', tokens(t.total_tokens_per_s)],
  ];
}

/** How many of each kind there were. */
function anomalies(r: Report): readonly Row[] {
  return ANOMALY_KINDS.flatMap((kind) => {
    const n = r.anomalies?.counts[kind] ?? 0;
    return n > 0 ? [[titled(shapeOf(kind).name), count(n)] as const] : [];
  });
}

function shares(r: Report): readonly Row[] {
  const { fairness: f, fitness, decisions: d, cost: c } = r;
  /** A cost; one without is not known for want of a price, or of what it would be divided by. */
  const cost = (value: number | undefined, say: (known: number) => string): string => {
    if (value !== undefined) return say(value);
    return c.usd === undefined ? NO_PRICE : DASH;
  };
  const digits = (value: number): string => `$${value.toPrecision(3)}`;
  const cpu = r.kv.cpu;
  return [
    ["Jain's index of tenants", sig3(f.tenants_jain)],
    ["Jain's index of replicas", sig3(f.replicas_jain)],
    ['Longest queue ÷ shortest', sig3(f.max_min_queue_ratio)],
    ['Variation of load, replicas', sig3(f.replicas_cov)],
    ['Variation of load, tenants', sig3(f.tenants_cov)],
    ['Preemptions per finished request', r.requests.completed > 0 ? sig3(r.requests.preemption_rate) : DASH],
    ...(fitness ? [['Fitness', fitness.score.toFixed(4)] as const] : []),
    ...(fitness?.parts ?? []).map((p) => [`${sentence(p.metric)} ×${plain(p.weight)}`, p.norm.toFixed(4)] as const),
    ['Cost per request', cost(c.usd_per_request, digits)],
    ['Cost per million output tokens', cost(c.usd_per_million_output_tokens, usd)],
    ['Cost per 1,000 tokens', cost(c.usd_per_1k_tokens, digits)],
    [
      'Busy GPU-seconds per request',
      c.gpu_busy_seconds_per_request === undefined ? DASH : `${sig3(c.gpu_busy_seconds_per_request)} s`,
    ],
    ['Prompt tokens from cache', share(r.kv.reused_prompt_share)],
    ['Requests with a cached prefix', share(r.kv.request_hit_rate)],
    ...(cpu
      ? ([
          ['Found in the CPU tier', share(cpu.hit_rate)],
          ['Loads from it', `${count(cpu.loads)} of ${ms(cpu.mean_load_ms)}`],
          ['Blocks written to it', count(cpu.offloads)],
        ] as const)
      : []),
    ...(d
      ? ([
          ['Requests routed', `${count(d.routed)} to ${count(d.unique_targets)} replicas`],
          ['Score regret, mean', d.score_regret_mean.toFixed(4)],
          ['Score regret, most', d.score_regret_max.toFixed(4)],
        ] as const)
      : []),
  ];
}

function Tails(props: { rows: readonly (readonly [string, Summary])[] }): JSX.Element {
  return (
    <table class="tbl">
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Latency</span>
          </th>
          <For each={[...PERCENTILES, 'n']}>{(head) => <th scope="col">{head}</th>}</For>
        </tr>
      </thead>
      <tbody>
        <For each={props.rows}>
          {([name, s]) => (
            <tr>
              <th scope="row">{name}</th>
              <For each={PERCENTILES}>{(name) => <td>{ms(s[name])}</td>}</For>
              <td class="m">{count(s.count)}</td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

/** The same figures by class, tenant, client and pool, one latency at a time. */
function Groups(props: { report: Report; span: string }): JSX.Element {
  const [metric, setMetric] = createSignal<LatencyMetric>('ttft_ms');
  const groups = createMemo((): readonly (readonly [string, readonly GroupPart[]])[] => [
    ['class', props.report.classes],
    ['tenant', props.report.tenants],
    ['client', props.report.clients],
    ['pool', props.report.pools.map((pool) => pool.requests)],
  ]);
  return (
    <Block title="By class, tenant, client, pool" remark={props.span}>
      <Segments label="Latency" options={LATENCY_METRICS} chosen={metric()} onChoose={setMetric} class="metrics" />
      <div class="scores">
        <For each={groups()}>
          {([what, list]) => (
            <table class="tbl groups">
              <thead>
                <tr>
                  <th scope="col">{sentence(what)}</th>
                  <th scope="col" title="Number of values behind the percentiles">
                    n
                  </th>
                  <th scope="col" title={`Objectives met, ${BASE}`}>
                    met
                  </th>
                  <For each={PERCENTILES}>{(head) => <th scope="col">{head}</th>}</For>
                </tr>
              </thead>
              <tbody>
                <For each={list}>
                  {(g) => (
                    <tr>
                      <th scope="row" title={g.name}>
                        {g.name || 'no client'}
                      </th>
                      <td class="m">{count(g[metric()].count)}</td>
                      <td>{text(percent(g.met_share ?? g.attainment ?? Number.NaN))}</td>
                      <For each={PERCENTILES}>{(name) => <td>{ms(g[metric()][name])}</td>}</For>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          )}
        </For>
      </div>
    </Block>
  );
}

function Slowest(props: { app: Pick<App, 'selection'>; report: Report; span: string }): JSX.Element {
  return (
    <Block title="Slowest requests" remark={props.span}>
      <Show when={props.report.slowest.length > 0} fallback={<p class="say">No counted request has finished.</p>}>
        <table class="tbl slowest">
          <thead>
            <tr>
              <For each={['Request', 'Client', 'TTFT', 'E2E', 'Preempted']}>
                {(head) => <th scope="col">{head}</th>}
              </For>
            </tr>
          </thead>
          <tbody>
            <For each={props.report.slowest}>
              {(slow) => (
                <tr>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      onClick={() => props.app.selection.select({ request: slow.request, replica: undefined })}
                    >
                      #{slow.request}
                    </button>
                  </th>
                  <td>{slow.client}</td>
                  <td>{text(durationUs(slow.ttft_us))}</td>
                  <td>{text(durationUs(slow.e2e_us))}</td>
                  <td>{count(slow.preemptions)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </Block>
  );
}
