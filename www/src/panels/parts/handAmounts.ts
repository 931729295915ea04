// What can be pulled on the stage, as fields of the scenario: their values now, their limits, and the edit that the form makes too.
import { getAt, type Json, parsePath, setAt } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import type { Amount } from '../../base/view.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { changeRoles } from '../../state/edits/changeRoles.ts';
import { isSplit, withRole } from '../../state/edits/roles.ts';

/** What is pulled: the KV cache of a replica, the arrivals of a client or of all, the boundary between the roles. */
export type Pulled =
  | { readonly on: 'kv'; readonly replica: number }
  | { readonly on: 'rate'; readonly client: number | undefined }
  | { readonly on: 'ratio' };

type Page = {
  readonly document: Pick<App['document'], 'schema' | 'inForce' | 'change' | 'applyEdit' | 'problems'>;
  readonly transport: Pick<App['transport'], 'frame'>;
  readonly links: Pick<App['links'], 'split'>;
  readonly dialogs: Pick<App['dialogs'], 'setNotice'>;
};

/** An amount with the fields that it is made of; the ratio of roles has none. */
type Fields = Amount & { readonly paths: readonly (readonly [path: string, now: number])[] };

/** What would be pulled; undefined where there is nothing to change. */
export function amountOf(app: Page, pulled: Pulled): Amount | undefined {
  return fieldsOf(app, pulled);
}

function fieldsOf({ document: doc, transport }: Page, pulled: Pulled): Fields | undefined {
  const document = doc.inForce();
  if (pulled.on === 'kv') return kvOf(doc.schema, document, transport.frame(), pulled.replica);
  if (pulled.on === 'rate') return rateOf(doc.schema, document, pulled.client);
  return ratioOf(document);
}

const listAt = (document: Json, path: string): readonly Json[] => {
  const items = getAt(document, path);
  return Array.isArray(items) ? items : [];
};

/** The number at a path as its field has it, with a value that is a number where it is a word now. */
function numberAt(schema: Schema, document: Json, path: string, value: number) {
  for (const { path: own, input, unit } of schema.fields(setAt(document, path, value), parsePath(path)))
    if (own === path && input.kind === 'number') return { input, unit };
  return undefined;
}

function kvOf(schema: Schema, document: Json, frame: Frame | undefined, replica: number): Fields | undefined {
  const name = frame?.replicas.find((r) => r.id === replica)?.pool;
  const pools = listAt(document, 'cluster.pools');
  const index = pools.findIndex((pool) => getAt(pool, 'name') === name);
  const found = frame?.pools.find((pool) => pool.name === name)?.kv_blocks;
  if (index < 0 || found === undefined) return undefined;
  const path = `cluster.pools[${index}].kv.blocks`;
  const written = getAt(document, path);
  const now = typeof written === 'number' ? written : found;
  const field = numberAt(schema, document, path, now);
  if (!field) return undefined;
  const { min = 1, max = Number.MAX_SAFE_INTEGER } = field.input;
  const pool = pools.length > 1 ? ` of ${name}` : '';
  return {
    name: `KV cache${pool}`,
    unit: 'blocks each',
    now,
    least: min,
    most: max,
    whole: true,
    paths: [[path, now]],
  };
}

/** The rate of a client, by its place, if it has one. */
function rateAt(schema: Schema, document: Json, client: number) {
  const base = `workload.clients[${client}].arrivals`;
  if (getAt(document, `workload.clients[${client}]`) === undefined) return undefined;
  for (const { path, input, unit, initial } of schema.fields(document, parsePath(base))) {
    if (!path.endsWith('.rate_per_s') || input.kind !== 'number') continue;
    const now = Number(schema.valueAt(document, path) ?? initial ?? 0);
    return { path, now, unit, least: input.min ?? 0, most: input.max ?? Number.MAX_VALUE };
  }
  return undefined;
}

/** A trace has its own arrivals, and a closed loop no rate. Of all clients, those that have a rate keep their shares. */
function rateOf(schema: Schema, document: Json, client: number | undefined): Fields | undefined {
  if (getAt(document, 'workload.trace')) return undefined;
  const clients = listAt(document, 'workload.clients');
  const asked = client === undefined ? clients.map((_, i) => i) : [client];
  const rates = asked.flatMap((i) => rateAt(schema, document, i) ?? []);
  const [first] = rates;
  if (!first) return undefined;
  const now = rates.reduce((sum, rate) => sum + rate.now, 0);
  const times = Math.min(...rates.map((rate) => (rate.now > 0 ? rate.most / rate.now : Number.MAX_VALUE)));
  const one = client ?? (clients.length === 1 ? 0 : undefined);
  const named = one === undefined ? undefined : getAt(clients[one], 'name');
  return {
    name: clients.length === 1 ? 'Arrivals' : one === undefined ? 'All arrivals' : `Arrivals of ${String(named)}`,
    unit: first.unit,
    now,
    least: first.least,
    most: rates.length === 1 ? first.most : Math.min(first.most, now * times),
    whole: false,
    paths: rates.map((rate) => [rate.path, rate.now]),
  };
}

function ratioOf(document: Json): Fields | undefined {
  const prefill = withRole(document, 'prefill');
  const all = prefill + withRole(document, 'decode');
  if (!isSplit(document) || all < 3) return undefined;
  return { name: 'Prefill : decode', unit: '', now: prefill, least: 1, most: all - 1, whole: true, all, paths: [] };
}

/** Makes it the edit that the form makes of it; a notice says why it is refused. */
export async function setAmount(app: Page, pulled: Pulled, value: number): Promise<boolean> {
  const fields = fieldsOf(app, pulled);
  if (!fields) return false;
  if (pulled.on === 'ratio') return changeRoles(app, { move: { by: value - fields.now } });
  const [one, ...more] = fields.paths;
  if (!one) return false;
  const [path, now] = one;
  const part = (of: number): number => Number((fields.now > 0 ? (of * value) / fields.now : value).toPrecision(6));
  const set = Object.fromEntries(fields.paths.map(([at, of]) => [at, part(of)]));
  const done =
    more.length === 0
      ? await app.document.change(path, value)
      : await app.document.applyEdit({ set }, path.slice(0, path.lastIndexOf('.')));
  if (!done && now !== value)
    app.dialogs.setNotice({
      kind: 'info',
      text: 'The run stays as it is.',
      diagnostics: [...app.document.problems().values()],
    });
  return done;
}
