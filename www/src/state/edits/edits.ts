// Edits as the page has them: those of a document's list, and the document in force at an instant. What an edit makes of
// a document, and the edits that a change needs, the simulation says.
import { child, equal, getAt, isObject, type Json, setAt } from '../../base/json.ts';
import { trust } from '../../base/trust.ts';
import type { InForce } from '../../generated/boundary.ts';

type Values = Readonly<Record<string, Json>>;

/**
 * The contents of an edit: values by path, one new entry for each list that grows, a request with its new replica, and
 * what breaks.
 */
export type Edit = { readonly set?: Values; readonly add?: Values; readonly route?: Json; readonly fault?: Json };

/** An edit of the document's list, with its instant. */
export type PlacedEdit = { readonly atUs: number; readonly edit: Edit; readonly off: boolean };

/** A field that differs between two documents. */
export type Change = { readonly path: string; readonly from?: Json; readonly to?: Json };

/** The lists that edits only add to, so that positions stay valid. */
export type GrowingList = 'cluster.pools' | 'workload.clients';

/** Whether `path` is `outer` or is under it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

/** The edits of a document, with their instants. */
export function placedEdits(document: Json): readonly PlacedEdit[] {
  const edits = child(document, 'edits');
  if (!Array.isArray(edits)) return [];
  return edits.map((raw: Json) => {
    const [set, add, route, fault] = ['set', 'add', 'route', 'fault'].map((key) => child(raw, key));
    return {
      atUs: Number(child(raw, 'at_us') ?? 0),
      edit: {
        ...(isObject(set) ? { set } : {}),
        ...(isObject(add) ? { add } : {}),
        ...(isObject(route) ? { route } : {}),
        ...(isObject(fault) ? { fault } : {}),
      },
      off: child(raw, 'off') === true,
    };
  });
}

/** An edit of the list, with its index, and whether it came with the scenario. */
export type ListedEdit = PlacedEdit & { readonly index: number; readonly scheduled: boolean };

/** The rerouting of an edit in words: the request, and its replica. */
export function routeSaid(edit: Edit): readonly [string, string] | undefined {
  if (edit.route === undefined) return undefined;
  return [`Request ${child(edit.route, 'request')} to`, `r${child(edit.route, 'to')}`];
}

/** The fault of an edit in words: its kind, and the replica or pool that it is about. */
export function faultSaid(edit: Edit): readonly [string, string] | undefined {
  if (!isObject(edit.fault)) return undefined;
  const [[kind, settings] = ['', null]] = Object.entries(edit.fault);
  const [replica, pool] = [child(settings, 'replica'), child(settings, 'pool')];
  const aim = replica === undefined || replica === null ? String(pool ?? '') : `r${replica}`;
  return [`${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll('-', ' ')}`, aim];
}

/** The edits of a document; those that `original` has at the same instant are scheduled, the others were made later. */
export function listedEdits(original: Json, document: Json): readonly ListedEdit[] {
  const scheduled = [...placedEdits(original)];
  return placedEdits(document).map((placed, index) => {
    const at = scheduled.findIndex((known) => samePlaced(known, placed));
    if (at >= 0) scheduled.splice(at, 1);
    return { ...placed, index, scheduled: at >= 0 };
  });
}

/** Whether both do the same at the same instant. */
export function samePlaced(a: PlacedEdit, b: PlacedEdit): boolean {
  return (
    a.atUs === b.atUs &&
    a.off === b.off &&
    (['set', 'add', 'route', 'fault'] as const).every((key) => equal(a.edit[key], b.edit[key]))
  );
}

/** The document in force at an instant, from the changes of a run. */
export function inForceAt(document: Json, changes: readonly InForce[], nowUs: number): Json {
  return changes
    .filter(({ from_us }) => from_us <= nowUs)
    .flatMap(({ set }) => Object.entries(trust<Values>(set)))
    .reduce((now, [path, value]) => setAt(now, path, value), document);
}

/** The edit at `index` as the document writes it. */
export function writtenEdit(document: Json, index: number): Json {
  return getAt(document, `edits[${index}]`) ?? null;
}

/** The document without the latest edit that is written like this; undefined if it has none. */
export function withoutWritten(document: Json, written: Json): Json | undefined {
  const edits = child(document, 'edits');
  const at = Array.isArray(edits) ? edits.findLastIndex((edit: Json) => equal(edit, written)) : -1;
  return at < 0 ? undefined : withoutEdit(document, at);
}

/** The document without the edit at `index`. */
export function withoutEdit(document: Json, index: number): Json {
  const edits = child(document, 'edits');
  return Array.isArray(edits)
    ? setAt(
        document,
        'edits',
        edits.filter((_: Json, i) => i !== index),
      )
    : document;
}

export function lengthOf(document: Json, list: string): number {
  const items = getAt(document, list);
  return Array.isArray(items) ? items.length : 0;
}
