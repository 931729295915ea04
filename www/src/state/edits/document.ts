// Changes of the whole scenario document: a restored value, or traffic replaced by that of a file.

import { getAt, isObject, type Json, joinPath, parsePath, setAt } from '../../base/json.ts';
import type { TraceChanges } from '../../sim/traceTypes.ts';

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
export function onTrace(document: Json, fileName: string, changes: TraceChanges = {}): Json {
  const values: readonly (readonly [path: string, value: Json])[] = [
    ['workload.trace', { file: fileName, speed: 1, hash_block_tokens: 0, ...changes }],
    ['title', fileName],
    // The note is about the former traffic.
    ['note', ''],
    ['run.horizon_s', 0],
    ['run.warmup_s', 0],
    ['edits', []],
  ];
  return values.reduce((next, [path, value]) => setAt(next, path, value), document);
}
