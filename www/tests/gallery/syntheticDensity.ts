// Made-up answers for the view of density: requests whose TTFT rises on one replica, counted as the simulator counts them.
import type {
  CloseUp,
  Density,
  Ecdf,
  LatencyBox,
  RequestFilter,
  RequestRow,
  RequestRows,
  SelectionSide,
  SelectionSummary,
  StepPoints,
} from '../../src/generated/boundary.ts';

/** Draws between 0 and 1, the same each time. */
function draws(seed: number): () => number {
  let x = seed;
  return () => {
    x = (x * 1_103_515_245 + 12_345) % 2_147_483_648;
    return x / 2_147_483_648;
  };
}

const NAMES = ['chat', 'rag', 'batch'] as const;
const CLASSES = ['interactive', 'standard', 'bulk'] as const;

function request(i: number, arrivalS: number, draw: () => number): RequestRow {
  const herded = arrivalS > 96 && draw() < 0.4;
  const spread = Math.exp((draw() + draw() + draw() - 1.5) * 1.2);
  const ttft = Math.round((herded ? Math.min(3.4, 0.4 + (arrivalS - 96) * 0.07) : 0.26) * spread * 1e6);
  const client = herded ? 1 : Math.floor(draw() * 3);
  const known = arrivalS + ttft / 1e6 < 131.25;
  const done = arrivalS < 118;
  return {
    request: i,
    client,
    client_name: NAMES[client] ?? '',
    class: CLASSES[client] ?? '',
    replica: herded ? 2 : Math.floor(draw() * 4),
    state: !known ? 'queued' : done ? 'completed' : 'running',
    arrival_us: Math.round(arrivalS * 1e6),
    prompt_tokens: Math.round(900 + 9000 * draw() * (client === 1 ? 1 : 0.3)),
    cached_tokens: 512,
    output_tokens: 40,
    queue_us: Math.round(ttft * (herded ? 0.84 : 0.45)),
    prefill_us: Math.round(ttft * (herded ? 0.16 : 0.55)),
    ttft_us: known ? ttft : null,
    ttft_missed: known ? ttft > 1e6 : null,
    tpot_us: done ? 24_000 + 9000 * draw() : null,
    e2e_us: done ? ttft + 4e6 * (0.5 + draw()) : null,
    preemptions: herded && draw() < 0.14 ? 1 : 0,
  };
}

const draw = draws(7);
const ALL: readonly RequestRow[] = Array.from({ length: 1071 }, (_, i) => request(i, (i * 131.2) / 1071, draw));

const latency = (of: LatencyBox['of'], row: RequestRow): number | null =>
  ({ ttft: row.ttft_us, itl: row.tpot_us, e2e: row.e2e_us })[of];

function passes(filter: RequestFilter, row: RequestRow): boolean {
  const to = filter.to_us === 0 ? 131.25e6 : filter.to_us;
  const isIn = (b: LatencyBox): boolean => {
    const us = latency(b.of, row);
    const inTime = row.arrival_us >= b.from_us && row.arrival_us <= b.to_us;
    return inTime && us !== null && us >= b.least_us && us <= b.most_us;
  };
  const inSpan = row.arrival_us >= filter.from_us && row.arrival_us <= to;
  return (
    inSpan && (!filter.measured || row.arrival_us > 20e6) && (filter.boxes.length === 0 || filter.boxes.some(isIn))
  );
}

export function densityOf(of: Density['of'] = 'ttft', columns = 120, endS = 240): Density {
  const width = 2e6;
  const count = Math.min(columns, Math.ceil((endS * 1e6) / width));
  const low = of === 'itl' ? 16_384 : 65_536;
  const edges = Array.from({ length: 27 }, (_, i) => low * 2 ** (i / 4));
  const counts = Array.from({ length: count * 26 }, () => 0);
  let total = 0;
  for (const row of ALL) {
    const us = latency(of, row);
    const column = Math.floor(row.arrival_us / width);
    const bin = us === null ? -1 : edges.findIndex((edge) => edge > us) - 1;
    if (bin < 0 || column >= count) continue;
    counts[column * 26 + bin] = (counts[column * 26 + bin] ?? 0) + 1;
    total += 1;
  }
  return {
    now_us: 131.25e6,
    of,
    from_us: 0,
    width_us: width,
    columns: count,
    edges_us: edges,
    counts,
    most: Math.max(...counts),
    total,
    unknown: ALL.length - total,
    by_arrival: of !== 'itl',
    slo_us: of === 'ttft' ? 1e6 : 0,
    finest_us: 1,
  };
}

export function ecdfOf(of: Density['of'], filter: RequestFilter): Ecdf {
  const all = ALL.filter((row) => passes(filter, row))
    .flatMap((row) => latency(of, row) ?? [])
    .sort((a, b) => a - b);
  const at = (q: number): number | null => {
    const us = all[Math.floor(q * (all.length - 1))];
    return us === undefined ? null : us / 1000;
  };
  return {
    ms: all.map((us) => us / 1000),
    percent: all.map((_, i) => (100 * (i + 1)) / all.length),
    count: all.length,
    percentiles_ms: [at(0.5), at(0.9), at(0.99)],
    within: all.length === 0 ? null : (100 * all.filter((us) => us <= 1e6).length) / all.length,
  };
}

export function pointsOf(): StepPoints {
  const next = draws(3);
  const running = Array.from({ length: 620 }, () => Math.floor(8 + 40 * next()));
  const chunk = running.map(() => next() < 0.35);
  const ms = running.map((n, i) => (chunk[i] ? 40 + 160 * next() : 14.7 + 0.273 * n + next()));
  return {
    running,
    ms,
    chunk,
    line: [
      [0, 48],
      [14.7, 27.8],
    ],
    steps: 620,
  };
}

function rowsOf(asked: Extract<CloseUp, { rows: unknown }>['rows']): RequestRows {
  const value = (row: RequestRow): number =>
    ({ request: row.request, ttft: row.ttft_us, tpot: row.tpot_us, e2e: row.e2e_us, prompt: row.prompt_tokens })[
      asked.sort as 'ttft'
    ] ?? Number.NEGATIVE_INFINITY;
  const found = ALL.filter((row) => passes(asked.filter, row));
  found.sort((a, b) => (asked.descending ? value(b) - value(a) : value(a) - value(b)));
  const rows = found.slice(asked.offset, asked.offset + asked.limit);
  return { rows, matching: found.length, arrived: ALL.length, slo_ttft_us: 1e6 };
}

const side = (count: number, [p50, p90, p99]: readonly number[], queue: number): SelectionSide => ({
  count,
  ttft: { count, p50_us: p50 ?? 0, p90_us: p90 ?? 0, p99_us: p99 ?? 0 },
  slowest_us: count === 0 ? null : (p99 ?? 0),
  queue_percent: queue,
  prefill_percent: 100 - queue,
});

function summaryOf(filter: RequestFilter): SelectionSummary {
  const found = ALL.filter((row) => passes(filter, row));
  return {
    these: side(found.length, [1.75e6, 2.35e6, 3.04e6], 84),
    rest: side(ALL.length - found.length, [0.25e6, 0.49e6, 0.82e6], 45),
    apart: [
      { what: 'on r2', these: 100, rest: 24 },
      { what: 'seen cached ≥ 90 %', these: 47, rest: 7 },
      { what: 'found cached ≥ 50 %', these: 16, rest: 47 },
      { what: 'class interactive', these: 41, rest: 61 },
      { what: 'client rag', these: 47, rest: 28 },
      { what: 'prompt > 4,096', these: 43, rest: 27 },
      { what: 'preempted', these: 14, rest: 0 },
    ],
    slowest: found[0]?.request ?? null,
    sentence:
      '100 % of them are on r2, against 24 % of the rest. Waiting took 84 % of their TTFT up to the first token, against 45 %.',
  };
}

/** The answer to a question, as the client gives it. */
export function answerOf(asked: CloseUp): unknown {
  if ('density' in asked) return densityOf(asked.density.of, asked.density.columns);
  if ('ecdf' in asked) return ecdfOf(asked.ecdf.of, asked.ecdf.filter);
  if ('points' in asked) return pointsOf();
  if ('rows' in asked) return rowsOf(asked.rows);
  return 'summary' in asked ? summaryOf(asked.summary) : null;
}
