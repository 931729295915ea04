// Sentences of the dialogs of configuration of other programs.
import { count } from '../../base/units.ts';
import type { ExchangeCounts, ImportChange, Imported, ImportMemory } from '../../sim/exchangeTypes.ts';
import { explain } from '../../state/notices/notices.ts';
import { SAYING } from './standings.ts';

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** A small number as a word. */
export function inWords(n: number): string {
  return NUMBERS[n] ?? count(n);
}

/** `1 key`, `2 keys`. */
export function many(n: number, one: string, more = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : more}`;
}

/** The line beside the title. */
export function recognised(documents: number): string {
  if (documents === 0) return 'read in this tab, sent nowhere';
  return `${inWords(documents)} ${documents === 1 ? 'document' : 'documents'} recognised, read in this tab, sent nowhere`;
}

/** The number of keys that say something. */
export function sayings(counts: ExchangeCounts): number {
  return SAYING.reduce((sum, standing) => sum + counts[standing], 0);
}

/** The line over the texts. */
export function keysSaid(counts: ExchangeCounts): string {
  const all = sayings(counts);
  return `${many(all + counts.shape, 'key')}: ${count(all)} say something, ${count(counts.shape)} give shape`;
}

/** The number of conflicts that no choice settles yet. */
export function unsettled(found: Imported): number {
  return found.conflicts.filter(({ chosen }) => chosen === null).length;
}

/** The sentence at the foot, without what is left out. */
export function footSaid(found: Imported, settled: number): string {
  const open = unsettled(found);
  if (found.problems.length > 0) return `${many(found.problems.length, 'problem')} to mend first.`;
  if (open > 0) return `Settle ${many(open, 'conflict')} first.`;
  if (found.changes.length === 0) return 'The same as this scenario.';
  return settled > 0 ? `You settled ${many(settled, 'conflict')}.` : '';
}

/** What the button says that applies an import. */
export function applySaid(found: Imported | undefined, nowUs: number): string {
  if (found && unsettled(found) > 0) return `Settle ${many(unsettled(found), 'conflict')} first`;
  const restarts = found?.changes.some(({ effect }) => effect === 'restart') ?? false;
  return restarts ? 'Apply to this fleet and restart' : `Apply to this fleet at ${(nowUs / 1e6).toFixed(1)} s`;
}

/** What keeps the texts from being a new scenario, where they could be applied. */
export function newSaid(found: Imported, wrong: number): string {
  if (wrong > 0) return 'Its traffic is in plain numbers, such as 2.5 or 1000.';
  const [first] = found.new_scenario.problems;
  if (first === undefined || found.problems.length > 0 || unsettled(found) > 0) return '';
  return `As a new scenario: ${explain(first)}`;
}

export type ChangeGroup = { readonly title: string; readonly changes: readonly ImportChange[] };

const GROUPS: readonly (readonly [effect: string, title: string])[] = [
  ['live', 'at once'],
  ['replace', 'new replicas start, the old ones drain'],
  ['restart', 'with a restart of the run'],
  ['none', 'without an effect on the run'],
];

/** The changes, parted by when they take effect. */
export function groupsOf(changes: readonly ImportChange[]): readonly ChangeGroup[] {
  const known = GROUPS.map(([effect, title]) => ({ title, changes: changes.filter((one) => one.effect === effect) }));
  const rest = changes.filter(({ effect }) => !GROUPS.some(([name]) => name === effect));
  return [...known, { title: 'further', changes: rest }].filter((group) => group.changes.length > 0);
}

/** A value of a document without the marks of JSON. */
export function plainValue(value: string): string {
  if (!/^[[{]/.test(value)) return value;
  return value
    .replace(/[{}[\]"]/g, '')
    .replaceAll(':', ' ')
    .replaceAll(',', ', ')
    .trim();
}

/** What the GPUs of a replica hold together, or that it does not fit. */
export function memorySaid({ shares }: ImportMemory): string {
  if (shares.free_gib < 0) return 'It does not fit.';
  const gpus = shares.gpus === 1 ? 'one GPU holds' : `${inWords(shares.gpus)} GPUs hold`;
  const held = (shares.kv_gib * shares.gpus).toFixed(1);
  return `${gpus} ${held} GiB of KV: ${count(shares.blocks)} blocks of ${shares.block_mib.toFixed(2)} MiB`;
}

/** The warnings that no row of an unknown key stands for. */
export function unsaid({ warnings, keys }: Pick<Imported, 'warnings' | 'keys'>): Imported['warnings'] {
  const unknown = keys.filter(({ standing }) => standing === 'unknown').map(({ key }) => key);
  return warnings.filter(({ path }) => !unknown.some((key) => path.endsWith(key)));
}
