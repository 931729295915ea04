// From the scenario's JSON Schema to form fields. No field is known by name here: label, unit, first value and effect
// of an edit come from the schema, and the schema from the Rust types, so a new policy or parameter appears in the form
// without a change to the page.
import { describedNode } from './describedNode.ts';
import {
  child,
  getAt,
  isObject,
  type Json,
  type JsonObject,
  joinPath,
  type PathStep,
  parsePath,
  setAt,
} from './json.ts';
import { sentence } from './keyWords.ts';

export type Input =
  | {
      readonly kind: 'number';
      readonly integer: boolean;
      readonly min: number | undefined;
      readonly max: number | undefined;
    }
  | { readonly kind: 'text' }
  /** A text in the language of expressions. */
  | { readonly kind: 'expression' }
  | { readonly kind: 'toggle' }
  /** An optional part: off, or on with a first value. */
  | { readonly kind: 'optional'; readonly start: Json }
  /** A list of parts, each with its own fields below. */
  | { readonly kind: 'list'; readonly start: Json; readonly word: string }
  | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly tag: string };

export type Option = {
  readonly tag: string;
  readonly label: string;
  /** The heading above it in a long list. */
  readonly group: string;
  readonly description: string;
  readonly value: Json;
};

/** The effect of an edit of a field. */
export type EditKind = 'live' | 'replace' | 'restart' | 'none';

export type Field = {
  /** Unique; the path, with a mark if a choice and its number share one. */
  readonly id: string;
  readonly path: string;
  readonly label: string;
  /** The unit that the form shows and takes. */
  readonly unit: string;
  /** The number of the document's units in one shown unit. */
  readonly times: number;
  readonly description: string;
  readonly depth: number;
  readonly input: Input;
  readonly initial: Json | undefined;
  /** The effect of an edit: the run continues, the pool's replicas are replaced, the run restarts, or none. */
  readonly edit: EditKind;
  /** The effect in a sentence. */
  readonly effect: string;
  /** The path of the list item whose first field this is. */
  readonly item?: string;
  /** The list item that is one row with this number, and the word of the choice that names it. */
  readonly row?: { readonly item: string; readonly tag: string };
  /** The list item among whose details it is: its row opens them. */
  readonly detail?: string;
  /** Shown when asked, or where it is not the default. */
  readonly rare?: boolean;
};

/** The first value for the length of a text, in tokens. */
const FIRST_TOKENS = 100;
const INTEGER_OPTION = 'number';
/** Marks a resolved node as one that may be null; no keyword of JSON Schema. */
const OPTIONAL = '?';
/** Prefix of roles, as values are kept by name and by role; no field name begins with it. */
const ROLE = '=';

export class Schema {
  private readonly root: JsonObject;
  private readonly definitions: Json | undefined;

  constructor(root: JsonObject) {
    this.root = root;
    this.definitions = root.$defs;
  }

  /** The same schema with its descriptions, where it has their numbers: the page loads them once it runs. Until then they are empty. */
  described(words: readonly string[]): Schema {
    return new Schema(describedNode(this.root, words));
  }

  /** The fields at and under `steps` of a document, in the order of the schema. */
  fields(document: Json, steps: readonly PathStep[]): readonly Field[] {
    const node = this.at(steps);
    if (!node) return [];
    // Values missing in a document have their defaults.
    const value = steps.reduce<Json | undefined>(child, document) ?? node.default;
    const into: Field[] = [];
    this.walk(node, value, steps.reduce(joinPath, ''), 0, into);
    return this.named(document, steps, into);
  }

  /** The number of a row has the name of its row. */
  private named(document: Json, steps: readonly PathStep[], fields: readonly Field[]): readonly Field[] {
    const by = this.at(steps)?.['x-row-of'];
    if (typeof by !== 'string') return fields;
    const beside = [...steps.slice(0, -1), by];
    const choice: Field[] = [];
    const node = this.at(beside);
    if (node) this.walk(node, this.valueAt(document, beside.reduce(joinPath, '')), '', 0, choice);
    const input = choice[0]?.input;
    const name = input?.kind === 'choice' ? input.options.find((o) => o.tag === input.tag)?.label : undefined;
    return name === undefined ? fields : fields.map((field) => ({ ...field, label: name }));
  }

  /** The schema's value at `path` under `key`, such as `x-max-bytes`. */
  said(path: string, key: string): Json | undefined {
    return this.at(parsePath(path))?.[key];
  }

  /** The value at `path`, where the entries that a choice stands for count as written. */
  valueAt(document: Json, path: string): Json | undefined {
    const steps = parsePath(path);
    return steps.reduce<Json | undefined>((value, step, i) => {
      const meant = typeof step === 'string' ? this.meant(this.at(steps.slice(0, i)), value, step) : undefined;
      return meant ?? child(value, step);
    }, document);
  }

  /** The entries of the list `key` that a choice beside it stands for (`x-stands-for`). */
  private meant(node: JsonObject | undefined, holder: Json | undefined, key: string): Json | undefined {
    if (!isObject(node?.properties)) return undefined;
    for (const [choice, raw] of Object.entries(node.properties)) {
      const stands = child(child(raw, 'x-stands-for'), key);
      const own = child(holder, key);
      if (stands === undefined) continue;
      // Entries alone make the choice that has entries of its own.
      const chosen = child(holder, choice) ?? (Array.isArray(own) && own.length > 0 ? '' : child(raw, 'default'));
      return typeof chosen === 'string' ? child(stands, chosen) : undefined;
    }
    return undefined;
  }

  /** The effect of an edit of `path`, from the innermost field on the way to it. */
  editKind(path: string): EditKind {
    const steps = parsePath(path);
    for (let length = steps.length; length > 0; length -= 1) {
      const kind = EDITS.find((edit) => edit === this.at(steps.slice(0, length))?.['x-edit']);
      if (kind) return kind;
    }
    return 'restart';
  }

  /**
   * The new parent object if a change of `path` to `next` also changes its neighbours (`x-with`). A choice adds the
   * parts that it needs by the schema; a first entry in a list needed by such a choice makes that choice.
   */
  together(document: Json, path: string, next: Json): { readonly path: string; readonly value: Json } | undefined {
    const steps = parsePath(path);
    // An entry that a choice stands for is changed with the whole list, which then is of its own.
    const at = steps.findIndex((step, i) => {
      const [list, holder] = [steps[i - 1], steps.slice(0, Math.max(0, i - 1))];
      if (typeof step !== 'number' || typeof list !== 'string') return false;
      return this.meant(this.at(holder), getAt(document, holder.reduce(joinPath, '')), list) !== undefined;
    });
    if (at > 0) {
      const list = steps.slice(0, at).reduce(joinPath, '');
      const entries = this.valueAt(document, list) ?? [];
      return this.together(document, list, setAt(entries, steps.slice(at).reduce(joinPath, ''), next));
    }
    const key = String(steps.at(-1));
    const base = steps.slice(0, -1).reduce(joinPath, '');
    const properties = this.at(steps.slice(0, -1))?.properties;
    const holder = getAt(document, base);
    if (!isObject(properties) || holder === undefined) return undefined;
    for (const [choice, raw] of Object.entries(properties)) {
      const options = isObject(raw) ? raw['x-with'] : undefined;
      if (!isObject(options)) continue;
      for (const [option, needs] of Object.entries(options)) {
        for (const [list, first] of Object.entries(isObject(needs) ? needs : {})) {
          const there = child(holder, list);
          const kept = Array.isArray(there) && there.length > 0 ? there : undefined;
          const meant = this.meant(this.at(steps.slice(0, -1)), holder, list);
          if (key === choice) {
            const entries = next === option ? (kept ?? meant ?? first) : [];
            return { path: base, value: setAt(setAt(holder, choice, next), list, entries) };
          }
          if (key !== list) continue;
          const entries = child(holder, choice) === option || kept || meant ? next : first;
          return { path: base, value: setAt(setAt(holder, list, entries), choice, option) };
        }
      }
    }
    return undefined;
  }

  /** The type at `steps`, resolved. */
  at(steps: readonly PathStep[]): JsonObject | undefined {
    let node: JsonObject = this.root;
    for (const step of steps) {
      const next: Json | undefined = typeof step === 'number' ? node.items : below(node, step);
      if (!isObject(next)) return undefined;
      node = this.resolve(next);
    }
    return node;
  }

  /** A type with what it refers to. */
  resolve(node: JsonObject): JsonObject {
    const name = typeof node.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined;
    const target = name === undefined ? undefined : child(this.definitions, name);
    if (isObject(target)) {
      const { $ref: _, ...own } = node;
      return { ...this.resolve(target), ...own };
    }
    // Generators write a reference with its own default or description as a list of one.
    const all = node.allOf;
    if (Array.isArray(all) && all.length === 1 && isObject(all[0])) {
      const { allOf: _, ...own } = node;
      return { ...this.resolve(all[0]), ...own };
    }
    const any = node.anyOf;
    const some = Array.isArray(any) ? any.find((n: Json) => isObject(n) && n.type !== 'null') : undefined;
    // An optional value is "this or null".
    if (!isObject(some)) return node;
    const { anyOf: _, ...own } = node;
    return { ...this.resolve(some), ...own, default: null, [OPTIONAL]: true };
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
        // Values missing in a document have their defaults.
        const shown = this.meant(node, value, key) ?? child(value, key) ?? next.default;
        const from = into.length;
        if ((shown !== undefined && shown !== null) || isObject(next.properties) || isObject(next.items))
          this.walk(next, shown, joinPath(path, key), depth, into);
        if (next['x-rare'] === true) into.push(...into.splice(from).map((field) => ({ ...field, rare: true })));
      }
      return;
    }
    if (isObject(node.items)) {
      const items = this.resolve(node.items);
      const word = text(node['x-entry']);
      into.push({
        ...frame(node, path, depth),
        id: path,
        input: { kind: 'list', start: this.unused(items, value), word },
        initial: [],
      });
      if (!Array.isArray(value)) return;
      value.forEach((item: Json, i) => {
        const own: Field[] = [];
        const at = joinPath(path, i);
        this.walk(items, item, at, depth + 1, own);
        // A choice as an entry is called by its place.
        const [first] = own;
        if (first?.label === '')
          own[0] = {
            ...first,
            label: `${sentence(word)} ${i + 1}`,
            description: first.description || text(node.description),
            ...(first.effect === '' ? effectOf(node) : {}),
          };
        into.push(...asRow(items, at, own));
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
    const known = this.known(current?.variant, current?.tag, value);
    const options: Option[] = all.map(({ variant, tag }) => ({
      tag,
      label: tag === INTEGER_OPTION ? 'Set' : text(variant['x-label']) || sentence(tag),
      group: text(variant['x-group']),
      description: text(variant.description),
      value: tag === INTEGER_OPTION ? (node['x-first'] ?? 1) : this.first(variant, tag, known),
    }));
    // An optional choice with a name for its absence can be left out.
    const label = text(node['x-none']);
    if (label !== '')
      options.unshift({ tag: '', label, group: '', description: text(node['x-none-help']), value: null });
    into.push({ ...frame(node, path, depth), id: path, input: { kind: 'choice', options, tag: current?.tag ?? '' } });
    if (!current) return;
    if (current.tag === INTEGER_OPTION) {
      into.push({
        ...frame({ ...node, ...current.variant }, path, depth + 1),
        id: `${path}#`,
        label: 'Number',
        input: plainInput(current.variant),
      });
    }
    const body = child(current.variant.properties, current.tag);
    if (isObject(body))
      this.walk(this.resolve(body), child(value, current.tag), joinPath(path, current.tag), depth + 1, into);
  }

  /** The values of a variant that another one may take over, by name and by role. */
  private known(variant: JsonObject | undefined, tag: string | undefined, value: Json | undefined): JsonObject {
    const body = tag === undefined ? undefined : child(variant?.properties, tag);
    const values = tag === undefined ? undefined : child(value, tag);
    if (!isObject(body) || !isObject(values)) return {};
    const properties = this.resolve(body).properties;
    const roles = Object.entries(isObject(properties) ? properties : {}).flatMap(([key, raw]): [string, Json][] => {
      const role = child(raw, 'x-role');
      const there = values[key];
      return typeof role === 'string' && there !== undefined ? [[ROLE + role, there]] : [];
    });
    return { ...values, ...Object.fromEntries(roles) };
  }

  /** The initial value of a chosen variant, with values taken over from `known`. */
  private first(variant: JsonObject, tag: string, known: JsonObject): Json {
    const body = child(variant.properties, tag);
    if (!isObject(body)) return tag;
    const node = this.resolve(body);
    if (!isObject(node.properties)) return { [tag]: node.default ?? this.startOf(node) };
    const entries = Object.entries(node.properties).map(([key, raw]): [string, Json] => {
      const there = isObject(raw) ? this.resolve(raw) : {};
      const role = there['x-role'];
      const same = typeof role === 'string' ? known[ROLE + role] : undefined;
      const value = known[key] ?? same ?? this.startOf(there);
      return [key, there.type === 'integer' && typeof value === 'number' ? Math.round(value) : value];
    });
    return { [tag]: Object.fromEntries(entries) };
  }

  /** A new item that does not repeat the list: with the first unused word of each choice, and a later time. */
  private unused(items: JsonObject, value: Json | undefined): Json {
    let start = this.startOf(items);
    if (!isObject(items.properties)) return start;
    const list = Array.isArray(value) ? value : [];
    for (const [key, raw] of Object.entries(items.properties)) {
      const variants = isObject(raw) ? this.resolve(raw).oneOf : undefined;
      if (!Array.isArray(variants)) continue;
      const words = variants.filter(isObject).map((v) => v.const);
      const free = words.find((word) => word !== undefined && !list.some((item: Json) => child(item, key) === word));
      if (free !== undefined) start = setAt(start, key, free);
    }
    // A list without a default must not be empty.
    for (const [key, raw] of Object.entries(items.properties)) {
      const within = isObject(raw) ? this.resolve(raw) : {};
      if (isObject(within.items) && within.default === undefined && child(start, key) !== undefined)
        start = setAt(start, key, [this.startOf(within.items)]);
    }
    const last = list.at(-1);
    for (const [key, raw] of Object.entries(items.properties)) {
      const [from, seconds] = after(child(raw, 'x-after'));
      const then = child(last, from);
      if (typeof then === 'number') start = setAt(start, key, then + seconds);
    }
    return start;
  }

  /** The smallest value of its shape, with defaults if there are some. */
  private startOf(raw: JsonObject): Json {
    const node = this.resolve(raw);
    const said = node.default ?? node['x-first'];
    if (said !== undefined && said !== null) return said;
    if (isObject(node.properties)) {
      const entries = Object.entries(node.properties).flatMap(([key, next]): [string, Json][] => {
        if (!isObject(next)) return [];
        const there = this.resolve(next);
        return there[OPTIONAL] === true ? [] : [[key, this.startOf(there)]];
      });
      return Object.fromEntries(entries);
    }
    if (Array.isArray(node.oneOf)) {
      const first = node.oneOf.find(isObject);
      return first ? this.first(first, tagOf(first), {}) : '';
    }
    if (isObject(node.items)) return [];
    if (node.type === 'boolean') return false;
    if (node.type === 'string') return '';
    // Required tokens start with a visible number.
    return node['x-unit'] === 'tokens' && node.minimum === 1 ? FIRST_TOKENS : (node.minimum ?? 1);
  }
}

/**
 * The fields of a list item. One with a number that is its row (`x-row-of`) begins with that number, named by the choice
 * beside it; the choice and its settings follow as details.
 */
function asRow(items: JsonObject, at: string, own: readonly Field[]): readonly Field[] {
  const parts = Object.entries(isObject(items.properties) ? items.properties : {});
  const [key, by] = parts.map(([name, raw]) => [name, text(child(raw, 'x-row-of'))]).find(([, of]) => of !== '') ?? [];
  const number = own.find((field) => field.path === joinPath(at, key ?? ''));
  const choice = own.find((field) => field.path === joinPath(at, by ?? ''));
  if (!number || choice?.input.kind !== 'choice') return own.map((f, k) => (k === 0 ? { ...f, item: at } : f));
  const { tag, options } = choice.input;
  const label = options.find((option) => option.tag === tag)?.label ?? '';
  const details = own
    .filter((field) => field !== number)
    .map((field) => ({
      ...field,
      depth: number.depth + 1,
      ...(field.input.kind === 'expression' ? {} : { detail: at }),
      ...(field === choice ? { item: at } : {}),
    }));
  return [{ ...number, label, row: { item: at, tag } }, ...details];
}

/** The part of a type under a key: a property, or the content of a variant of that name. */
function below(node: JsonObject, key: string): Json | undefined {
  const variants = Array.isArray(node.oneOf) ? node.oneOf : [];
  return [node, ...variants]
    .map((part: Json) => child(child(part, 'properties'), key))
    .find((part) => part !== undefined);
}

/** `["end_s", 30]`: that many seconds after this field of the previous entry. */
function after(said: Json | undefined): readonly [string, number] {
  const [from, seconds] = Array.isArray(said) ? said : [];
  return [text(from), Number(seconds ?? 0)];
}

/** What the schema says, if it is text: the number of a description that is not here yet is none. */
export function text(said: Json | undefined): string {
  return typeof said === 'string' ? said : '';
}

const EDITS: readonly EditKind[] = ['live', 'replace', 'restart', 'none'];

function frame(node: JsonObject, path: string, depth: number): Omit<Field, 'id' | 'input'> {
  const [unit, times] = Array.isArray(node['x-form']) ? node['x-form'] : [node['x-unit'], 1];
  return {
    path,
    label: text(node['x-label']),
    unit: text(unit),
    times: Number(times),
    description: text(node.description),
    depth,
    initial: node.default,
    ...effectOf(node),
  };
}

function effectOf(node: JsonObject): Pick<Field, 'edit' | 'effect'> {
  return { edit: EDITS.find((edit) => edit === node['x-edit']) ?? 'restart', effect: text(node['x-edit-help']) };
}

const WIDTHS: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

function plainInput(node: JsonObject): Input {
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  if (type === 'boolean') return { kind: 'toggle' };
  if (type !== 'integer' && type !== 'number') return { kind: node['x-expression'] === true ? 'expression' : 'text' };
  const bound = (x: Json | undefined): number | undefined => (typeof x === 'number' ? x : undefined);
  // Without a given limit, the width of the number is the limit.
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
