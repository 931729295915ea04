// Facts of a frame behind marks and words: no drawing, no simulation arithmetic.

import { describeServer } from '../base/servers.ts';
import { count, durationUs, minus, percent, plain, ratePerS, text } from '../base/units.ts';
import type { Health } from '../draw/marks.ts';
import type {
  BandFrame,
  BatchFrame,
  Counts,
  Frame,
  GatewayFrame,
  KeyFigures,
  ReplicaFrame,
  SplitFrame,
} from '../generated/boundary.ts';

/** The latest TTFTs of a replica against the objective: missed if the median misses it, at risk if the p99 does. */
export function ttftHealth(replica: ReplicaFrame, key: KeyFigures): Health {
  if (key.slo_ttft_us <= 0 || replica.ttft.count === 0) return 'none';
  if (replica.ttft.p50_us > key.slo_ttft_us) return 'missed';
  return replica.ttft.p99_us > key.slo_ttft_us ? 'risk' : 'met';
}

/** Objectives of time between tokens: as the bars of their classes. */
const ITL_US = { met: 50_000, risk: 150_000 } as const;

export function itlHealth(us: number): Health {
  if (us === 0) return 'none';
  if (us <= ITL_US.met) return 'met';
  return us <= ITL_US.risk ? 'risk' : 'missed';
}

export const HEALTH_WORDS: Record<Health, string> = {
  none: 'no objective or no sample',
  met: 'met',
  risk: 'at risk',
  missed: 'missed',
};

/** Context tokens of the request at a place of a batch, once its prompt is in the cache. */
export const contextAt = (batch: BatchFrame, at: number): number =>
  (batch.contexts[at] ?? 0) + (batch.prefill[at - batch.decoding] ?? 0);

/**
 * The smallest of 1 and 1.5 times a power of two that fits the largest context: bars are comparable across replicas,
 * and the scale rarely changes.
 */
export function contextScale(replicas: readonly ReplicaFrame[]): number {
  let most = 512;
  for (const { batch } of replicas)
    for (let i = 0; i < batch.contexts.length; i++) most = Math.max(most, contextAt(batch, i));
  const power = 2 ** Math.ceil(Math.log2(most));
  return most <= 0.75 * power ? 0.75 * power : power;
}

/** Whether a replica crashed and is not back yet. */
export const isDown = (r: ReplicaFrame): boolean => r.life?.phase === 'down';

/** Whether a replica was requested and does not serve yet, or is down. */
export const isStarting = (r: ReplicaFrame): boolean => r.life?.phase === 'starting' || isDown(r);

/**
 * Whether a replica has stopped: it accepts no requests and has none left, here or on their way. Edits of hardware
 * replace replicas, and a stage with all stopped ones would become unreadable.
 */
export const hasStopped = (r: ReplicaFrame): boolean =>
  !r.serving && !isStarting(r) && r.in_flight + r.waiting + r.running + (r.split?.outgoing ?? 0) === 0;

/** Replicas that do not serve, in words: stopped ones alone where each other one has a row that says what it is. */
export function awayWords(replicas: readonly ReplicaFrame[], inRows = false): string {
  const stopped = `${count(replicas.filter(hasStopped).length)} stopped`;
  if (inRows) return stopped.startsWith('0 ') ? '' : stopped;
  const said = [
    `${count(replicas.filter((r) => isStarting(r) && !isDown(r)).length)} starting`,
    `${count(replicas.filter(isDown).length)} down`,
    stopped,
  ];
  return said.filter((words) => !words.startsWith('0 ')).join(', ');
}

/** The replicas that have not stopped, in order: the same list if none has. */
export function present(replicas: readonly ReplicaFrame[]): readonly ReplicaFrame[] {
  return replicas.some(hasStopped) ? replicas.filter((r) => !hasStopped(r)) : replicas;
}

/** A replica in the frame of numbers; the present replica if that frame lacks it. */
export function writtenOf(written: Pick<Frame, 'replicas'>, r: ReplicaFrame): ReplicaFrame {
  const there = written.replicas[r.id];
  return there?.id === r.id ? there : (written.replicas.find((one) => one.id === r.id) ?? r);
}

/** Share of a replica's blocks held by requests. */
export const kvShare = (r: ReplicaFrame): number => (r.kv.total === 0 ? 0 : r.kv.used / r.kv.total);

/** Share of the CPU tier's blocks in use. */
export const cpuShare = (r: ReplicaFrame): number => (r.kv.cpu_total === 0 ? 0 : r.kv.cpu_used / r.kv.cpu_total);

/** The text beside a replica's name if pools differ: its pool, and the GPUs of that pool. */
export function poolWords(frame: Pick<Frame, 'pools'>, r: ReplicaFrame): readonly [string, string] | undefined {
  if (frame.pools.length < 2) return undefined;
  const pool = frame.pools.find((p) => p.name === r.pool);
  if (!pool) return [r.pool, ''];
  return [r.pool, pool.tp > 1 ? `${pool.tp} × ${pool.gpu}` : pool.gpu];
}

/** Whether single requests can be followed by eye: at most 60 arrivals a wall second. */
export function followable(frame: Frame, speed: number): boolean {
  return Number.isFinite(speed) && frame.key.offered_per_s * speed <= 60;
}

/**
 * How requests travel: as dots while each can be followed, else as ribbons, which flow while the run plays. With reduced motion the
 * ribbons stand still.
 */
export function travelOf(
  frame: Frame | undefined,
  speed: number,
  { reduced, playing }: { readonly reduced: boolean; readonly playing: boolean },
): 'dots' | 'flow' | 'still' {
  if (!frame || reduced) return 'still';
  if (followable(frame, speed)) return 'dots';
  return playing ? 'flow' : 'still';
}

/** The stage in one sentence. */
export function describeStage(frame: Frame | undefined): string {
  if (!frame) return 'The cluster: nothing has been simulated yet.';
  const n = frame.replicas.length;
  let worst: ReplicaFrame | undefined;
  for (const r of frame.replicas) if (!worst || r.waiting > worst.waiting) worst = r;
  const most = worst && worst.waiting > 0 ? `; r${worst.id} has the longest queue with ${count(worst.waiting)}` : '';
  return (
    `At ${plain(Math.round(frame.now_us / 1000) / 1000)} seconds ${text(ratePerS(frame.key.offered_per_s))} arrive at ` +
    `${count(n)} ${n === 1 ? 'replica' : 'replicas'}: ${waitWords(frame.counts)}, ` +
    `${count(frame.counts.running)} run, ${count(frame.counts.completed)} are done${most}.` +
    (retryWords(frame) ? ` ${retryWords(frame)}.` : '') +
    (frame.gateway ? ` ${describeGateway(frame.gateway)}` : '') +
    (frame.split ? ` ${describeSplit(frame.split)}` : '') +
    (frame.servers ?? [])
      .slice(0, 4)
      .map((server) => ` ${describeServer(server)}`)
      .join('')
  );
}

/** Prefill and decode apart, in one sentence. */
export function describeSplit({ prefill, decode, decided, under_way }: SplitFrame): string {
  const remote = text(percent(decided.remote_share));
  return (
    `Prefill ${count(prefill.serving)}, busy ${text(percent(prefill.busy))}; decode ${count(decode.serving)}, ` +
    `KV ${text(percent(decode.kv_used))}; ${remote} remote; ${count(under_way)} transfers under way.`
  );
}

/** A band's classes with its priority. */
export function bandTitle({ classes, priority }: BandFrame): string {
  return classes.length > 0 ? `${classes.join(', ')} (${minus(priority)})` : `band ${minus(priority)}`;
}

/** Whether a band sends nothing on at this saturation. */
export const holdsBack = (saturation: number, band: BandFrame): boolean => saturation >= band.ceiling;

/** The saturation of the replicas: far above 100 % where many requests wait at them. */
export const saturationSaid = (share: number): string => text({ value: count(100 * share), unit: '%' });

/** How long the longest waits in a band. */
export const waitOf = (band: BandFrame): string => text(durationUs(band.longest_us));

/** The gateway's queue in one sentence. */
export function describeGateway({ saturation, bands }: GatewayFrame): string {
  const said = bands.map((band) => {
    const longest = band.waiting > 0 ? `, the longest for ${waitOf(band)}` : '';
    const held = holdsBack(saturation, band) ? ', held back' : '';
    return `${bandTitle(band)}: ${count(band.waiting)} waiting${longest}${held}`;
  });
  return `Gateway queue at saturation ${saturationSaid(saturation)}: ${said.join('; ') || 'no band'}.`;
}

/** How many requests are in a further attempt or wait for one; empty if none. */
export function retryWords({ key }: Pick<Frame, 'key'>): string {
  const retrying = key.faults?.retrying ?? 0;
  return retrying > 0 ? `${count(retrying)} retrying` : '';
}

/** All waiting requests: in the queues of replicas, and at the gateway. */
export function waitWords({ waiting, held }: Pick<Counts, 'waiting' | 'held'>): string {
  const atGateway = held > 0 ? ` and ${count(held)} at the gateway` : '';
  return `${count(waiting)} requests wait${held > 0 ? ' at replicas' : ''}${atGateway}`;
}

/** One replica in one sentence, for its button in the table. */
export function describeReplica(r: ReplicaFrame): string {
  return `Replica r${r.id} of ${r.pool}: ${r.waiting} waiting, ${r.running} running, ${text(percent(kvShare(r)))} of the KV cache in use`;
}

/** A request of a replica, and its place. */
export type RequestEntry = { readonly request: number; readonly where: string };

export function requestsOf(r: ReplicaFrame): RequestEntry[] {
  return [
    ...r.batch.requests.map((request, i) => ({ request, where: i < r.batch.decoding ? 'decoding' : 'in prefill' })),
    ...r.queue.map((c) => ({ request: c.request, where: c.preempted ? 'waiting, preempted' : 'waiting' })),
  ];
}
