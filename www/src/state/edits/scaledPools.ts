// Which pools have an autoscaler.
import { getAt, isObject, type Json } from '../../base/json.ts';

/** A pool with an autoscaler in the document. */
export type ScaledPool = { readonly index: number; readonly name: string; readonly scaling: Json };

/** The pools of a document that have an autoscaler, in order. */
export function scaledPools(document: Json): readonly ScaledPool[] {
  const pools = getAt(document, 'cluster.pools');
  return (Array.isArray(pools) ? pools : []).flatMap((pool: Json, index) => {
    const policy = getAt(pool, 'scaling.policy');
    const name = getAt(pool, 'name');
    const scaling = getAt(pool, 'scaling') ?? {};
    const active = isObject(policy) || (typeof policy === 'string' && policy !== 'none');
    return active ? [{ index, name: typeof name === 'string' ? name : '', scaling }] : [];
  });
}

/** Whether any pool has an autoscaler. */
export function isScaled(document: Json): boolean {
  return scaledPools(document).length > 0;
}
