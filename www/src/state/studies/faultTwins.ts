// The same run as it would be without a fault: the documents of run B for the questions about what a fault cost.
import { child, getAt, isObject, type Json, joinPath, setAt } from '../../base/json.ts';
import type { OneFaultPart } from '../../generated/boundary.ts';
import { placedEdits, withoutEdit } from '../edits/edits.ts';

/** A run to compare with, and how its button and the comparison call it. */
export type Twin = { readonly label: string; readonly name: string; readonly document: Json };

/** A fault of a frame; of its figures, those that name it. */
type Named = Pick<OneFaultPart, 'kind' | 'at_us' | 'replica' | 'pool'>;

/** The place of the edit that made a fault; −1 for one that was drawn at random. */
export function editOf(document: Json, { kind, at_us, replica }: Named): number {
  return placedEdits(document).findIndex(({ atUs, off, edit }) => {
    const settings = child(edit.fault ?? null, kind);
    if (off || atUs !== at_us || !isObject(settings)) return false;
    const aim = settings.replica;
    return aim === undefined || aim === null || aim === replica;
  });
}

/** The runs to compare with a run in which this broke: without it, with a retry budget, with one replica more. */
export function twinsOf(document: Json, fault: Named): readonly Twin[] {
  const index = editOf(document, fault);
  const kind = fault.kind.replaceAll('-', ' ');
  const without =
    index < 0
      ? []
      : [
          {
            label: `no ${kind}`,
            name: fault.replica === undefined ? `no ${kind}` : `no ${kind} of r${fault.replica}`,
            document: withoutEdit(document, index),
          },
        ];
  return [...without, budgeted(document), ...(fault.pool === undefined ? [] : oneMore(document, fault.pool))];
}

/** Share of the requests inside that may be retries, if the scenario names none. */
const SHARE = 0.2;

/** With a retry and its budget; of a run that retries, with a larger budget. */
function budgeted(document: Json): Twin {
  const of = 'cluster.resilience';
  const retries = Number(getAt(document, `${of}.retries`) ?? 0);
  if (retries === 0)
    return { label: 'retry budget', name: 'one retry, with a budget', document: withKey(document, of, 'retries', 1) };
  const share = Number(getAt(document, `${of}.retry_budget_share`) ?? SHARE);
  const next = Math.min(1, Math.max(0.5, 2 * share));
  const said = `retry budget ${Math.round(100 * next)} %`;
  return { label: 'retry budget', name: said, document: withKey(document, of, 'retry_budget_share', next) };
}

function withKey(document: Json, path: string, key: string, value: Json): Json {
  const before = getAt(document, path);
  const cluster = getAt(document, 'cluster');
  const next = { ...(isObject(before) ? before : {}), [key]: value };
  return isObject(cluster) ? setAt(document, path, next) : setAt(document, 'cluster', { resilience: next });
}

/** With one replica more in a pool from the start on: edits name later replicas by their new numbers. */
function oneMore(document: Json, name: string): readonly Twin[] {
  const pools = getAt(document, 'cluster.pools');
  if (!Array.isArray(pools)) return [];
  const at = pools.findIndex((pool: Json, i) => (child(pool, 'name') ?? `pool-${i}`) === name);
  const place = at < 0 && pools.length === 1 ? 0 : at;
  if (place < 0) return [];
  const sizes = pools.map((pool: Json) => Number(child(pool, 'replicas') ?? 1));
  const before = sizes.slice(0, place + 1).reduce((sum, n) => sum + n, 0);
  const total = sizes.reduce((sum, n) => sum + n, 0);
  const path = joinPath(joinPath('cluster.pools', place), 'replicas');
  const grown = setAt(document, path, (sizes[place] ?? 1) + 1);
  const said = `${total + 1} replicas`;
  return [{ label: 'one replica more', name: said, document: renumbered(grown, before) }];
}

/** The replicas from a number on have the next one. */
function renumbered(document: Json, from: number): Json {
  const edits = child(document, 'edits');
  if (!Array.isArray(edits)) return document;
  const next = (n: Json | undefined): Json => (typeof n === 'number' && n >= from ? n + 1 : (n ?? null));
  const moved = edits.map((edit: Json): Json => {
    if (!isObject(edit)) return edit;
    const { route, fault } = edit;
    const routed = isObject(route) ? { route: { ...route, to: next(route.to) } } : {};
    if (!isObject(fault)) return { ...edit, ...routed };
    const aimed = Object.entries(fault).map(([kind, settings]): [string, Json] => [
      kind,
      isObject(settings) && settings.replica !== undefined
        ? { ...settings, replica: next(settings.replica) }
        : (settings as Json),
    ]);
    return { ...edit, ...routed, fault: Object.fromEntries(aimed) };
  });
  return setAt(document, 'edits', moved);
}
