// The entrants of a race that the user makes: settings of the scenario's policies, as values by path.
import { child, equal, getAt, isObject, type Json } from '../../base/json.ts';
import type { Entrant } from './race.ts';

/** The policies of a scenario outside its pools. */
const OF_CLUSTER = [
  'cluster.routing',
  'cluster.snapshot_refresh_us',
  'cluster.kv_event_delay_us',
  'cluster.routing_latency_us',
  'cluster.admission',
  'cluster.admission_latency_us',
  'cluster.flow_control',
  'cluster.disaggregation',
  'cluster.compat',
] as const;
/** The policies of each pool. */
const OF_POOL = ['engine', 'scaling'] as const;
/** Longest name of an entrant, in characters. */
const NAME = 40;

/** The paths of all policies of a document. */
export function policyPaths(document: Json): readonly string[] {
  const pools = getAt(document, 'cluster.pools');
  const ofPools = (Array.isArray(pools) ? pools : []).flatMap((_: Json, i) =>
    OF_POOL.map((name) => `cluster.pools[${i}].${name}`),
  );
  return [...OF_CLUSTER, ...ofPools];
}

/** The policies of `changed` that differ from those of `document`. */
export function settingsOf(document: Json, changed: Json): Readonly<Record<string, Json>> {
  const all = policyPaths(document).flatMap((path): (readonly [string, Json])[] => {
    const next = getAt(changed, path);
    return next === undefined || equal(next, getAt(document, path) ?? null) ? [] : [[path, next]];
  });
  return Object.fromEntries(all);
}

/** A name that no other entrant has. */
export function freeName(name: string, taken: readonly string[]): string {
  const base = name.trim().slice(0, NAME) || 'Own';
  for (let n = 2, free = base; ; n += 1) {
    if (!taken.includes(free)) return free;
    free = `${base} ${n}`;
  }
}

/** The tag of a policy: its name in the document. */
export function tagOf(policy: Json | undefined): string {
  if (isObject(policy)) return Object.keys(policy)[0] ?? '';
  return policy === undefined ? '' : String(policy);
}

/** Entrants from a link or a file: those of the right shape, each with a name of its own. */
export function entrantsFrom(value: Json | undefined, most: number): readonly Entrant[] {
  if (!Array.isArray(value)) return [];
  const taken: string[] = [];
  return value.slice(0, most).flatMap((entry: Json): Entrant[] => {
    const [name, set] = [child(entry, 'name'), child(entry, 'set')];
    if (typeof name !== 'string' || !isObject(set)) return [];
    const own = freeName(name, taken);
    taken.push(own);
    return [{ name: own, set }];
  });
}
