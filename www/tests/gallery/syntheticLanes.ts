// Made-up lanes: replicas that step with a simple model, and the requests of one of them.
import type { Lane, LaneMark, LaneRequest, LaneSteps, Lanes, StepTotals } from '../../src/generated/boundary.ts';

/** Numbers from 0 to 1 that are the same in every run. */
function draws(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function stepsOf(draw: () => number, fromUs: number, toUs: number, busy: number): LaneSteps {
  const out: LaneSteps = {
    ...{ seq: [], steps: [], at_us: [], span_us: [] },
    ...{ busy_us: [], prefill_us: [], prompt_tokens: [], decode: [] },
  };
  let at = fromUs - draw() * 20_000;
  for (let seq = 5700; at < toUs && busy > 0; seq++) {
    const chunk = draw() < 0.12 * busy ? Math.round(200 + draw() * 1800) : 0;
    const decode = Math.round(40 * busy);
    const prefill = Math.round(chunk * 79);
    const span = Math.round(14_700 + decode * 130 + prefill);
    out.seq.push(seq);
    out.steps.push(1);
    out.at_us.push(Math.round(at));
    out.span_us.push(span);
    out.busy_us.push(span);
    out.prefill_us.push(prefill);
    out.prompt_tokens.push(chunk);
    out.decode.push(decode);
    at += span;
  }
  return out;
}

function totalsOf(steps: LaneSteps): StepTotals {
  const time = steps.span_us.reduce((a, b) => a + b, 0);
  const prefill = steps.prefill_us.reduce((a, b) => a + b, 0);
  const sorted = steps.span_us.toSorted((a, b) => a - b);
  const at = (q: number): number | null => sorted[Math.floor(q * (sorted.length - 1))] ?? null;
  const kv = Math.round((time - prefill) * 0.4);
  const terms = {
    ...{ base_us: time - prefill - kv, batch_us: 0, kv_us: kv, prefill_us: prefill },
    ...{ transfers_us: 0, adapters_us: 0, others_us: 0 },
  };
  return {
    steps: steps.seq.length,
    p50_us: at(0.5),
    p99_us: at(0.99),
    prompt_tokens: steps.prompt_tokens.reduce((a, b) => a + b, 0),
    output_tokens: steps.decode.reduce((a, b) => a + b, 0),
    time_us: time,
    terms,
    shares: Object.values(terms).map((term) => term / Math.max(1, time)),
  };
}

function requestsOf(draw: () => number, fromUs: number, nowUs: number, rows: number): LaneRequest[] {
  return Array.from({ length: rows }, (_, row): LaneRequest => {
    const from = Math.round(fromUs - 400_000 + draw() * draw() * 2_600_000);
    const first = Math.round(from + draw() * 400_000);
    const token = first + Math.round(60_000 + draw() * 200_000);
    const preempted = row % 17 === 16;
    const part = (kind: LaneRequest['parts'][number]['kind'], from_us: number, to_us: number) => ({
      ...{ kind, from_us: Math.max(fromUs, from_us), to_us: Math.min(nowUs, to_us) },
      ...{ tokens: 1, open: false },
    });
    const parts = [
      part('queue', from, first),
      part('prefill', first, token),
      part(preempted ? 'preempted' : 'decode', token, preempted ? token + 300_000 : nowUs),
    ].filter((p) => p.to_us > p.from_us);
    return { request: 1180 + row, client: row % 3, row, from_us: from, to_us: nowUs, first_step_us: first, parts };
  });
}

/** Two seconds of a run: `n` replicas, the requests of replica `open` in `rows` rows. `still` replicas do nothing. */
export function lanesOf(n: number, open: number | undefined, rows: number, still = 0): Lanes {
  const draw = draws(n + rows);
  const [fromUs, toUs, nowUs] = [129_400_000, 131_500_000, 131_250_000];
  const lanes = Array.from({ length: n }, (_, replica): Lane => {
    const steps = stepsOf(draw, fromUs, nowUs, replica < n - still ? 0.4 + 0.6 * draw() : 0);
    return { replica, steps, totals: totalsOf(steps) };
  });
  const marks = Array.from(
    { length: 24 },
    (_, i): LaneMark => ({
      at_us: Math.round(fromUs + draw() * (nowUs - fromUs)),
      request: 1180 + i,
      client: i % 6,
      replica: i % n,
    }),
  );
  const buckets = Array.from({ length: 131 }, (_, i) => i);
  const changes = Array.from({ length: 12 }, (_, i) => fromUs + i * 150_000);
  const all = totalsOf(lanes[0]?.steps ?? stepsOf(draw, fromUs, nowUs, 0));
  const requests = requestsOf(draw, fromUs, nowUs, rows);
  return {
    ...{ now_us: nowUs, from_us: fromUs, to_us: toUs, kept_from_us: 0, lanes, marks, totals: all },
    open:
      open === undefined
        ? null
        : {
            ...{ replica: open, requests, count: rows, more: 0, rows, batch_us: changes },
            running: changes.map((_, i) => 43 + (i % 3)),
            waiting: changes.map((_, i) => (i * 2) % 5),
          },
    overview: [buckets, buckets.map((s) => 4000 + 3000 * Math.sin(s / 9)), buckets.map((s) => 900 + 4 * s)],
  };
}
