// A replica as a row of the table. Loaded with it.

import { rankOf, serverName } from '../base/servers.ts';
import { count, DASH, durationUs, percent, percentileUs, text } from '../base/units.ts';
import type { Frame, KeyFigures, ReplicaFrame } from '../generated/boundary.ts';
import { cpuShare, HEALTH_WORDS, kvShare, ttftHealth } from './facts.ts';

export const REPLICA_COLUMNS = [
  'Pool',
  'Busy',
  'Share of traffic',
  'In flight',
  'Waiting',
  'Running',
  'In prefill',
  'Step',
  'KV in use',
  'Blocks used',
  'Shared',
  'Cached',
  'CPU tier in use',
  'CPU hits',
  'Disks in use',
  'TTFT p50',
  'Objective',
] as const;

/** The cells of a replica's row in the table behind the stage. */
export function replicaCells(r: ReplicaFrame, key: KeyFigures): string[] {
  return [
    r.pool,
    text(percent(r.busy)),
    text(percent(r.share)),
    count(r.in_flight),
    count(r.waiting),
    count(r.running),
    count(r.prefilling),
    text(durationUs(r.step_us)),
    text(percent(kvShare(r))),
    count(r.kv.used),
    count(r.kv.shared),
    count(r.kv.cached),
    r.kv.cpu_total > 0 ? text(percent(cpuShare(r))) : DASH,
    r.kv.cpu_total > 0 ? text(percent(r.kv.cpu_hit_rate)) : DASH,
    r.kv.disks ? r.kv.disks.map((full) => text(percent(full))).join(', ') : DASH,
    text(percentileUs(r.ttft.p50_us, r.ttft.count)),
    HEALTH_WORDS[ttftHealth(r, key)],
  ];
}

/** Further columns where pools have roles. */
export const SPLIT_COLUMNS = [
  'Role',
  'Coming',
  'Landed',
  'Leaving',
  'Blocks held',
  'Reserved',
  'Port out',
  'Port in',
] as const;

/** The cells of these columns. */
export function splitCells({ split }: ReplicaFrame): string[] {
  if (!split) return SPLIT_COLUMNS.map(() => DASH);
  const { role, incoming, landed, outgoing, held_blocks, reserved_blocks, out, into } = split;
  const use = [out.used, into.used].map((share) => text(percent(share)));
  return [role, ...[incoming, landed, outgoing, held_blocks, reserved_blocks].map(count), ...use];
}

/** Further columns where replicas are ranks of servers. */
export const RANK_COLUMNS = [
  'Server',
  'Own part of the step',
  'Waits in it',
  'Slowest',
  'Waited so far',
  'Padding',
] as const;

/** The cells of these columns. */
export function rankCells(frame: Pick<Frame, 'servers'>, replica: number): string[] {
  const of = rankOf(frame, replica);
  if (!of) return RANK_COLUMNS.map(() => DASH);
  const { server, rank } = of;
  const [own, waits] = [rank.own_us, rank.wait_us].map((us) => text(durationUs(us)));
  const slowest = server.slowest === replica ? 'yes' : '';
  return [
    serverName(server),
    own ?? DASH,
    waits ?? DASH,
    slowest,
    text(percent(rank.wait_share)),
    count(rank.padding_tokens),
  ];
}
