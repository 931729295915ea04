// Made-up frames of clusters with prefill and decode apart, to view the drawings. Never a source of numbers.
import type { DecisionMark, Frame, MovingFrame, PairFrame, ReplicaFrame } from '../../src/generated/boundary.ts';
import { chance, frameOf } from './synthetic.ts';

/** Bytes a second of a port. */
const PORT = 6.25e9;
/** GB/s from prefill replica to home of the mock-up. */
const FLOW = [
  [1.05, 0.74, 1.22, 0.68, 0.91],
  [1.31, 0.94, 1.42, 0.87, 1.21],
  [0.48, 0.43, 0.57, 0.23, 0.48],
] as const;
const FLYING = [
  [1, 2, 0.61],
  [1, 0, 0.41],
  [0, 4, 0.84],
] as const;

/** A cluster of so many prefill, decode and mixed replicas, in this order; `rich` has more of all there is. */
export function splitFrameOf(prefill: number, decode: number, mixed = 0, rich = false, seed = 1): Frame {
  const n = prefill + decode + mixed;
  const frame = frameOf(n, 104.25, seed);
  const r = chance(seed * 31);
  const pairs: PairFrame[] = [];
  for (let i = 0; i < prefill; i++)
    for (let j = 0; j < decode; j++) {
      const gb = ((FLOW[i % 3]?.[j % 5] ?? 0.5) * 5) / Math.max(5, decode);
      pairs.push({ from: i, to: prefill + j, bytes_per_s: gb * 1e9, fullness: 0, flows: 0, now_per_s: 0 });
    }
  const sum = (key: 'from' | 'to', id: number): number =>
    pairs.reduce((all, pair) => all + (pair[key] === id ? pair.bytes_per_s : 0), 0);
  for (const pair of pairs) pair.fullness = Math.min(1, Math.max(sum('from', pair.from), sum('to', pair.to)) / PORT);
  const replicas = frame.replicas.map((one, id): ReplicaFrame => {
    const role = id < prefill ? 'prefill' : id < prefill + decode ? 'decode' : 'mixed';
    const port = (bytes: number) => ({ capacity: PORT, used: Math.min(1, bytes / PORT), now_per_s: 0, flows: 1 });
    const split: MovingFrame = {
      role,
      incoming: role === 'decode' ? id % 3 : 0,
      landed: 0,
      outgoing: role === 'prefill' ? 2 : 0,
      bound: 1,
      held_blocks: role === 'prefill' ? 900 : 0,
      reserved_blocks: role === 'decode' ? 420 : 0,
      itl_us: rich ? 123_456 : 28_000 + id * 321,
      out: port(sum('from', id)),
      into: port(sum('to', id)),
    };
    return ofRole({ ...one, pool: role, split }, rich);
  });
  const latest = Array.from({ length: 60 }, (_, k): DecisionMark => {
    const local = k % 11 === 3 || k % 11 === 8;
    const uncached = Math.round(local ? 40 * 2 ** (r() * 4.5) : 1100 * 2 ** (r() * 4));
    const home = prefill + (k % Math.max(1, decode));
    const way = local || prefill === 0 ? {} : { prefill: k % prefill };
    const reason = local ? 'short' : 'long';
    return { request: 1012 + k, at_us: 98e6 + k * 1e5, home, ...way, reason, prompt_tokens: uncached + 416, uncached };
  });
  const transfers = FLYING.filter(([from, to]) => from < prefill && to < decode).map(([from, to, share], k) => ({
    request: 1071 - k,
    from,
    to: prefill + to,
    bytes: 1.5e9,
    arrived: 1.5e9 * share,
    share,
    bytes_per_s: 3.125e9,
    start_us: 104e6,
    lands_us: 104.44e6,
  }));
  return {
    ...frame,
    replicas,
    split: {
      prefill: { serving: prefill, busy: 0.96, kv_used: 0.38, load: 0.96 },
      decode: { serving: decode, busy: 1, kv_used: 0.58, load: 0.58 },
      hint: [4, 4],
      push: false,
      decider: { name: 'threshold', uncached_tokens: 1024, uncached_share: 0 },
      decided: {
        remote_share: 0.82,
        local_share: 0.18,
        remote_per_s: 8.36,
        local_per_s: rich ? 12_345 : 1.84,
        local_because: 'short',
      },
      handover: { count: 250, p50_us: 281_000, p90_us: 400_000, p99_us: 512_000 },
      ttft_prefill: { count: 260, p50_us: 698_000, p90_us: 1_100_000, p99_us: 1_900_000 },
      transferring: transfers.length,
      landed: 0,
      flow_s: 10,
      bytes_per_s: pairs.reduce((all, pair) => all + pair.bytes_per_s, 0),
      ports_out: 0.669,
      pairs,
      transfers,
      under_way: transfers.length,
      latest,
    },
  };
}

/** Cells and batch as a role has them. */
function ofRole(r: ReplicaFrame, rich: boolean): ReplicaFrame {
  const role = r.split?.role;
  const cells = r.kv.cells.replace(/u{3}/g, role === 'prefill' ? 'uhh' : role === 'decode' ? 'urr' : 'uuu');
  const { batch } = r;
  const n = role === 'prefill' ? 5 : batch.requests.length;
  const contexts = batch.contexts
    .slice(0, n)
    .map((tokens, i) => (role === 'prefill' ? tokens * (0.3 + 0.1 * i) : tokens));
  const left = batch.contexts.slice(0, n).map((tokens, i) => tokens - (contexts[i] ?? 0));
  return {
    ...r,
    kv: { ...r.kv, cells },
    running: role === 'prefill' && !rich ? n : rich ? 1024 : r.running,
    waiting: rich ? 12_345 : r.waiting,
    batch:
      role === 'prefill'
        ? { requests: batch.requests.slice(0, n), contexts, decoding: 0, prefill: left }
        : { ...batch, decoding: role === 'decode' ? batch.requests.length : batch.decoding },
  };
}
