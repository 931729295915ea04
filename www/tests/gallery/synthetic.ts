// Made-up frames and columns that look like a run, to view the drawings. Never shipped, and never a source of numbers.
import type { ViewColumns } from '../../src/base/view.ts';
import type {
  BatchFrame,
  Density,
  Frame,
  GatewayFrame,
  Percentiles,
  PoolFrame,
  QueueChip,
  ReplicaFrame,
} from '../../src/generated/boundary.ts';

export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const spread = (p50: number, count = 120): Percentiles => ({
  count,
  p50_us: p50,
  p90_us: p50 * 1.7,
  p99_us: p50 * 2.4,
});

function cells(r: () => number, shares: readonly number[], n: number): string {
  const runs: [string, number][] = [];
  ['u', 's', 'c', '.'].forEach((c, k) => {
    let left = Math.round((shares[k] ?? 0) * n);
    while (left > 0) {
      const l = Math.min(left, 1 + Math.floor(r() * ([4, 11, 5, 13][k] ?? 4)));
      runs.push([c.repeat(l), r() + (c === '.' ? 0.55 : c === 's' ? -0.25 : 0)]);
      left -= l;
    }
  });
  return runs
    .sort((a, b) => a[1] - b[1])
    .map((x) => x[0])
    .join('')
    .slice(0, n);
}

const POOLS: readonly PoolFrame[] = [
  { name: 'large', gpu: 'H100', tp: 4, usd_per_hour: 14 },
  { name: 'small', gpu: 'L40S', tp: 1 },
].map((pool) => ({
  model: 'llama-3.1-70b',
  serving: 2,
  kv_blocks: 13_104,
  block_tokens: 16,
  max_num_seqs: 1024,
  max_num_batched_tokens: 8192,
  output_us: 0,
  ...pool,
}));

function replica(id: number, n: number, seed: number, look: Look): ReplicaFrame {
  const r = chance(seed + id * 7);
  const hot = n <= 8 ? id === 2 : r() < 0.12;
  const waiting = hot ? 11 : n <= 8 ? (id === 3 ? 1 : 0) : Math.floor(r() * 3);
  const running = hot ? 40 : ([19, 14, 40, 21][id] ?? 8 + Math.floor(r() * 24));
  const prefilling = hot ? 3 : 1;
  const used = hot ? 0.97 : ([0.58, 0.43, 0.97, 0.62][id] ?? 0.3 + 0.4 * r());
  const shared = used * 0.45;
  const cached = (1 - used) * 0.6;
  const total = 13_104;
  const queue: QueueChip[] = Array.from({ length: Math.min(12, waiting) }, (_, i) => ({
    request: 1240 + id * 100 + i,
    client: Math.floor(r() * 3),
    preempted: hot && i < 2,
    loading: false,
  }));
  const bars = Math.min(64, running);
  const contexts = Array.from({ length: bars }, () => 900 + Math.floor(r() ** 1.5 * 6600));
  const decoding = Math.min(bars, running - prefilling);
  const prefill = contexts.slice(decoding).map((context) => Math.ceil(context * (0.15 + 0.5 * r())));
  const batch: BatchFrame = {
    requests: contexts.map((_, i) => 1000 + id * 100 + i),
    contexts: contexts.map((context, i) => context - (prefill[i - decoding] ?? 0)),
    decoding,
    prefill,
  };
  const u = Math.round(used * total);
  return {
    id,
    pool: look.pools && id % 2 === 1 ? 'small' : 'large',
    serving: !(n === 7 && id === 6),
    waiting,
    loading: 0,
    running,
    prefilling,
    busy: hot ? 0.99 : ([0.58, 0.41, 0.99, 0.62][id] ?? 0.3 + 0.5 * r()),
    step_us: hot ? 184_000 : 19_000 + Math.floor(r() * 4000),
    share: n <= 4 ? ([0.22, 0.17, 0.38, 0.23][id] ?? 0) : 1 / n,
    in_flight: waiting + running,
    arriving: 0,
    ttft: spread(hot ? 2_210_000 : 160_000 + r() * 50_000),
    kv: {
      total,
      used: u,
      shared: Math.round(shared * total),
      cached: Math.round(cached * total),
      free: total - u - Math.round(cached * total),
      cells: cells(r, [used - shared, shared, cached, 1 - used - cached], 168),
      cpu_total: look.tier ? 20_000 : 0,
      cpu_used: look.tier ? 1200 * (id + 1) : 0,
      cpu_hit_rate: look.tier ? 0.21 : 0,
    },
    queue,
    batch,
  };
}

/** Features that only the clusters of some pictures have. */
export type Look = { readonly pools: boolean; readonly tier: boolean; readonly bands?: number };

const BANDS = [
  { priority: 100, classes: ['critical'], waiting: 0, longest_us: 0, ceiling: 1 },
  { priority: 0, classes: ['standard'], waiting: 3, longest_us: 420_000, ceiling: 0.875 },
  { priority: -10, classes: ['sheddable'], waiting: 19, longest_us: 2_340_000, ceiling: 0.75 },
  { priority: -50, classes: ['batch'], waiting: 215, longest_us: 21_300_000, ceiling: 0.625 },
  { priority: -100, classes: ['background'], waiting: 12_345, longest_us: 59_900_000, ceiling: 0.5 },
] as const;

/** The gateway's queue with the first of five bands. */
export function gatewayOf(bands: number, saturation = 0.96): GatewayFrame {
  return {
    saturation,
    bands: BANDS.slice(0, bands).map((band, i) => ({
      ...band,
      classes: [...band.classes],
      prompt_tokens: band.waiting * 900,
      queue: Array.from({ length: Math.min(24, band.waiting) }, (_, k) => ({
        request: 2000 + i * 100 + k,
        client: i,
        preempted: false,
        loading: false,
      })),
    })),
  };
}

export function frameOf(n: number, nowS = 131.25, seed = 1, look: Look = { pools: false, tier: false }): Frame {
  const replicas = Array.from({ length: n }, (_, i) => replica(i, n, seed, look));
  const sum = (f: (r: ReplicaFrame) => number): number => replicas.reduce((a, r) => a + f(r), 0);
  return {
    now_us: nowS * 1e6,
    horizon_us: 240e6,
    axis_end_us: 240e6,
    computed_us: nowS * 1e6,
    events: 100_000,
    finished: false,
    trouble: '',
    says: { cluster: '', seen: '' },
    notices: [],
    counts: {
      arrived: 1260,
      in_pipeline: 2,
      held: 0,
      waiting: sum((r) => r.waiting),
      running: sum((r) => r.running),
      completed: 1150,
      rejected: 0,
      dropped: 0,
      lost: 0,
      conserved: true,
      preemptions: 7,
    },
    key: {
      window_s: 30,
      ttft: { count: 288, p50_us: 342_000, p90_us: 2_280_000, p99_us: 3_240_000 },
      itl: { count: 9000, p50_us: 24_000, p90_us: 90_000, p99_us: 181_000 },
      e2e: { count: 250, p50_us: 12_100_000, p90_us: 20_800_000, p99_us: 31_400_000 },
      tpot: { count: 250, p50_us: 26_000, p90_us: 60_000, p99_us: 120_000 },
      offered_per_s: 9.6,
      completed_per_s: 8.1,
      ended_per_s: 8.1,
      goodput_per_s: 5.9,
      output_tokens_per_s: 3400,
      cache_hit_rate: 0.641,
      cpu_hit_rate: 0,
      usd_per_million_tokens: 1.38,
      slo_ttft_us: 1e6,
      slo_tpot_us: 0,
      slo_e2e_us: 0,
      ttft_within: 0.62,
      e2e_within: 0,
      ttft_mark: 'none',
      tpot_mark: 'none',
      e2e_mark: 'none',
      goodput_mark: 'none',
    },
    clients: [
      { name: 'chat', rate_per_s: 5.8 },
      { name: 'rag', rate_per_s: 2.9 },
      { name: 'batch', rate_per_s: 0.9 },
    ].map((client, i) => ({ ...client, ...(look.bands ? { priority: BANDS[i]?.priority ?? 0 } : {}) })),
    ...(look.bands ? { gateway: gatewayOf(look.bands) } : {}),
    pools: look.pools ? [...POOLS] : POOLS.slice(0, 1),
    replicas,
    moves: [],
    anomalies: [],
    anomaly_count: 0,
    flags: [
      { at_us: 31e6, label: 'arrivals 9.0 → 9.6', applied: true, off: false },
      { at_us: 96e6, label: 'prefix 3 → 5', applied: true, off: false },
      { at_us: 168e6, label: 'queue 2 → 4', applied: false, off: false },
    ],
  };
}

const wob = (t: number, seed: number): number =>
  Math.sin(t * 0.37 + seed) * 0.5 + Math.sin(t * 0.91 + seed * 2.3) * 0.3 + Math.sin(t * 2.3 + seed * 5.1) * 0.2;
const herd = (t: number): number => (1 / (1 + Math.exp(-(t - 116) / 6))) * (1 / (1 + Math.exp((t - 182) / 5)));

function view(names: string[], rows: number[][]): ViewColumns {
  return { names, columns: names.map((_, k) => Float64Array.from(rows, (row) => row[k] ?? Number.NaN)) };
}

/** Columns up to `endS` for `n` replicas. */
export function dataOf(n: number, endS: number): Record<string, ViewColumns> {
  const ts = Array.from({ length: Math.floor(endS / 0.5) + 1 }, (_, i) => i * 0.5);
  const grow = (t: number): number => 1 - Math.exp(-(t + 1) / 8);
  const ttft = ts.map((t) => {
    const g = grow(t);
    const p50 = 240 * (0.5 + 0.5 * g) * (1 + 0.1 * wob(t, 1)) + 130 * herd(t);
    const p90 = 430 * (0.4 + 0.6 * g) * (1 + 0.12 * wob(t, 2)) + 1900 * herd(t);
    return [
      t,
      t < 3 ? Number.NaN : p50,
      t < 3 ? Number.NaN : p90,
      t < 3 ? Number.NaN : Math.max(p90 * 1.1, 800 * g * (1 + 0.12 * wob(t, 3)) + 2500 * herd(t)),
      5,
    ];
  });
  const e2e = ts.map((t) => {
    const g = grow(t);
    const p50 = 9000 * g * (1 + 0.06 * wob(t, 4)) + 3100 * herd(t);
    return [
      t,
      t < 5 ? Number.NaN : p50,
      t < 5 ? Number.NaN : p50 * 1.55 + 3000 * herd(t),
      t < 5 ? Number.NaN : p50 * 2.1 + 9000 * herd(t),
      4,
    ];
  });
  const thr = ts.map((t) => [t, 9.2 + wob(t, 5) * 1.6, t < 5 ? 0 : 8.7 + wob(t, 6) - 1.2 * herd(t), 3400]);
  const ids = Array.from({ length: Math.min(n, 16) }, (_, i) => `r${i}`);
  const many = n > 16;
  const names = many ? ['t_s', 'min', 'median', 'max'] : ['t_s', ...ids];
  const queue = ts.map((t) =>
    many
      ? [t, 0, Math.max(0, Math.round(1 + wob(t, 3))), Math.round(11 * herd(t)) + 2]
      : [t, ...ids.map((_, i) => Math.max(0, Math.round((i === 2 ? 11 * herd(t) : 0) + wob(t, i * 9 + 3) * 1.1)))],
  );
  const kv = ts.map((t) => {
    const g = grow(t) ** 1.5;
    return many
      ? [t, 30 * g, 55 * g, Math.min(99, 70 * g + 28 * herd(t))]
      : [
          t,
          ...ids.map((_, i) =>
            Math.min(
              99,
              (i === 2 ? 66 + 32 * herd(t) : ([60, 58, 0, 63][i] ?? 50) - 14 * herd(t)) * g + wob(t, 20 + i),
            ),
          ),
        ];
  });
  const bands = ts.map((t) => [t, 60 + 40 * herd(t), 0, 12_345, Math.round(19 * herd(t)), 3]);
  const health = ts
    .filter((t) => t % 2 === 0)
    .map((t) => [t, t < 6 ? Number.NaN : Math.max(0, 2 + 45 * herd(t) + 2 * wob(t, 8)), 18, 0, 0, t < 6 ? 1 : 0]);
  const ecdf = (mid: number, tail: number): number[][] =>
    Array.from({ length: 300 }, (_, i) => {
      const q = (i + 0.5) / 300;
      const z = Math.log(q / (1 - q)) / 1.702;
      const v =
        q < 0.62
          ? mid * Math.exp((0.42 * Math.log(q / 0.62 / Math.max(1e-3, 1.02 - q / 0.62))) / 1.7)
          : tail * Math.exp(0.24 * z * 0.6 - 0.1);
      return [v, q * 100];
    })
      .sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
      .map(([v], i) => [v ?? 0, ((i + 1) / 300) * 100]);
  return {
    'ttft-over-time': view(['t_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'], ttft),
    'e2e-over-time': view(['t_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'], e2e),
    'itl-over-time': view(
      ['t_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'],
      ts.map((t) => [t, 11 + wob(t, 10), 19 + 2 * wob(t, 11) + 9 * herd(t), 60 + 30 * herd(t), 900]),
    ),
    'wait-over-time': view(
      ['t_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'],
      ttft.map(([t = 0, p50 = 0, p90 = 0, p99 = 0, n = 0]) => [t, p50 * 0.8, p90 * 0.9, p99 * 0.95, n]),
    ),
    throughput: view(['t_s', 'arrived_per_s', 'completed_per_s', 'output_tokens_per_s'], thr),
    'goodput-over-time': view(
      ['t_s', 'arrived_per_s', 'good_per_s', 'wanted_per_s'],
      ts.map((t) => [t, 9.6, t > 90 && t < 150 ? 4.65 : 8.76, t > 90 && t < 160 ? 8.32 : Number.NaN]),
    ),
    'attempts-over-time': view(
      ['t_s', 'of_gateway', 'of_clients'],
      ts.map((t) => [t, t > 90 && t < 100 ? 1.23 : 1, t > 100 && t < 140 ? 1.6 : 1]),
    ),
    'queue-depth': view(names, queue),
    running: view(names, queue),
    'kv-use': view(names, kv),
    'gateway-bands': view(['t_s', 'saturation_percent', 'band 0', 'band -100', 'band -10', 'band 100'], bands),
    'ports-out': view(names, kv),
    'ports-in': view(names, kv),
    replicas: view(
      ['t_s', 'serving', 'cold', 'starting', 'draining', 'desired', 'degraded', 'down'],
      ts.map((t) => [t, n, 0, t > 60 && t < 90 ? 1 : 0, 0, t > 60 ? n + 1 : n, t > 40 ? 1 : 0, t > 90 ? 1 : 0]),
    ),
    'replica-lanes': view(
      ['from_s', 'to_s', 'lane', 'replica', 'serving', 'slow', 'down'],
      Array.from({ length: n }, (_, id) => id).flatMap((id) => [
        [0, id === 2 ? 90 : 240, id, id, 1, 0, 0],
        ...(id === 2 ? [[90, 150, 2, 2, 0, id % 2, 1 - (id % 2)]] : []),
      ]),
    ),
    stages: view(
      ['t_s', 'waiting', 'prefilling', 'held', 'transferring', 'landed', 'decoding'],
      ts.map((t) => [t, 3, 4, 1, 1, 0, 12_345]),
    ),
    transfers: view(
      ['t_s', 'under_way'],
      ts.map((t) => [t, Math.round(2 * herd(t))]),
    ),
    health: view(['t_s', 'missed_percent', 'finished', 'unserved', 'preempted', 'outage'], health),
    'ttft-ecdf': view(['ttft_ms', 'percent'], ecdf(235, 1980)),
    'e2e-ecdf': view(['e2e_ms', 'percent'], ecdf(9400, 16_500)),
  };
}

/** A heat map of TTFT in cells of 2 s. */
export function densityOf(endS: number): Density {
  const r = chance(11);
  const columns = Math.floor(endS / 2);
  const edges_us = Array.from({ length: 27 }, (_, i) => 50_000 * 10 ** (i / 13));
  const counts = Array.from({ length: columns * 26 }, (_, i) => {
    const [t, row] = [2 * Math.floor(i / 26), i % 26];
    const bulk = 9 * Math.exp(-(((row - 9) / 2.5) ** 2));
    const late = 6 * herd(t) * Math.exp(-(((row - 20) / 1.6) ** 2));
    return Math.floor((bulk + late) * r() * 1.4);
  });
  return {
    now_us: endS * 1e6,
    of: 'ttft',
    from_us: 0,
    width_us: 2e6,
    columns,
    edges_us,
    counts,
    most: counts.reduce((a, b) => Math.max(a, b), 0),
    total: counts.reduce((a, b) => a + b, 0),
    unknown: 0,
    by_arrival: true,
    slo_us: 1e6,
    finest_us: 1,
  };
}
