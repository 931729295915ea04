import { expect, test } from 'vitest';
import { holderOf } from '../base/view.ts';
import type { BatchFrame, Frame, KeyFigures, PoolFrame, ReplicaFrame } from '../generated/boundary.ts';
import { awayWords, contextAt, contextScale, describeStage, followable, poolWords, ttftHealth } from './facts.ts';
import { REPLICA_COLUMNS, replicaCells } from './replicaCells.ts';

const NO_BATCH: BatchFrame = { requests: [], contexts: [], decoding: 0, prefill: [] };
/** A batch of one request that decodes. */
const one = (request: number, context: number): BatchFrame => ({
  ...NO_BATCH,
  requests: [request],
  contexts: [context],
  decoding: 1,
});
const key: KeyFigures = {
  window_s: 30,
  ttft: { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 },
  itl: { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 },
  e2e: { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 },
  tpot: { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 },
  offered_per_s: 10,
  completed_per_s: 0,
  ended_per_s: 0,
  goodput_per_s: 0,
  output_tokens_per_s: 0,
  cache_hit_rate: 0,
  cpu_hit_rate: 0,
  usd_per_million_tokens: 0,
  slo_ttft_us: 1_000_000,
  slo_tpot_us: 0,
  slo_e2e_us: 0,
  ttft_within: 0,
  e2e_within: 0,
  ttft_mark: 'none',
  tpot_mark: 'none',
  e2e_mark: 'none',
  goodput_mark: 'none',
};
const replica = (id: number, p50: number, p99: number, batch = NO_BATCH): ReplicaFrame => ({
  id,
  pool: 'main',
  serving: true,
  waiting: id,
  loading: 0,
  running: batch.requests.length,
  prefilling: 0,
  busy: 0.5,
  step_us: 0,
  share: 0,
  in_flight: 0,
  arriving: 0,
  ttft: { count: p50 > 0 ? 9 : 0, p50_us: p50, p90_us: p50, p99_us: p99 },
  kv: { total: 100, used: 50, shared: 0, cached: 0, free: 50, cells: '', cpu_total: 0, cpu_used: 0, cpu_hit_rate: 0 },
  queue: [{ request: 100 + id, client: 0, preempted: false, loading: false }],
  batch,
});
const pool = (name: string, gpu: string, tp: number): PoolFrame => ({
  name,
  model: 'llama-3.1-8b',
  gpu,
  tp,
  serving: 2,
  kv_blocks: 100,
  block_tokens: 16,
  output_us: 0,
  max_num_seqs: 256,
  max_num_batched_tokens: 2048,
});
const frame = (replicas: ReplicaFrame[]): Frame => ({
  now_us: 131_250_000,
  horizon_us: 0,
  axis_end_us: 240e6,
  computed_us: 131_250_000,
  events: 0,
  finished: false,
  trouble: '',
  says: { cluster: '', seen: '' },
  notices: [],
  counts: {
    arrived: 5,
    in_pipeline: 0,
    held: 0,
    waiting: 3,
    running: 2,
    completed: 0,
    rejected: 0,
    dropped: 0,
    lost: 0,
    conserved: true,
    preemptions: 0,
  },
  key,
  clients: [],
  pools: [pool('main', 'H100', 1)],
  replicas,
  moves: [],
  flags: [],
  anomalies: [],
  anomaly_count: 0,
});

test('an objective is missed by the median, at risk by the p99, and nothing without samples or objective', () => {
  expect(ttftHealth(replica(0, 2e6, 3e6), key)).toBe('missed');
  expect(ttftHealth(replica(0, 5e5, 3e6), key)).toBe('risk');
  expect(ttftHealth(replica(0, 5e5, 9e5), key)).toBe('met');
  expect(ttftHealth(replica(0, 0, 0), key)).toBe('none');
  expect(ttftHealth(replica(0, 2e6, 3e6), { ...key, slo_ttft_us: 0 })).toBe('none');
});

test('a request in prefill counts with all of its prompt', () => {
  const batch = { requests: [1, 2, 3], contexts: [700, 900, 10], decoding: 1, prefill: [100, 2000] };
  expect([0, 1, 2].map((at) => contextAt(batch, at))).toEqual([700, 1000, 2010]);
  expect(contextScale([replica(0, 0, 0, batch)])).toBe(2048);
});

test('bars share one scale that fits the longest context', () => {
  expect(contextScale([replica(0, 0, 0)])).toBe(512);
  expect(contextScale([replica(0, 0, 0, one(1, 1100))])).toBe(1536);
  expect(contextScale([replica(0, 0, 0, one(1, 1700))])).toBe(2048);
});

test('single requests are followed up to 60 arrivals a wall second', () => {
  expect(followable(frame([]), 6)).toBe(true);
  expect(followable(frame([]), 6.1)).toBe(false);
  expect(followable(frame([]), Number.POSITIVE_INFINITY)).toBe(false);
});

test('a request is found in its batch or queue', () => {
  const f = frame([replica(0, 0, 0), replica(1, 0, 0, one(7, 5))]);
  expect([holderOf(f, 7), holderOf(f, 100), holderOf(f, 999)]).toEqual([1, 0, undefined]);
});

test('the stage in one sentence names counts and the longest queue', () => {
  expect(describeStage(frame([replica(0, 0, 0), replica(1, 0, 0)]))).toBe(
    'At 131.3 seconds 10.0\u00a0req/s arrive at 2 replicas: 3 requests wait, 2 run, 0 are done; r1 has the longest queue with 1.',
  );
  expect(describeStage(undefined)).toContain('nothing has been simulated');
});

test('pools are named beside their replicas only if there are several', () => {
  const one = frame([replica(0, 0, 0)]);
  expect(poolWords(one, replica(0, 0, 0))).toBeUndefined();
  const two = { ...one, pools: [pool('main', 'H100', 1), pool('large', 'A100-80', 4)] };
  expect(poolWords(two, replica(0, 0, 0))).toEqual(['main', 'H100']);
  expect(poolWords(two, { ...replica(1, 0, 0), pool: 'large' })).toEqual(['large', '4 × A100-80']);
});

test('a replica without a CPU tier has a dash for it, not a zero', () => {
  const at = (title: (typeof REPLICA_COLUMNS)[number]): number => REPLICA_COLUMNS.indexOf(title);
  const without = replicaCells(replica(0, 0, 0), key);
  expect([without[at('CPU tier in use')], without[at('CPU hits')]]).toEqual(['–', '–']);
  expect(without[at('Disks in use')]).toBe('–');
  const kv = { ...replica(0, 0, 0).kv, cpu_total: 200, cpu_used: 50, cpu_hit_rate: 0.125, disks: [0.5, 0.1] };
  const tiered = replicaCells({ ...replica(0, 0, 0), kv }, key);
  expect([tiered[at('CPU tier in use')], tiered[at('CPU hits')]]).toEqual(['25\u00a0%', '13\u00a0%']);
  expect(tiered[at('Disks in use')]).toBe('50\u00a0%, 10\u00a0%');
  expect(tiered.length).toBe(REPLICA_COLUMNS.length);
});

test('replicas that do not serve are counted, where each has a row those alone that have stopped', () => {
  const life = { step: '', since_us: 0, step_until_us: 0, ready_us: 0, cold_requests: 0 };
  const all: readonly ReplicaFrame[] = [
    replica(0, 1, 1),
    { ...replica(0, 0, 0), serving: false, life: { ...life, phase: 'down' } },
    { ...replica(0, 0, 0), serving: false, life: { ...life, phase: 'starting' } },
    { ...replica(0, 0, 0), serving: false, waiting: 0 },
  ];
  expect(awayWords(all)).toBe('1 starting, 1 down, 1 stopped');
  expect(awayWords(all, true)).toBe('1 stopped');
  expect(awayWords(all.slice(0, 3), true)).toBe('');
});
