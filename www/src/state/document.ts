// The scenario document as the page sees it: what differs, what can be changed while the run goes on, what is in force.
import { child, equal, getAt, isObject, type Json, type JsonObject, joinPath, parsePath, setAt } from '../base/json.ts';

export type Change = { readonly path: string; readonly from: Json | undefined; readonly to: Json | undefined };

/** An edit of the document's list, with where it acts. */
export type PlacedEdit = { readonly atUs: number; readonly path: string; readonly value: Json };

/** The fields whose change is an edit of the running simulation, and how such an edit is written. */
const LIVE: readonly { readonly pattern: RegExp; readonly edit: (value: Json, index: number) => Json | undefined }[] = [
  {
    pattern: /^workload\.clients\[(\d+)\]\.arrivals\.[a-z-]+\.rate_per_s$/,
    edit: (value, client) =>
      typeof value === 'number' ? { 'arrival-rate': { client, rate_per_s: value } } : undefined,
  },
  { pattern: /^cluster\.routing$/, edit: (value) => ({ routing: value }) },
  { pattern: /^cluster\.admission$/, edit: (value) => ({ admission: value }) },
  {
    pattern: /^cluster\.pools\[(\d+)\]\.replicas$/,
    edit: (value, pool) => ({ replicas: { pool, replicas: value } }),
  },
  {
    pattern: /^cluster\.pools\[(\d+)\]\.engine\.max_num_seqs$/,
    edit: (value, pool) => (typeof value === 'number' ? { 'max-num-seqs': { pool, max_num_seqs: value } } : undefined),
  },
  {
    pattern: /^cluster\.pools\[(\d+)\]\.engine\.max_num_batched_tokens$/,
    edit: (value, pool) =>
      typeof value === 'number' ? { 'max-num-batched-tokens': { pool, max_num_batched_tokens: value } } : undefined,
  },
  {
    pattern: /^cluster\.pools\[(\d+)\]\.kv\.blocks$/,
    edit: (value, pool) => (typeof value === 'number' ? { 'kv-blocks': { pool, blocks: value } } : undefined),
  },
  {
    pattern: /^cluster\.snapshot_refresh_us$/,
    edit: (value) => ({ 'snapshot-refresh': { snapshot_refresh_us: value } }),
  },
];

/**
 * The edit that sets the field at `path` in the running simulation; undefined where the run has to start again.
 * A policy is set as a whole, so a parameter of one needs the document it is part of.
 */
export function editFor(path: string, value: Json, document?: Json): Json | undefined {
  const [policy, name] = /^cluster\.(routing|admission)(?=[.[])/.exec(path) ?? [];
  if (policy && name && document !== undefined) return { [name]: getAt(setAt(document, path, value), policy) ?? null };
  for (const { pattern, edit } of LIVE) {
    const match = pattern.exec(path);
    if (match) return edit(value, Number(match[1] ?? 0));
  }
  return undefined;
}

/** Where an edit of the document acts, and what it sets. */
export function editTarget(document: Json, change: Json): { path: string; value: Json } | undefined {
  if (!isObject(change)) return undefined;
  const [tag = ''] = Object.keys(change);
  const body = change[tag];
  if (body === undefined) return undefined;
  const pool = Number(child(body, 'pool') ?? 0);
  switch (tag) {
    case 'arrival-rate': {
      const client = Number(child(body, 'client') ?? 0);
      const base = `workload.clients[${client}].arrivals`;
      const arrivals = getAt(document, base);
      const kind = isObject(arrivals) ? Object.keys(arrivals)[0] : undefined;
      return kind === undefined ? undefined : found(`${base}.${kind}.rate_per_s`, child(body, 'rate_per_s'));
    }
    case 'routing':
    case 'admission':
      return found(`cluster.${tag}`, body);
    case 'replicas':
      return found(`cluster.pools[${pool}].replicas`, child(body, 'replicas'));
    case 'max-num-seqs':
      return found(`cluster.pools[${pool}].engine.max_num_seqs`, child(body, 'max_num_seqs'));
    case 'max-num-batched-tokens':
      return found(`cluster.pools[${pool}].engine.max_num_batched_tokens`, child(body, 'max_num_batched_tokens'));
    case 'kv-blocks':
      return found(`cluster.pools[${pool}].kv.blocks`, child(body, 'blocks'));
    case 'snapshot-refresh':
      return found('cluster.snapshot_refresh_us', child(body, 'snapshot_refresh_us'));
    default:
      return undefined;
  }
}

function found(path: string, value: Json | undefined): { path: string; value: Json } | undefined {
  return value === undefined ? undefined : { path, value };
}

/** The document's edits in order, each with the field it sets. */
export function placedEdits(document: Json): readonly PlacedEdit[] {
  const edits = child(document, 'edits');
  if (!Array.isArray(edits)) return [];
  return edits.flatMap((timed: Json) => {
    const change = child(timed, 'change');
    const target = change === undefined ? undefined : editTarget(document, change);
    return target ? [{ atUs: Number(child(timed, 'at_us') ?? 0), ...target }] : [];
  });
}

/** The document as it is in force at an instant: the edits up to then applied. */
export function effective(document: Json, nowUs: number): Json {
  return placedEdits(document)
    .filter((edit) => edit.atUs <= nowUs)
    .reduce((at, edit) => setAt(at, edit.path, edit.value), document);
}

/** The fields in which two documents differ, their edits left aside. A tagged value that changed its tag is one change. */
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
  if (isObject(from) && isObject(to) && sameShape(from, to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compare(from[key], to[key], joinPath(path, key), into);
    }
    return;
  }
  into.push({ path, from, to });
}

function sameShape(a: JsonObject, b: JsonObject): boolean {
  const [first] = Object.keys(a);
  const tagged = Object.keys(a).length === 1 && Object.keys(b).length === 1;
  return !tagged || (first !== undefined && Object.hasOwn(b, first));
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

/** Puts `value` at `path`; undefined takes the key away, so that the default holds. */
export function withValue(document: Json, path: string, value: Json | undefined): Json {
  if (value !== undefined) return setAt(document, path, value);
  const steps = parsePath(path);
  const last = steps.at(-1);
  const parentPath = steps.slice(0, -1).reduce<string>(joinPath, '');
  const parent = parentPath === '' ? document : getAt(document, parentPath);
  if (!isObject(parent) || typeof last !== 'string') return document;
  const { [last]: _, ...rest } = parent;
  return parentPath === '' ? rest : setAt(document, parentPath, rest);
}

/** The scenario that replays a trace: everything as it is, the traffic from the file, until its last request is done. */
export function onTrace(document: Json, fileName: string): Json {
  const named = setAt(
    setAt(document, 'workload.trace', { file: fileName, speed: 1, hash_block_tokens: 0 }),
    'title',
    fileName,
  );
  return setAt(setAt(setAt(named, 'run.horizon_s', 0), 'run.warmup_s', 0), 'edits', []);
}
