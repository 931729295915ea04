// From the scenario's JSON Schema to form fields. Nothing here knows a field by name except the tables of labels and
// first values below, so that a new policy or parameter appears in the form without a change to the page.
import { child, isObject, type Json, type JsonObject, joinPath, setAt } from './json.ts';

export type Input =
  | {
      readonly kind: 'number';
      readonly integer: boolean;
      readonly min: number | undefined;
      readonly max: number | undefined;
    }
  | { readonly kind: 'text' }
  | { readonly kind: 'toggle' }
  /** A part that may be left out: on with a first value, off. */
  | { readonly kind: 'optional'; readonly start: Json }
  /** A list of parts, each with fields of its own below. */
  | { readonly kind: 'list'; readonly start: Json; readonly word: string }
  | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly tag: string };

export type Option = {
  readonly tag: string;
  readonly label: string;
  readonly description: string;
  readonly value: Json;
};

export type Field = {
  /** Unique; the path, with a mark where a choice and its number share one. */
  readonly id: string;
  readonly path: string;
  readonly label: string;
  readonly unit: string;
  readonly description: string;
  readonly depth: number;
  readonly input: Input;
  readonly initial: Json | undefined;
  /** The path of the list's item that this is the first field of. */
  readonly item?: string;
};

const LABELS: Readonly<Record<string, string>> = {
  gpu: 'GPU',
  tp: 'Tensor parallel',
  max_num_seqs: 'Max sequences',
  max_num_batched_tokens: 'Token budget',
  long_prefill_threshold_tokens: 'Prefill chunk',
  block_tokens: 'Block size',
  prefix_caching: 'Prefix cache',
  snapshot_refresh_us: 'Signal refresh',
  admission_latency_us: 'Latency',
  routing_latency_us: 'Latency',
  routing: 'Policy',
  architecture: 'Own model',
  hardware: 'Own GPU',
  most_in_flight: 'Most in flight',
  refill_tokens_per_s: 'Refill',
  capacity_tokens: 'Capacity',
  requests_per_s: 'Rate',
  gpu_memory_utilization: 'Memory share',
  cpu_blocks: 'CPU blocks',
  cpu_tier: 'CPU tier',
  cpu_write: 'CPU writes',
  offload_threshold: 'Offload from',
  transfer_tokens_per_us: 'Transfer rate',
  transfer_base_us: 'Transfer, fixed',
  slo_class: 'SLO class',
  usd_per_hour: 'Price',
  bytes_per_param: 'Per weight',
  bytes_per_kv_value: 'Per KV value',
  kv_latent: 'KV latent',
  expert_intermediate: 'Expert width',
  kv_heads: 'KV heads',
  step_us_per_layer: 'Step/layer',
  all_reduce_us: 'All-reduce',
  step_us_per_decode_token_and_million_keys: 'Step/token, Mkeys',
  step_us_per_token_with_experts: 'Step/expert tok',
  step_us_with_tensor_parallelism: 'Step, with TP',
  prefill_efficiency: 'Prefill of peak',
  decode_efficiency: 'Decode of peak',
  bandwidth_efficiency: 'Memory of peak',
  full_load: 'Full load',
  prefill_tokens_per_s: 'Prefill rate',
  single_decode_tokens_per_s: 'Decode, alone',
  saturated_decode_tokens_per_s: 'Decode, full',
  saturation_batch: 'Full from',
  admission: 'Policy',
  latency: 'Step times',
  compat: 'Semantics',
  arrivals: 'Arrivals',
  rate_profile: 'Over time',
  max_context_tokens: 'Longest context',
  peak_to_trough: 'Peak to trough',
  day_s: 'Length of day',
  repeat_s: 'Repeats after',
  prompt_tokens: 'Prompt',
  output_tokens: 'Output',
  groups: 'Prefix groups',
  rate_per_s: 'Rate',
  cv: 'Variation (cv)',
  sigma: 'Spread (sigma)',
  sd_tokens: 'Spread (sd)',
  pareto_min_tokens: 'Pareto from',
  pareto_tail: 'Tail index',
  min_tokens: 'Fewest',
  max_tokens: 'Most',
  ttft_ms: 'TTFT',
  tpot_ms: 'TPOT',
  e2e_ms: 'E2E',
  horizon_s: 'Ends at',
  warmup_s: 'Warm-up',
  max_requests: 'Request cap',
  queueing_us_per_prompt_token: 'Queue/prompt tok',
  output_us_per_token: 'Output/token',
  step_us_per_prefill_token: 'Step/prefill tok',
  step_us_per_decode_token: 'Step/decode tok',
  queueing_us: 'Queueing',
  step_us: 'Step, fixed',
  hash_block_tokens: 'Hash block',
};

/** Labels that depend on the parent too. */
const LABELS_UNDER: Readonly<Record<string, string>> = {
  'prefix.tokens': 'Prefix length',
  'power-of-d.d': 'Replicas drawn',
  'cost-escalation.base': 'Per request',
  'cost-escalation.queue': 'Per waiting',
  'cost-escalation.kv': 'Cache full',
  'token-bucket.then': 'Over the limit',
  'rate-limit.then': 'Over the limit',
  'tenant-quota.then': 'Over the limit',
  'concurrency-limit.then': 'Over the limit',
};

/** First values of parameters that have no default, when another variant is chosen. */
const FIRST: Readonly<Record<string, Json>> = {
  rate_per_s: 8,
  cv: 2,
  sigma: 0.7,
  tokens: 400,
  mean_tokens: 400,
  median_tokens: 400,
  sd_tokens: 200,
  min_tokens: 1,
  max_tokens: 8192,
  weight: 1,
  pareto_share: 0.1,
  pareto_min_tokens: 4000,
  pareto_tail: 1.5,
  windows: [{ start_s: 30, end_s: 90 }],
  points: [
    { at_s: 0, factor: 1 },
    { at_s: 60, factor: 3 },
    { at_s: 120, factor: 1 },
  ],
  start_s: 60,
  end_s: 120,
  duration_s: 30,
  factor: 3,
  rounds: 6,
  mean_rounds: 5,
  max_rounds: 50,
  think_s: 10,
  mean_s: 10,
  median_s: 10,
  peak_hour: 14,
  peak_to_trough: 4,
  day_s: 240,
  repeat_s: 0,
  lengths: [
    { tokens: 200, weight: 3 },
    { tokens: 2000, weight: 1 },
  ],
};
/** Parameters that say the same thing in different variants: the value moves along. */
const MIDDLE = ['tokens', 'mean_tokens', 'median_tokens'];
/** Where a further item of a list lies in time: so many seconds after a field of the last one. */
const AFTER: Readonly<Record<string, readonly [string, number]>> = {
  at_s: ['at_s', 30],
  start_s: ['end_s', 30],
  end_s: ['end_s', 60],
};
const INTEGER_OPTION = 'number';
/** Marks a resolved node as one that may be null; no keyword of JSON Schema. */
const OPTIONAL = '?';

export class Schema {
  private readonly root: JsonObject;
  private readonly definitions: Json | undefined;

  constructor(root: JsonObject) {
    this.root = root;
    this.definitions = root.$defs;
  }

  /** The fields at and under `steps` of a document, in the order of the schema. */
  fields(document: Json, steps: readonly (string | number)[]): readonly Field[] {
    let node: JsonObject = this.root;
    let value: Json | undefined = document;
    let path = '';
    for (const step of steps) {
      const next: Json | undefined = typeof step === 'number' ? node.items : child(node.properties, step);
      if (!isObject(next)) return [];
      node = this.resolve(next);
      value = child(value, step);
      path = joinPath(path, step);
    }
    const into: Field[] = [];
    this.walk(node, value, path, 0, into);
    return into;
  }

  private resolve(node: JsonObject): JsonObject {
    const name = typeof node.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined;
    const target = name === undefined ? undefined : child(this.definitions, name);
    if (isObject(target)) {
      const { $ref: _, ...own } = node;
      return { ...this.resolve(target), ...own };
    }
    // Generators write a reference with a default or a description of its own as a list of one.
    const all = node.allOf;
    if (Array.isArray(all) && all.length === 1 && isObject(all[0])) {
      const { allOf: _, ...own } = node;
      return { ...this.resolve(all[0]), ...own };
    }
    const any = node.anyOf;
    const some = Array.isArray(any) ? any.find((n: Json) => isObject(n) && n.type !== 'null') : undefined;
    // An optional value is "this or null".
    return isObject(some) ? { ...this.resolve(some), ...described(node), default: null, [OPTIONAL]: true } : node;
  }

  private walk(node: JsonObject, value: Json | undefined, path: string, depth: number, into: Field[]): void {
    if (node[OPTIONAL] === true && isObject(node.properties)) {
      const start = this.startOf(node);
      into.push({ ...frame(node, path, depth), id: path, input: { kind: 'optional', start } });
      if (value === undefined || value === null) return;
      const { [OPTIONAL]: _, ...there } = node;
      this.walk(there, value, path, depth + 1, into);
      return;
    }
    if (isObject(node.properties)) {
      for (const [key, raw] of Object.entries(node.properties)) {
        if (!isObject(raw)) continue;
        const next = this.resolve(raw);
        // What a document leaves out has its default.
        const shown = child(value, key) ?? next.default;
        if ((shown !== undefined && shown !== null) || isObject(next.properties) || isObject(next.items))
          this.walk(next, shown, joinPath(path, key), depth, into);
      }
      return;
    }
    if (isObject(node.items)) {
      const items = this.resolve(node.items);
      const word = sentence(keyOf(path))
        .replace(/(ss)?e?s$/, '$1')
        .toLowerCase();
      into.push({
        ...frame(node, path, depth),
        id: path,
        input: { kind: 'list', start: this.unused(items, value), word },
        initial: [],
      });
      if (!Array.isArray(value)) return;
      value.forEach((item: Json, i) => {
        const own: Field[] = [];
        this.walk(items, item, joinPath(path, i), depth + 1, own);
        into.push(...own.map((f, k) => (k === 0 ? { ...f, item: joinPath(path, i) } : f)));
      });
      return;
    }
    if (Array.isArray(node.oneOf)) this.choice(node, node.oneOf, value, path, depth, into);
    else into.push({ ...frame(node, path, depth), id: path, input: plainInput(node) });
  }

  private choice(
    node: JsonObject,
    variants: readonly Json[],
    value: Json | undefined,
    path: string,
    depth: number,
    into: Field[],
  ): void {
    const all = variants.filter(isObject).map((variant) => ({ variant, tag: tagOf(variant) }));
    const current = all.find(({ variant, tag }) => holds(variant, tag, value));
    const options = all.map(({ variant, tag }) => ({
      tag,
      label: tag === INTEGER_OPTION ? 'Set' : sentence(tag),
      description: typeof variant.description === 'string' ? variant.description : '',
      value: this.first(variant, tag, value),
    }));
    into.push({ ...frame(node, path, depth), id: path, input: { kind: 'choice', options, tag: current?.tag ?? '' } });
    if (!current) return;
    if (current.tag === INTEGER_OPTION) {
      into.push({
        ...frame(current.variant, path, depth + 1),
        id: `${path}#`,
        label: 'Number',
        input: plainInput(current.variant),
      });
    }
    const body = child(current.variant.properties, current.tag);
    if (isObject(body))
      this.walk(this.resolve(body), child(value, current.tag), joinPath(path, current.tag), depth + 1, into);
  }

  /** What a variant starts with when it is chosen. */
  private first(variant: JsonObject, tag: string, value: Json | undefined): Json {
    const body = child(variant.properties, tag);
    if (!isObject(body)) return tag === INTEGER_OPTION ? (variant.default ?? 4096) : tag;
    const node = this.resolve(body);
    if (!isObject(node.properties)) return { [tag]: this.start(node, tag, {}) };
    const from = isObject(value) ? (Object.values(value)[0] ?? {}) : {};
    const known = isObject(from) ? from : {};
    const entries = Object.entries(node.properties).map(([key, raw]): [string, Json] => [
      key,
      this.start(isObject(raw) ? this.resolve(raw) : {}, key, known),
    ]);
    return { [tag]: Object.fromEntries(entries) };
  }

  private start(node: JsonObject, key: string, known: JsonObject): Json {
    const middle = MIDDLE.includes(key) ? MIDDLE.map((k) => known[k]).find((v) => v !== undefined) : undefined;
    const value = known[key] ?? middle ?? node.default ?? FIRST[key] ?? this.startOf(node);
    return node.type === 'integer' && typeof value === 'number' ? Math.round(value) : value;
  }

  /** A first item that does not repeat what the list has: of each choice the first word not taken, and a later time. */
  private unused(items: JsonObject, list: Json | undefined): Json {
    let start = this.startOf(items);
    if (!isObject(items.properties) || !Array.isArray(list)) return start;
    for (const [key, raw] of Object.entries(items.properties)) {
      const variants = isObject(raw) ? this.resolve(raw).oneOf : undefined;
      if (!Array.isArray(variants)) continue;
      const words = variants.filter(isObject).map((v) => v.const);
      const free = words.find((word) => word !== undefined && !list.some((item: Json) => child(item, key) === word));
      if (free !== undefined) start = setAt(start, key, free);
    }
    const last = list.at(-1);
    for (const [key, [from, seconds]] of Object.entries(AFTER)) {
      const then = child(last, from);
      if (Object.hasOwn(items.properties, key) && typeof then === 'number') start = setAt(start, key, then + seconds);
    }
    return start;
  }

  /** The smallest value of its shape: defaults where there are some. */
  private startOf(raw: JsonObject): Json {
    const node = this.resolve(raw);
    if (node.default !== undefined && node.default !== null) return node.default;
    if (isObject(node.properties)) {
      const entries = Object.entries(node.properties).flatMap(([key, next]): [string, Json][] => {
        if (!isObject(next)) return [];
        const there = this.resolve(next);
        return there[OPTIONAL] === true ? [] : [[key, there.default ?? FIRST[key] ?? this.startOf(there)]];
      });
      return Object.fromEntries(entries);
    }
    if (Array.isArray(node.oneOf)) {
      const first = node.oneOf.find(isObject);
      return first ? this.first(first, tagOf(first), undefined) : '';
    }
    if (isObject(node.items)) return [];
    if (node.type === 'boolean') return false;
    if (node.type === 'string') return '';
    return node.minimum ?? 1;
  }
}

function keyOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(']')) + 1);
}

function described(node: JsonObject): JsonObject {
  return typeof node.description === 'string' ? { description: node.description } : {};
}

function frame(node: JsonObject, path: string, depth: number): Omit<Field, 'id' | 'input'> {
  const key = keyOf(path);
  const parent = path.split('.').slice(-2).join('.');
  return {
    path,
    label:
      LABELS_UNDER[parent] ??
      LABELS[key] ??
      sentence(key.replace(/_(tb_per_s|per_s|per_hour|us|ms|s|gib|tokens|blocks)$/, '')),
    unit: unitOf(key),
    description: typeof node.description === 'string' ? node.description : '',
    depth,
    initial: node.default,
  };
}

const WIDTHS: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

function plainInput(node: JsonObject): Input {
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  if (type === 'boolean') return { kind: 'toggle' };
  if (type !== 'integer' && type !== 'number') return { kind: 'text' };
  const bound = (x: Json | undefined): number | undefined => (typeof x === 'number' ? x : undefined);
  // Where no limit is written, the number's own width is one.
  const width = WIDTHS[String(node.format)];
  return {
    kind: 'number',
    integer: type === 'integer',
    min: bound(node.minimum) ?? width?.[0],
    max: bound(node.maximum) ?? width?.[1],
  };
}

function tagOf(variant: JsonObject): string {
  if (typeof variant.const === 'string') return variant.const;
  if (isObject(variant.properties)) return Object.keys(variant.properties)[0] ?? '';
  return INTEGER_OPTION;
}

function holds(variant: JsonObject, tag: string, value: Json | undefined): boolean {
  if (typeof value === 'string') return value === variant.const;
  if (typeof value === 'number') return tag === INTEGER_OPTION;
  return isObject(value) && variant.const === undefined && Object.hasOwn(value, tag);
}

/** What is counted, where the key does not end in it. */
const COUNTED: Readonly<Record<string, string>> = {
  burst: 'req',
  most_in_flight: 'req',
  full_load: 'req',
  saturation_batch: 'req',
  most_sessions: 'sessions',
  d: 'replicas',
  peak_hour: 'h',
};

function unitOf(key: string): string {
  const counted = COUNTED[key];
  if (counted !== undefined) return counted;
  if (key.endsWith('tokens_per_s')) return 'tok/s';
  if (key.endsWith('tokens_per_us')) return 'tok/µs';
  if (key.endsWith('tb_per_s')) return 'TB/s';
  if (key === 'tflops') return 'TFLOP/s';
  if (key.endsWith('_gib')) return 'GiB';
  if (key === 'usd_per_hour') return '$/h';
  if (key.startsWith('bytes_per_')) return 'bytes';
  if (/^(rate|requests)_per_s$/.test(key)) return 'req/s';
  if (key.endsWith('_per_s')) return '/s';
  if (/_us(_|$)/.test(key)) return 'µs';
  if (key.endsWith('_ms')) return 'ms';
  if (key.endsWith('_s')) return 's';
  if (key === 'tokens' || key.endsWith('_tokens')) return 'tokens';
  if (key === 'blocks' || key.endsWith('_blocks')) return 'blocks';
  return '';
}

const SHORT_WORDS = /\b(fcfs|sjf|slo|kv|gpu|cpu|lru|ttft|tpot|e2e|itl|blis)\b/g;
/** A name that is written small wherever it stands. */
const SMALL_NAME = /\bllm d\b/;

/** `least-loaded` → `Least loaded`, `priority-fcfs` → `Priority FCFS`. */
export function sentence(key: string): string {
  const words = key.replace(/[-_]/g, ' ').replace(SHORT_WORDS, (w) => w.toUpperCase());
  if (SMALL_NAME.test(words)) return words.replace(SMALL_NAME, 'llm-d');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
