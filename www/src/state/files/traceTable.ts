// A table whose columns are to be named before it is read as a trace: its first rows, and the text that names them.
import { isObject, type Json, type JsonObject } from '../../base/json.ts';

/** What a column can say about a request, as in `--columns`. */
export const ROLES = [
  'arrival',
  'prompt',
  'output',
  'session',
  'tenant',
  'class',
  'priority',
  'model',
  'adapter',
  'id',
] as const;
export type Role = (typeof ROLES)[number];
export const UNITS = ['s', 'ms', 'us', 'ns'] as const;
export type Unit = (typeof UNITS)[number];

export type Table = { readonly names: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Rows that are shown. */
const ROWS = 5;

/** What parts the fields of a table, as the reader of traces has it: the most usual first. */
const SEPARATORS = [',', ';', '\t'] as const;
type Separator = (typeof SEPARATORS)[number];

/** The separator that a header has most of, outside quotes. */
function separatorOf(header: string): Separator {
  const outside = header
    .split('"')
    .filter((_, i) => i % 2 === 0)
    .join('');
  const count = (one: Separator): number => outside.split(one).length;
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}

/** The fields of a line of a table, without quotes round them. */
function fieldsOf(line: string, separator: Separator): readonly string[] {
  const field = new RegExp(`("(?:[^"]|"")*"|[^${separator}]*)(?:${separator}|$)`, 'g');
  return [...line.matchAll(field)]
    .map(([, field = '']) =>
      field
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replaceAll('""', '"'),
    )
    .slice(0, -1);
}

function objectOf(line: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The names and first rows of CSV with a header, or of JSON lines; undefined for other text. */
export function tableOf(text: string): Table | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const first = objectOf(lines[0] ?? '');
  const separator = separatorOf(lines[0] ?? '');
  const names = first ? Object.keys(first) : fieldsOf(lines[0] ?? '', separator);
  if (names.length < 3 || names.some((name) => name === '')) return undefined;
  const rows = first
    ? lines.slice(0, ROWS).map((line) => names.map((name) => said(objectOf(line)?.[name])))
    : lines.slice(1, ROWS + 1).map((line) => names.map((_, i) => fieldsOf(line, separator)[i] ?? ''));
  return { names, rows };
}

function said(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The names as in `arrival:ms=t,prompt=in,output=out`; undefined while one of these three is missing. */
export function columnsText(names: ReadonlyMap<Role, string>, unit: Unit | ''): string | undefined {
  if (!['arrival', 'prompt', 'output'].every((role) => names.has(role as Role))) return undefined;
  return ROLES.filter((role) => names.has(role))
    .map((role) => `${role}${role === 'arrival' && unit !== '' ? `:${unit}` : ''}=${names.get(role)}`)
    .join(',');
}
