// Pasted texts as lines with the keys in them, as the reader found them.
import type { Imported, ImportedKey, Standing } from '../../sim/exchangeTypes.ts';
import { WORST_FIRST } from './standings.ts';

/** A part of a line: plain, or a key with its value. */
export type Part = { readonly text: string; readonly key?: number; readonly standing?: Standing };

export type Line = {
  /** Its number in its document; nothing between documents. */
  readonly number: number | undefined;
  /** The document that begins below this line or with it, if it is not the first line of the text. */
  readonly heads: number | undefined;
  /** The worst that became of its keys. */
  readonly worst: Standing | undefined;
  readonly parts: readonly Part[];
};

type Found = Pick<Imported, 'documents' | 'keys'>;
type Placed = ImportedKey & { readonly index: number };

/** The keys of each line of a text, by the line's index; keys of lines that were changed since are left out. */
function keysByLine(name: string, lines: readonly string[], found: Found): ReadonlyMap<number, readonly Placed[]> {
  const map = new Map<number, Placed[]>();
  for (const [index, key] of found.keys.entries()) {
    const document = found.documents[key.document];
    if (document?.file !== name || key.standing === 'shape') continue;
    const at = document.first_line - 1 + key.line - 1;
    if (lines[at] === undefined || lines[at] !== document.lines[key.line - 1]) continue;
    const there = map.get(at) ?? [];
    there.push({ ...key, index });
    map.set(at, there);
  }
  return map;
}

/** Where a key ends in its line, with its value if that stands right behind it. */
function endOf(line: string, { to, found }: Pick<ImportedKey, 'to' | 'found'>): number {
  if (found === '' || to >= line.length) return Math.min(to, line.length);
  const between = /^["']?(?:\s*[:=]\s*|\s+)["']?/.exec(line.slice(to))?.[0] ?? '';
  const at = to + between.length;
  if (between === '' || !line.startsWith(found.replaceAll('"', ''), at)) return to;
  const end = at + found.replaceAll('"', '').length;
  return /["']$/.test(between) && /["']/.test(line.charAt(end)) ? end + 1 : end;
}

/** A line cut at its keys; of keys that overlap the first counts. */
function partsOf(line: string, keys: readonly Placed[]): readonly Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const key of keys.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const to = endOf(line, key);
    if (key.from < done || to <= key.from) continue;
    if (key.from > done) parts.push({ text: line.slice(done, key.from) });
    parts.push({ text: line.slice(key.from, to), key: key.index, standing: key.standing });
    done = to;
  }
  if (done < line.length || parts.length === 0) parts.push({ text: line.slice(done) });
  return parts;
}

/** The lines of a text. */
export function linesOf(name: string, text: string, found: Found | undefined): readonly Line[] {
  const lines = text.split('\n');
  const keys = found ? keysByLine(name, lines, found) : new Map<number, readonly Placed[]>();
  const documents = (found?.documents ?? [])
    .map((document, index) => ({ index, first: document.first_line - 1, file: document.file }))
    .filter(({ file }) => file === name)
    .toSorted((a, b) => a.first - b.first);
  return lines.map((line, at): Line => {
    const here = keys.get(at) ?? [];
    const worst = WORST_FIRST.find((standing) => here.some((key) => key.standing === standing));
    const within = documents.findLast(({ first }) => first <= at);
    const next = documents.find(({ first }) => first === at + 1);
    // A separator between two documents says which one comes.
    const separates = next !== undefined && next !== documents[0] && /^(---.*|\s*)$/.test(line);
    return {
      number: separates ? undefined : at - (within?.first ?? 0) + 1,
      heads: separates ? next.index : undefined,
      worst: separates ? undefined : worst,
      parts: partsOf(line, here),
    };
  });
}

/** The key at the caret: the one around it, or else the only one of its line. */
export function keyAt(lines: readonly Line[], offset: number): number | undefined {
  let begun = 0;
  for (const { parts } of lines) {
    const length = parts.reduce((sum, part) => sum + part.text.length, 0);
    if (offset <= begun + length) {
      let at = begun;
      for (const part of parts) {
        if (part.key !== undefined && offset >= at && offset <= at + part.text.length) return part.key;
        at += part.text.length;
      }
      const keys = parts.flatMap(({ key }) => (key === undefined ? [] : [key]));
      return keys.length === 1 ? keys[0] : undefined;
    }
    begun += length + 1;
  }
  return undefined;
}

/** The last name of a path: `blockSizeToken` of `plugins[3].parameters.blockSizeToken`. */
export function lastName(key: string): string {
  return key.split(/[.\]]/).findLast((name) => name !== '') ?? key;
}

/** A path without the entries of lists that it is in: `weight` of `profiles.0.plugins.2.weight`. */
export function shortName(key: string): string {
  return /(?:^|\.)\d+\.([^.].*)$/.exec(key)?.[1]?.replace(/^.*\.\d+\./, '') ?? key;
}

/** A text in which an unknown key has its nearest name; undefined if the key does not stand where it was found. */
export function readAs(text: string, found: Found, index: number): string | undefined {
  const key = found.keys[index];
  const document = key && found.documents[key.document];
  if (!key || !document || key.nearest === '') return undefined;
  const lines = text.split('\n');
  const at = document.first_line - 1 + key.line - 1;
  const line = lines[at];
  const name = lastName(key.key);
  const column = line?.indexOf(name, key.from) ?? -1;
  if (line === undefined || column < 0 || column >= Math.max(key.to, key.from + 1)) return undefined;
  lines[at] = line.slice(0, column) + lastName(key.nearest) + line.slice(column + name.length);
  return lines.join('\n');
}
