// The words of the glossary by name: as it has them, by other names, by labels of the page.
import { trust } from '../../base/trust.ts';
import type { GlossaryEntry, GlossarySign } from '../../generated/boundary.ts';
import raw from '../../generated/glossary.json';

export const ENTRIES = trust<readonly GlossaryEntry[]>(raw);

/** A name as it is looked for: in small letters, without commas, with straight apostrophes. */
const plain = (name: string): string => name.toLowerCase().replaceAll(',', '').replaceAll('’', "'").trim();

const BY_NAME = new Map(
  ENTRIES.flatMap((entry) =>
    [...entry.word.split(','), ...(entry.also ?? [])].map((name) => [plain(name), entry] as const),
  ),
);

/** The entry of a word or a label, in singular or plural. */
export function entryOf(name: string): GlossaryEntry | undefined {
  const asked = plain(name);
  return BY_NAME.get(asked) ?? (asked.endsWith('s') ? BY_NAME.get(asked.slice(0, -1)) : undefined);
}

/** The entries with all the letters of a search in their word, other names or meaning; those by name first. */
export function searched(wanted: string): readonly GlossaryEntry[] {
  const words = plain(wanted).split(' ');
  const names = (entry: GlossaryEntry): string => plain([entry.word, ...(entry.also ?? [])].join(' '));
  const hasAll = (text: string): boolean => words.every((word) => text.includes(word));
  const byName = ENTRIES.filter((entry) => hasAll(names(entry)));
  const first = byName.filter((entry) => plain(entry.word).startsWith(plain(wanted)));
  const rest = ENTRIES.filter((entry) => hasAll(`${names(entry)} ${plain(entry.meaning)}`));
  return [...new Set([...first, ...byName, ...rest])];
}

/** The expressions of an entry, each once: what the simulation is asked for. */
export function expressionsOf(entry: GlossaryEntry): readonly string[] {
  const q = entry.quantity;
  if (!q) return [];
  const values = [...q.of_run, ...q.now].map((named) => named.value);
  const signs = q.signs.flatMap((sign) => sign.value ?? []);
  return [...new Set([...values, ...signs, ...(q.result === undefined ? [] : [q.result])])];
}

/** A piece of a formula: text, or a sign. */
export type Piece = { readonly text: string; readonly sign?: GlossarySign };

/** The formula without its left side: what the numbers are put into. */
export function rightSide(entry: GlossaryEntry): readonly Piece[] {
  const pieces = entry.quantity?.formula ?? [];
  const begins = pieces.findIndex((piece) => piece === '=' || piece === '≈') + 1;
  return pieces.slice(begins).map((piece) => {
    const sign = entry.quantity?.signs.find((one) => one.sign === piece);
    return sign ? { text: piece, sign } : { text: piece };
  });
}

/** A sign with its subscript apart: `W_q` is W and q. */
export function parted(piece: string): readonly [sign: string, below: string] {
  const [sign = '', ...below] = piece.split('_');
  return [sign, below.join(' ')];
}
