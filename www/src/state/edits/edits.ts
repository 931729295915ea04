// Edits: changes of the document at an instant. An edit has the paths it sets and the pools and clients it adds. This
// file computes the edit between two documents, and the document in force at an instant.
import {
  child,
  equal,
  getAt,
  isObject,
  type Json,
  type JsonObject,
  joinPath,
  parsePath,
  setAt,
} from '../../base/json.ts';

type Values = Readonly<Record<string, Json>>;

/**
 * The contents of an edit: values by path, one new entry for each list that grows, a request with its new replica, and
 * what breaks.
 */
export type Edit = { readonly set?: Values; readonly add?: Values; readonly route?: Json; readonly fault?: Json };

/** An edit of the document's list, with its instant. */
export type PlacedEdit = { readonly atUs: number; readonly edit: Edit; readonly off: boolean };

export type Change = { readonly path: string; readonly from: Json | undefined; readonly to: Json | undefined };

/** The lists that edits only add to, so that positions stay valid. */
export const GROWING = ['cluster.pools', 'workload.clients'] as const;
export type GrowingList = (typeof GROWING)[number];

/** The differences between two documents, edits aside. A value whose variant differs is one change. */
export function changes(from: Json, to: Json): readonly Change[] {
  const all: Change[] = [];
  compare(from, to, '', all);
  return all;
}

function compare(from: Json | undefined, to: Json | undefined, path: string, into: Change[]): void {
  if (path === 'edits' || equal(from, to)) return;
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    from.forEach((item: Json, i) => {
      compare(item, to[i], joinPath(path, i), into);
    });
    return;
  }
  if (isObject(from) && isObject(to) && sameVariant(from, to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
      compare(from[key], to[key], joinPath(path, key), into);
    return;
  }
  into.push({ path, from, to });
}

/** Objects of one key may be the variants of a choice: with another key they are another choice. */
function sameVariant(a: JsonObject, b: JsonObject): boolean {
  const [first] = Object.keys(a);
  const tagged = Object.keys(a).length === 1 && Object.keys(b).length === 1;
  return !tagged || (first !== undefined && Object.hasOwn(b, first));
}

/**
 * The edits that turn the document `from` into `to`: one, unless a list grows by several entries. Undefined if pools or
 * clients would be removed, which no edit does.
 */
export function editsBetween(from: Json, to: Json): readonly Edit[] | undefined {
  const added = new Map<string, Json[]>();
  let before = from;
  for (const list of GROWING) {
    const [old, next] = [getAt(from, list), getAt(to, list)];
    if (!Array.isArray(old) || !Array.isArray(next)) continue;
    if (next.length < old.length) return undefined;
    if (next.length === old.length) continue;
    added.set(list, next.slice(old.length));
    before = setAt(before, list, [...old, ...next.slice(old.length)]);
  }
  const set = settable(changes(before, to), to);
  const edits: Edit[] = [];
  for (let i = 0; i === 0 || [...added.values()].some((entries) => i < entries.length); i += 1) {
    const add = Object.fromEntries(
      [...added].flatMap(([list, entries]) => (entries[i] === undefined ? [] : [[list, entries[i] ?? null]])),
    );
    const edit = {
      ...(i === 0 && Object.keys(set).length > 0 ? { set } : {}),
      ...(Object.keys(add).length > 0 ? { add } : {}),
    };
    if (Object.keys(edit).length > 0) edits.push(edit);
  }
  return edits;
}

/** Values by path. A removed key cannot be set, so its whole parent object is. */
function settable(all: readonly Change[], to: Json): Values {
  const paths = all.map(({ path }) => {
    let at = path;
    while (getAt(to, at) === undefined && at !== '') at = parentOf(at);
    return at;
  });
  const outer = paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
  return Object.fromEntries([...new Set(outer)].map((path) => [path, getAt(to, path) ?? null]));
}

function parentOf(path: string): string {
  return parsePath(path).slice(0, -1).reduce<string>(joinPath, '');
}

/** Whether `path` is `outer` or is under it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

/** The document after an edit: fields are set first, then entries are added. */
export function withEdit(document: Json, edit: Edit): Json {
  const set = Object.entries(edit.set ?? {}).reduce((now, [path, value]) => setAt(now, path, value), document);
  return Object.entries(edit.add ?? {}).reduce((now, [list, entry]) => {
    const items = getAt(now, list);
    return setAt(now, list, [...(Array.isArray(items) ? items : []), entry]);
  }, set);
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
    equal(a.edit.set ?? {}, b.edit.set ?? {}) &&
    equal(a.edit.add ?? {}, b.edit.add ?? {}) &&
    equal(a.edit.route ?? {}, b.edit.route ?? {}) &&
    equal(a.edit.fault ?? {}, b.edit.fault ?? {})
  );
}

/** The document in force at an instant: with the edits up to it. */
export function effective(document: Json, nowUs: number): Json {
  return placedEdits(document)
    .filter(({ atUs, off }) => !off && atUs <= nowUs)
    .toSorted((a, b) => a.atUs - b.atUs)
    .reduce((now, { edit }) => withEdit(now, edit), document);
}

/** The document with the edit at `index` changed, and its edits in the order in which they apply. */
function withEditAt(document: Json, index: number, change: (edit: JsonObject) => JsonObject): Json {
  const edits = child(document, 'edits');
  if (!Array.isArray(edits)) return document;
  const changed = edits.map((edit: Json, i) => (i === index && isObject(edit) ? change(edit) : edit));
  return setAt(
    document,
    'edits',
    changed.toSorted((a, b) => Number(child(a, 'at_us')) - Number(child(b, 'at_us'))),
  );
}

/** The document with the edit at `index` at another instant. */
export function movedEdit(document: Json, index: number, atUs: number): Json {
  return withEditAt(document, index, ({ after_events: _, ...edit }) => ({ ...edit, at_us: atUs }));
}

/**
 * The document in which the fault of the edit at `index` is over at another instant. Its length is the setting, in
 * seconds, after which it is over at `untilUs` now.
 */
export function stretchedEdit(document: Json, index: number, untilUs: number, nextUs: number): Json {
  return withEditAt(document, index, (edit) => {
    const { fault, at_us: at } = edit;
    if (!isObject(fault)) return edit;
    const [[kind, settings] = ['', null]] = Object.entries(fault);
    if (!isObject(settings)) return edit;
    const seconds = (us: number): number => (us - Number(at)) / 1e6;
    const key = Object.keys(settings).find((k) => Math.abs(Number(settings[k]) - seconds(untilUs)) < 1e-5);
    // At zero it would have no end.
    const length = Math.max(0.001, Math.round(seconds(nextUs) * 1000) / 1000);
    return key === undefined ? edit : { ...edit, fault: { [kind]: { ...settings, [key]: length } } };
  });
}

/** The document with the edit at `index` switched off, or on again. */
export function switchedEdit(document: Json, index: number): Json {
  return withEditAt(document, index, ({ off, ...edit }) => (off === true ? edit : { ...edit, off: true }));
}

/** The document with another value in the edit at `index`. */
export function revisedEdit(document: Json, index: number, path: string, value: Json): Json {
  return withEditAt(document, index, (edit) => {
    const set = child(edit, 'set');
    return { ...edit, set: { ...(isObject(set) ? set : {}), [path]: value } };
  });
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

/** The path of the amount of a pool or client: replicas, or requests per second. Undefined if there is none. */
export function amountPath(document: Json, list: string, index: number): string | undefined {
  const entry = joinPath(list, index);
  if (list === 'cluster.pools') return `${entry}.replicas`;
  const arrivals = getAt(document, `${entry}.arrivals`);
  const [kind] = isObject(arrivals) ? Object.keys(arrivals) : [];
  return kind === undefined ? undefined : `${entry}.arrivals.${kind}.rate_per_s`;
}

/**
 * The inverse of `edit` at an instant, with `document` in force before it: old values, and amount zero and no role for
 * added entries.
 */
export function inverse(edit: Edit, document: Json, initial: (path: string) => Json | undefined): Edit {
  const after = withEdit(document, edit);
  const set = Object.keys(edit.set ?? {}).map((path): [string, Json] => [
    path,
    getAt(document, path) ?? initial(path) ?? null,
  ]);
  const emptied = Object.keys(edit.add ?? {}).flatMap((list): [string, Json][] => {
    const index = lengthOf(document, list);
    const path = amountPath(after, list, index);
    const role = `${joinPath(list, index)}.role`;
    return [
      ...(path === undefined ? [] : [[path, 0] as [string, Json]]),
      // An emptied pool would still need one with the other role.
      ...(getAt(after, role) === undefined ? [] : [[role, 'mixed'] as [string, Json]]),
    ];
  });
  return { set: Object.fromEntries([...set, ...emptied]) };
}

/** A further entry of a list: a copy of the last non-empty one, under an unused name. */
export function furtherEntry(document: Json, list: GrowingList): Json | undefined {
  const items = getAt(document, list);
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const amount = (index: number): Json | undefined => {
    const path = amountPath(document, list, index);
    return path === undefined ? undefined : getAt(document, path);
  };
  const filled = items.findLastIndex((_: Json, i) => amount(i) !== 0);
  const copied = filled < 0 ? items.length - 1 : filled;
  const names = items.map((item: Json) => String(child(item, 'name') ?? ''));
  const named = setAt(items[copied] ?? {}, 'name', freeName(names, names[copied] ?? ''));
  const own = amountPath(setAt(document, list, [named]), list, 0);
  return filled < 0 && own !== undefined ? setAt(named, own.slice(`${list}[0].`.length), 1) : named;
}

/** `chat` → `chat-2` → `chat-3`: the first unused name. */
export function freeName(names: readonly string[], like: string): string {
  const stem = like.replace(/-\d+$/, '') || 'new';
  let n = 2;
  while (names.includes(`${stem}-${n}`)) n += 1;
  return `${stem}-${n}`;
}
