// The fields of each section of the form, and values in words.
import { child, getAt, isObject, type Json, joinPath, parsePath, setAt } from '../../base/json.ts';
import { sentence } from '../../base/keyWords.ts';
import type { Field, Schema } from '../../base/schema.ts';
import { NBSP, plain } from '../../base/units.ts';
import type { Diagnostic } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type Edit, faultSaid, isWithin, routeSaid } from '../../state/edits/edits.ts';
import { isSplit } from '../../state/edits/roles.ts';

export type Section = {
  readonly title: string;
  readonly paths: readonly string[];
  /** Those of the paths whose fields are shown when asked for. */
  readonly further?: readonly string[];
};

/** What a workload has beside arrivals and lengths. */
const BESIDE: readonly string[] = [
  'workload.clients[*].name',
  'workload.clients[*].kind',
  'workload.clients[*].model',
  'workload.clients[*].rate_profile',
  'workload.clients[*].tenant',
  'workload.clients[*].slo_class',
  'workload.clients[*].priority',
  'workload.clients[*].concurrency',
  'workload.clients[*].prefix',
  'workload.clients[*].sessions',
  'workload.clients[*].conversation',
  'workload.clients[*].agent',
  'workload.clients[*].retention',
  'workload.clients[*].session_kv',
  'workload.clients[*].max_offload_tokens',
  'workload.requests',
  'workload.session_kv',
  'workload.timeout_s',
  'workload.client_retries',
  'workload.client_wait_s',
  'workload.client_retry_share',
];

/** What a pool has beside its size and its model. */
const OF_POOL: readonly string[] = [
  'cluster.pools[*].role',
  'cluster.pools[*].pp',
  'cluster.pools[*].pp_link_gb_per_s',
  'cluster.pools[*].dcp',
  'cluster.pools[*].expert_ranks',
  'cluster.pools[*].expert_ranks_lockstep',
  'cluster.pools[*].ranks',
  'cluster.pools[*].experts',
  'cluster.pools[*].architecture',
  'cluster.pools[*].hardware',
];

/** The sections, what is changed most first. `*` stands for every pool or client. The fields under a path come from the schema. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Routing',
    paths: [
      'cluster.routing',
      'cluster.disaggregation.prefill_routing',
      'cluster.snapshot_refresh_us',
      'cluster.kv_event_delay_us',
      'cluster.routing_latency_us',
    ],
  },
  {
    title: 'Fleet',
    paths: [
      'cluster.pools[*].replicas',
      'cluster.pools[*].model',
      'cluster.pools[*].gpu',
      'cluster.pools[*].tp',
      'cluster.pools[*].name',
      ...OF_POOL,
    ],
    further: OF_POOL,
  },
  {
    title: 'Split',
    paths: [
      'cluster.disaggregation.decider',
      'cluster.disaggregation.handoff',
      'cluster.disaggregation.first_token',
      'cluster.disaggregation.home_hits',
    ],
  },
  { title: 'Link', paths: ['cluster.disaggregation.transfer'] },
  {
    title: 'Workload',
    paths: [
      'workload.clients[*].arrivals',
      'workload.clients[*].prompt_tokens',
      'workload.clients[*].output_tokens',
      'workload.trace',
      ...BESIDE,
    ],
    further: BESIDE,
  },
  {
    title: 'Scheduling',
    paths: ['cluster.pools[*].engine', 'cluster.pools[*].latency', 'cluster.compat'],
  },
  {
    title: 'KV cache',
    paths: ['cluster.pools[*].kv', 'cluster.kv_stores', 'cluster.kv_source', 'cluster.kv_hint'],
  },
  { title: 'Admission', paths: ['cluster.admission', 'cluster.admission_latency_us'] },
  { title: 'Autoscaling', paths: ['cluster.pools[*].scaling'] },
  { title: 'Gateway queue', paths: ['cluster.flow_control'] },
  { title: 'Failures', paths: ['cluster.resilience', 'cluster.faults'] },
  { title: 'LoRA adapters', paths: ['cluster.pools[*].lora', 'workload.clients[*].adapters'] },
  { title: 'Objectives', paths: ['slo'] },
  { title: 'Run', paths: ['run'] },
  { title: 'Observation', paths: ['observe'] },
];

/** A field, with the choice or part that it is indented under, and its client or pool. */
export type PlacedField = Field & {
  readonly within: string;
  /** Whether it is shown when asked for. */
  readonly further?: boolean;
};

/** A trace that the scenario carries: data, not a setting. */
const CARRIED_ROWS = 'workload.trace.rows';

/** Long lists are edited as YAML: the form only shows their number of entries. */
const MOST_ITEMS = 20;

/** The pools or clients of a section, and '' for fields that belong to none. */
export function entriesOf(document: Json, section: Section): readonly string[] {
  return [...new Set(section.paths.flatMap((path) => expand(document, path).map((steps) => entryAt(steps) ?? '')))];
}

/** The fields of a section that belong to `entry`. */
export function fieldsIn(schema: Schema, document: Json, section: Section, entry: string): readonly PlacedField[] {
  const index = /\[(\d+)\]$/.exec(entry)?.[1];
  return section.paths.flatMap((path) => {
    if (path.includes('[*]') !== (entry !== '')) return [];
    const own = index === undefined ? path : path.replace('[*]', `[${index}]`);
    if (entry !== '' && !own.startsWith(entry)) return [];
    if (expand(document, path).length === 0) return [];
    const fields = schema.fields(document, parsePath(own)).filter(({ path }) => path !== CARRIED_ROWS);
    const [list] = fields;
    const items = getAt(document, own);
    const long = list?.input.kind === 'list' && Array.isArray(items) && items.length > MOST_ITEMS;
    const homes = path === 'cluster.routing' && isSplit(document);
    const named = homes ? fields.map((f, i) => (i === 0 ? { ...f, label: 'Homes' } : f)) : fields;
    const all = placed(long ? named.slice(0, 1) : named, document, entry);
    return section.further?.includes(path) ? all.map((field) => ({ ...field, further: true })) : all;
  });
}

function placed(fields: readonly Field[], document: Json, entry: string): readonly PlacedField[] {
  const above: string[] = [];
  return fields.map((field) => {
    above.length = field.depth;
    const parent = above.findLast((label) => label !== undefined && label !== '');
    above[field.depth] = field.label;
    const within = [parent, hasNeighbours(document, entry) ? entryTitle(document, entry) : undefined];
    return { ...field, within: within.filter((part) => part !== undefined).join(', ') };
  });
}

/** `cluster.pools[*].kv` for every pool; empty for an optional part that is missing. */
export function expand(document: Json, path: string): readonly (readonly (string | number)[])[] {
  // A trace replaces the clients.
  if (/^workload\.(clients|requests)/.test(path) && getAt(document, 'workload.trace')) return [];
  // Only pools with roles read it.
  if (path.startsWith('cluster.disaggregation') && !isSplit(document)) return [];
  const [list, rest] = path.split('[*]');
  if (rest === undefined)
    return path === 'workload.trace' && getAt(document, path) === undefined ? [] : [parsePath(path)];
  const items = getAt(document, list ?? '');
  const tail = parsePath(rest);
  return Array.isArray(items) ? items.map((_: Json, i) => [...parsePath(list ?? ''), i, ...tail]) : [];
}

function entryAt(steps: readonly (string | number)[]): string | undefined {
  const at = steps.findIndex((step) => typeof step === 'number');
  return at < 0 ? undefined : steps.slice(0, at + 1).reduce<string>(joinPath, '');
}

/** Fields of all sections that contain every word of `query` in name, unit, help, options, path or client name. */
export function search(schema: Schema, document: Json, query: string, most: number): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found: Found[] = [];
  for (const section of SECTIONS)
    for (const entry of entriesOf(document, section))
      for (const field of fieldsIn(schema, document, section, entry)) {
        if (found.length === most) return found;
        const options = field.input.kind === 'choice' ? field.input.options.map((o) => o.label) : [];
        const text = [section.title, field.label, field.within, field.unit, field.path, field.description, ...options];
        const all = text.join(' ').toLowerCase();
        if (words.every((word) => all.includes(word))) found.push({ section, field });
      }
  return found;
}

export type Found = { readonly section: Section; readonly field: PlacedField };

/** The pool or client of a path: `cluster.pools[1]` of `cluster.pools[1].kv.blocks`. */
export function entryOf(path: string): string | undefined {
  return /^(?:cluster\.pools|workload\.clients)\[\d+\]/.exec(path)?.[0];
}

export function placeOf(entry: string): { readonly list: string; readonly index: number } {
  const at = entry.lastIndexOf('[');
  return { list: entry.slice(0, at), index: Number(entry.slice(at + 1, -1)) };
}

export function entryName(document: Json, entry: string): string {
  return String(child(getAt(document, entry) ?? null, 'name') ?? placeOf(entry).index);
}

/** `client chat`, `pool main`. */
export function entryTitle(document: Json, entry: string): string {
  return `${entry.startsWith('cluster.pools') ? 'pool' : 'client'} ${entryName(document, entry)}`;
}

/** The number of entries of a list. */
export function lengthOf(document: Json, list: string): number {
  const items = getAt(document, list);
  return Array.isArray(items) ? items.length : 0;
}

/** Whether a section has several entries, so that each needs a heading. */
export function hasNeighbours(document: Json, entry: string): boolean {
  return entry !== '' && lengthOf(document, placeOf(entry).list) > 1;
}

/** The labels of the form on the way to a path: `Arrivals`, `Rate`. */
function labelsTo(schema: Schema, document: Json, path: string): readonly string[] {
  const steps = parsePath(path);
  const labels = steps.flatMap((_, i) => {
    const own = steps.slice(0, i + 1);
    const [field] = schema.fields(document, own);
    const named = field?.path === own.reduce<string>(joinPath, '') && field.label !== '';
    // A list is named where it is meant itself, and not on the way to what is in it.
    return named && (field.input.kind !== 'list' || i === steps.length - 1) ? [ofSection(field)] : [];
  });
  return labels.length === 0 ? [sentence(path.split('.').at(-1) ?? path)] : labels;
}

/** A label that several sections have gets the name of its section: `Routing policy`. */
function ofSection({ label, path }: Field): string {
  const section = label === 'Policy' ? SECTIONS.find(({ paths }) => paths.includes(path)) : undefined;
  return section ? `${section.title} ${label.toLowerCase()}` : label;
}

/** The name of a path in the words of the form: `client chat: Arrivals, Rate`. */
export function pathName(schema: Schema, document: Json, path: string): string {
  const label = labelsTo(schema, document, path).join(', ');
  const entry = entryOf(path);
  return entry === undefined ? label : `${entryTitle(document, entry)}: ${label}`;
}

/** The short form: `Rate`, or `chat: Rate` if there are several clients. */
export function shortName(schema: Schema, document: Json, path: string): string {
  const label = labelsTo(schema, document, path).at(-1) ?? path;
  const entry = entryOf(path);
  return entry !== undefined && hasNeighbours(document, entry) ? `${entryName(document, entry)}: ${label}` : label;
}

/** A custom model or GPU needs step times derived from it: those of the catalogue were measured on another. */
export function withOwn(
  app: Pick<App, 'document'>,
  path: string,
  next: Json,
): { path: string; value: Json } | undefined {
  const [, base, key] = /^(cluster\.pools\[\d+\])\.(architecture|hardware)$/.exec(path) ?? [];
  if (base === undefined || key === undefined || next === null) return undefined;
  const pool = getAt(app.document.inForce(), base);
  const latency = pool === undefined ? undefined : child(pool, 'latency');
  const calibrated = variantOf(app, `${base}.latency`, 'calibrated');
  if (pool === undefined || calibrated === undefined || latency !== 'catalogue') return undefined;
  return { path: base, value: setAt(setAt(pool, key, next), 'latency', calibrated) };
}

/** The first request of a list arrives after the playhead, because an edit cannot add earlier ones. */
export function fromNow(app: Pick<App, 'transport'>, path: string, items: Json): Json {
  const nowUs = app.transport.frame()?.now_us ?? 0;
  const last = Array.isArray(items) ? items.length - 1 : -1;
  const at = `[${last}].arrival_us`;
  if (path !== 'workload.requests' || Number(getAt(items, at) ?? nowUs) > nowUs) return items;
  return setAt(items, at, (Math.floor(nowUs / TENTH_US) + 1) * TENTH_US);
}

const TENTH_US = 100_000;

export const OWN_SPEEDS =
  'Step times now come from the calibrated model: the catalogue’s were measured on the model and GPU named above.';

/** The initial value of a variant of the choice at `path`. */
function variantOf(app: Pick<App, 'document'>, path: string, tag: string): Json | undefined {
  const [field] = app.document.schema.fields(app.document.inForce(), parsePath(path));
  return field?.input.kind === 'choice' ? field.input.options.find((o) => o.tag === tag)?.value : undefined;
}

export function problemOf(problems: ReadonlyMap<string, Diagnostic>, field: Field): Diagnostic | undefined {
  return problems.get(field.id) ?? problems.get(field.path);
}

export function message(d: Diagnostic, path = d.path): string {
  // A problem of another field names that field.
  const elsewhere = /^(cluster|workload|slo|run|observe)\b/.test(d.path) && !d.path.startsWith(path);
  return [
    `${elsewhere ? `${d.path}: found` : 'Found'} ${d.found}`,
    d.allowed === '' ? '' : `allowed: ${d.allowed}`,
    d.fix,
  ]
    .filter((s) => s !== '')
    .join('; ');
}

/** Default and range of a field, as in its help. */
export function rangeOf(field: Field): string {
  const { input, initial } = field;
  const unit = field.unit === '' ? '' : NBSP + field.unit;
  const parts: string[] = [];
  if (input.kind === 'number') {
    const of = (x: number | undefined): number | undefined => (x === undefined ? undefined : x / field.times);
    if (typeof initial === 'number') parts.push(`Default ${exact(initial / field.times)}${unit}.`);
    const [min, max] = [of(input.min), of(input.max)];
    if (min !== undefined && max !== undefined) parts.push(`From ${exact(min)} to ${exact(max)}${unit}.`);
    else if (min !== undefined) parts.push(`${exact(min)}${unit} or more.`);
    else if (max !== undefined) parts.push(`At most ${exact(max)}${unit}.`);
  } else if (input.kind === 'toggle') {
    if (typeof initial === 'boolean') parts.push(`Default ${initial ? 'on' : 'off'}.`);
  } else if (input.kind === 'choice') {
    const shown = choiceText(initial, field);
    if (shown !== '') parts.push(`Default ${shown}.`);
  } else if (input.kind === 'optional') parts.push('Default off.');
  return parts.join(' ');
}

/** The field of a path, if the form has one. */
export function fieldAt(schema: Schema, document: Json, path: string): Field | undefined {
  const [field] = schema.fields(document, parsePath(path));
  return field?.path === path ? field : undefined;
}

/** A value of the document in the unit of the form. */
export function inUnit(field: Pick<Field, 'times'>, value: Json | undefined): Json | undefined {
  return typeof value === 'number' && field.times !== 1 ? value / field.times : value;
}

/** The typed value in the unit of the document, rounded if the document has whole numbers. */
export function inDocument(field: Pick<Field, 'times' | 'input'>, typed: number): number {
  const value = Number((typed * field.times).toPrecision(15));
  const whole = field.times !== 1 && field.input.kind === 'number' && field.input.integer;
  return whole ? Math.round(value) : value;
}

function exact(x: number): string {
  return x.toLocaleString('en', { maximumFractionDigits: 9 }).replace('-', '−');
}

/** A value as its field shows it: numbers with separators, which typed ones may have too. */
export function typedText(value: Json | undefined): string {
  if (typeof value !== 'number') return plainText(value);
  const text = value.toLocaleString('en', { maximumFractionDigits: 9 });
  return Number(ungrouped(text)) === value ? text : String(value);
}

/** A typed number without separators. */
export function ungrouped(text: string): string {
  return text.trim().replace(/,(?=\d{3}(\D|$))/g, '');
}

export function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : String(value.length);
  if (typeof value === 'object') return sentence(Object.keys(value)[0] ?? '');
  return String(value);
}

/**
 * Whether the summary of a closed section shows the value. Zeros, empty texts and lists, and switches that are off are
 * left out.
 */
export function saysSomething(field: Field, value: Json | undefined): boolean {
  if (field.input.kind === 'toggle' || field.input.kind === 'optional' || field.input.kind === 'list') return false;
  return value !== undefined && value !== 0 && value !== '';
}

export function say(field: Field, stored: Json | undefined): string {
  const value = inUnit(field, stored);
  if (typeof value === 'boolean') return value ? field.label.toLowerCase() : `no ${field.label.toLowerCase()}`;
  const text = typeof value === 'number' ? plain(value) : choiceText(value, field);
  if (field.unit === '' && typeof value === 'number') return `${field.label.toLowerCase()} ${text}`;
  return field.unit === '' || typeof value !== 'number' ? text : text + NBSP + field.unit;
}

/** The chosen option, in the words of its field. */
export function choiceText(value: Json | undefined, field?: Field): string {
  const tag = isObject(value) ? Object.keys(value)[0] : value;
  const options = field?.input.kind === 'choice' ? field.input.options : [];
  const label = options.find((option) => option.tag === tag)?.label;
  return label ?? (typeof value === 'string' ? sentence(value) : plainText(value));
}

export function without(all: ReadonlyMap<string, Diagnostic>, path: string): ReadonlyMap<string, Diagnostic> {
  return new Map([...all].filter(([at]) => !isWithin(at.replace(/#$/, ''), path)));
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

/** The most frequent text, if it occurs more than once. */
export function commonest(all: readonly string[]): string | undefined {
  const often = (text: string): number => all.filter((other) => other === text).length;
  const [first] = all.filter((text) => text !== '' && often(text) > 1).toSorted((a, b) => often(b) - often(a));
  return first;
}

/** An edit on a flag: its first change, and the number of further ones. */
export function flagSaid(app: Pick<App, 'document'>, { set, add, route, fault }: Edit): string {
  const [first, ...more] = [
    ...Object.entries(set ?? {}).map(
      ([path, value]) =>
        `${shortName(app.document.schema, app.document.inForce(), path)} ${valueSaid(app, path, value)}`,
    ),
    ...Object.entries(add ?? {}).map(([list, entry]) => `${newSaid(list)} ${String(child(entry, 'name') ?? '')}`),
    ...(route === undefined ? [] : [(routeSaid({ route }) ?? []).join(' ')]),
    ...(fault === undefined ? [] : [(faultSaid({ fault }) ?? []).join(' ')]),
  ];
  return more.length > 0 ? `${first} +${more.length}` : (first ?? '');
}

/** The word for an entry added to a list of pools or clients. */
export function newSaid(list: string): string {
  return list === 'cluster.pools' ? 'New pool' : 'New client';
}

/** The value at a path in the form's words: a number with its unit, a policy by its name, a list by its length. */
export function valueSaid(app: Pick<App, 'document'>, path: string, stored: Json | undefined): string {
  const field = fieldAt(app.document.schema, app.document.inForce(), path);
  const value = field ? inUnit(field, stored) : stored;
  if (value === undefined) return 'default';
  if (value === null) return 'off';
  if (field?.input.kind === 'optional') return 'on';
  if (typeof value === 'number') {
    const text = value.toLocaleString('en', { maximumFractionDigits: 9 });
    return field && field.unit !== '' ? `${text}\u00a0${field.unit}` : text;
  }
  const text = field?.input.kind === 'choice' || typeof value !== 'string' ? choiceText(value, field) : value;
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
