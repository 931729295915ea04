// Replicas that are ranks of one server: which server a replica belongs to, and what it waits for there.

import type { Frame, RankFrame, ReplicaFrame, ServerFrame } from '../generated/boundary.ts';
import { count, durationUs, percent, text } from './units.ts';

type Servers = Pick<Frame, 'servers'>;

/** A replica as a rank of its server. */
export type RankOf = { readonly server: ServerFrame; readonly rank: RankFrame };

/** The server of a replica, with its part of it; undefined for a replica that steps by itself. */
export function rankOf(frame: Servers, replica: number): RankOf | undefined {
  for (const server of frame.servers ?? []) {
    const rank = server.ranks.find((one) => one.replica === replica);
    if (rank) return { server, rank };
  }
  return undefined;
}

/** By place of the replica: the number of its server. */
export function serversOf(
  frame: Servers | undefined,
  replicas: readonly Pick<ReplicaFrame, 'id'>[],
): readonly (number | undefined)[] {
  const of = new Map(
    (frame?.servers ?? []).flatMap(({ id, ranks }) => ranks.map((rank) => [rank.replica, id] as const)),
  );
  return replicas.map(({ id }) => of.get(id));
}

/** The name of a server, as short as that of a replica. */
export const serverName = ({ id }: Pick<ServerFrame, 'id'>): string => `s${id}`;

/** A server in a few words, the most important first. */
export function serverWords(server: ServerFrame): readonly string[] {
  const { ranks, slowest, step_us, cpu_used } = server;
  const takes = text(durationUs(step_us));
  const step = slowest === undefined ? `step ${takes}` : `slowest r${slowest}, ${takes}`;
  return [
    ...(step_us > 0 ? [step] : []),
    `waited ${text(percent(server.wait_share))} so far`,
    `${count(ranks.length)} ${ranks.length === 1 ? 'rank' : 'ranks'}`,
    `KV ${text(percent(server.kv_used))}`,
    ...(cpu_used === undefined ? [] : [`CPU tier ${text(percent(cpu_used))}`]),
  ];
}

/** A server in one sentence. */
export function describeServer(server: ServerFrame): string {
  const { ranks, step_us, wait_share, slowest } = server;
  const whom = slowest === undefined ? 'no rank waits for another' : `all wait for r${slowest}`;
  const step = step_us > 0 ? ` a step takes ${text(durationUs(step_us))}, ${whom};` : '';
  const first = ranks[0]?.replica ?? 0;
  return (
    `Server ${serverName(server)} of ${server.pool} has ${count(ranks.length)} ranks from r${first} on:${step} ` +
    `so far they waited ${text(percent(wait_share))} of the time of their steps.`
  );
}
