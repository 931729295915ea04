// JSON values and paths into them, written as the diagnostics write them: `cluster.pools[0].replicas`.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export type PathStep = string | number;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parsePath(path: string): readonly PathStep[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map((m) => (m[2] === undefined ? (m[1] ?? '') : Number(m[2])));
}

export function joinPath(base: string, step: PathStep): string {
  if (typeof step === 'number') return `${base}[${step}]`;
  return base === '' ? step : `${base}.${step}`;
}

/** The value at `path`, or undefined if there is none. */
export function getAt(value: Json | undefined, path: string): Json | undefined {
  return parsePath(path).reduce<Json | undefined>((at, step) => child(at, step), value);
}

export function child(value: Json | undefined, step: PathStep): Json | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** A copy of `value` with `next` at `path`; parts off the path are shared. */
export function setAt(value: Json, path: string, next: Json): Json {
  return place(value, parsePath(path), next);
}

function place(value: Json | undefined, steps: readonly PathStep[], next: Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return next;
  if (typeof step === 'number') {
    const items = Array.isArray(value) ? [...value] : [];
    items[step] = place(items[step], rest, next);
    return items;
  }
  return { ...(isObject(value) ? value : {}), [step]: place(child(value, step), rest, next) };
}

export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => equal(x, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && equal(a[k], b[k]));
}
