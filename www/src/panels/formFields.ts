// What the rows of the form are made of: which fields each section has, and how a value is said in words.
import { child, getAt, type Json, parsePath, setAt } from '../base/json.ts';
import type { Field } from '../base/schema.ts';
import { sentence } from '../base/schema.ts';
import { NBSP } from '../base/units.ts';
import type { Diagnostic } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { isWithin } from '../state/edits.ts';

export type Section = { readonly title: string; readonly open: boolean; readonly paths: readonly string[] };

/** `*` stands for every pool or client. What lies under a path comes from the schema. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Fleet',
    open: true,
    paths: [
      'cluster.pools[*].model',
      'cluster.pools[*].gpu',
      'cluster.pools[*].tp',
      'cluster.pools[*].replicas',
      'cluster.pools[*].architecture',
      'cluster.pools[*].hardware',
    ],
  },
  { title: 'KV cache', open: true, paths: ['cluster.pools[*].kv'] },
  { title: 'Admission', open: true, paths: ['cluster.admission', 'cluster.admission_latency_us'] },
  {
    title: 'Routing',
    open: true,
    paths: ['cluster.routing', 'cluster.snapshot_refresh_us', 'cluster.routing_latency_us'],
  },
  {
    title: 'Scheduling',
    open: false,
    paths: ['cluster.pools[*].engine', 'cluster.pools[*].latency', 'cluster.compat'],
  },
  {
    title: 'Workload',
    open: true,
    paths: [
      'workload.clients[*].arrivals',
      'workload.clients[*].rate_profile',
      'workload.clients[*].tenant',
      'workload.clients[*].slo_class',
      'workload.clients[*].prompt_tokens',
      'workload.clients[*].output_tokens',
      'workload.clients[*].prefix',
      'workload.clients[*].sessions',
      'workload.clients[*].conversation',
      'workload.trace',
    ],
  },
  { title: 'Objectives', open: false, paths: ['slo'] },
  { title: 'Run', open: false, paths: ['run'] },
  { title: 'Observation', open: false, paths: ['observe'] },
];

export function fieldsOf(app: App, section: Section): readonly Field[] {
  const document = app.inForce();
  const all = section.paths.flatMap((path) => expand(document, path));
  // Everything about the first pool or client, then everything about the second: the sort keeps the order otherwise.
  const item = (steps: readonly (string | number)[]): number => Number(steps.find((s) => typeof s === 'number') ?? -1);
  const grouped = section.paths.every((path) => path.includes('[*]') || path === 'workload.trace');
  const ordered = grouped ? all.toSorted((a, b) => item(a) - item(b)) : all;
  return ordered.flatMap((steps) => app.schema.fields(document, steps));
}

/** `cluster.pools[*].kv` for every pool there is; nothing for an optional part that is not there. */
export function expand(document: Json, path: string): readonly (readonly (string | number)[])[] {
  // A trace replaces the clients.
  if (path.startsWith('workload.clients') && getAt(document, 'workload.trace')) return [];
  const [list, rest] = path.split('[*]');
  if (rest === undefined)
    return path === 'workload.trace' && getAt(document, path) === undefined ? [] : [parsePath(path)];
  const items = getAt(document, list ?? '');
  const tail = parsePath(rest);
  return Array.isArray(items) ? items.map((_: Json, i) => [...parsePath(list ?? ''), i, ...tail]) : [];
}

/** A model or GPU of one's own needs step times that are derived from it: the catalogue's were measured on another. */
export function withOwn(app: App, path: string, next: Json): { path: string; value: Json } | undefined {
  const [, base, key] = /^(cluster\.pools\[\d+\])\.(architecture|hardware)$/.exec(path) ?? [];
  if (base === undefined || key === undefined || next === null) return undefined;
  const pool = getAt(app.inForce(), base);
  const latency = pool === undefined ? undefined : child(pool, 'latency');
  const roofline = variantOf(app, `${base}.latency`, 'roofline');
  if (pool === undefined || roofline === undefined || (latency !== undefined && latency !== 'catalogue'))
    return undefined;
  return { path: base, value: setAt(setAt(pool, key, next), 'latency', roofline) };
}

export const OWN_SPEEDS =
  'Step times now come from the roofline model: the catalogue’s were measured on the model and GPU named above.';

/** What a variant of the choice at `path` starts with. */
function variantOf(app: App, path: string, tag: string): Json | undefined {
  const [field] = app.schema.fields(app.inForce(), parsePath(path));
  return field?.input.kind === 'choice' ? field.input.options.find((o) => o.tag === tag)?.value : undefined;
}

export function problemOf(problems: ReadonlyMap<string, Diagnostic>, field: Field): Diagnostic | undefined {
  return problems.get(field.id) ?? problems.get(field.path);
}

export function message(d: Diagnostic, path = d.path): string {
  // What another field of the document has against this one names that field.
  const elsewhere = /^(cluster|workload|slo|run|observe)\b/.test(d.path) && !d.path.startsWith(path);
  return [
    `${elsewhere ? `${d.path}: found` : 'Found'} ${d.found}`,
    d.allowed === '' ? '' : `allowed: ${d.allowed}`,
    d.fix,
  ]
    .filter((s) => s !== '')
    .join('; ');
}

/** Default and range of a field, as its help says them. */
export function rangeOf(field: Field): string {
  const { input, initial } = field;
  const unit = field.unit === '' ? '' : NBSP + field.unit;
  const parts: string[] = [];
  if (input.kind === 'number') {
    if (typeof initial === 'number') parts.push(`Default ${exact(initial)}${unit}.`);
    const { min, max } = input;
    if (min !== undefined && max !== undefined) parts.push(`From ${exact(min)} to ${exact(max)}${unit}.`);
    else if (min !== undefined) parts.push(`${exact(min)}${unit} or more.`);
    else if (max !== undefined) parts.push(`At most ${exact(max)}${unit}.`);
  } else if (input.kind === 'toggle') {
    if (typeof initial === 'boolean') parts.push(`Default ${initial ? 'on' : 'off'}.`);
  } else if (input.kind === 'choice') {
    const shown = choiceText(initial);
    if (shown !== '') parts.push(`Default ${shown}.`);
  } else if (input.kind === 'optional') parts.push('Default off.');
  return parts.join(' ');
}

function exact(x: number): string {
  return x.toLocaleString('en', { maximumFractionDigits: 9 }).replace('-', '−');
}

export function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : String(value.length);
  if (typeof value === 'object') return sentence(Object.keys(value)[0] ?? '');
  return String(value);
}

/** Whether a closed section's line needs it: a zero, an empty text or list, or an off switch says nothing. */
export function saysSomething(field: Field, value: Json | undefined): boolean {
  if (field.input.kind === 'toggle' || field.input.kind === 'optional' || field.input.kind === 'list') return false;
  return value !== undefined && value !== 0 && value !== '';
}

export function say(field: Field, value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? field.label.toLowerCase() : `no ${field.label.toLowerCase()}`;
  const text = typeof value === 'number' ? value.toLocaleString('en') : choiceText(value);
  if (field.unit === '' && typeof value === 'number') return `${field.label.toLowerCase()} ${text}`;
  return field.unit === '' || typeof value !== 'number' ? text : text + NBSP + field.unit;
}

export function choiceText(value: Json | undefined): string {
  return typeof value === 'string' ? sentence(value) : plainText(value);
}

export function without(all: ReadonlyMap<string, Diagnostic>, path: string): ReadonlyMap<string, Diagnostic> {
  return new Map([...all].filter(([at]) => !isWithin(at.replace(/#$/, ''), path)));
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}
