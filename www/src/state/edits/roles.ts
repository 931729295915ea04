// Pools with the roles prefill and decode.
import { getAt, type Json } from '../../base/json.ts';

export type Role = 'mixed' | 'prefill' | 'decode';

function poolsOf(document: Json): readonly Json[] {
  const pools = getAt(document, 'cluster.pools');
  return Array.isArray(pools) ? pools : [];
}

function roleOf(pool: Json): Json {
  return getAt(pool, 'role') ?? 'mixed';
}

const replicasOf = (pool: Json): number => Number(getAt(pool, 'replicas') ?? 0);

/** Whether any pool prefills or decodes only. */
export function isSplit(document: Json): boolean {
  return poolsOf(document).some((pool) => roleOf(pool) !== 'mixed');
}

/** The replicas of the pools with a role. */
export function withRole(document: Json, role: Role): number {
  return poolsOf(document)
    .filter((pool) => roleOf(pool) === role)
    .reduce((sum: number, pool) => sum + replicasOf(pool), 0);
}

/** The first mixed pool that has a replica for each role, by index; undefined if pools have roles already. */
export function dividable(document: Json): number | undefined {
  if (isSplit(document)) return undefined;
  const found = poolsOf(document).findIndex((pool) => replicasOf(pool) > 1);
  return found < 0 ? undefined : found;
}
