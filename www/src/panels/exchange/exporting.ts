// The state of the dialog of exports: the file of each system, beside the imported one where there is one.
import { createSignal, onCleanup } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import { Asking } from '../../sim/asking.ts';
import type { Exported, ExportSystem } from '../../sim/exchangeTypes.ts';
import { brought } from '../../state/files/exchange.ts';
import { reasonOf } from './importing.ts';
import { many } from './words.ts';

/** The name of a system's tab, what its button copies, and whether it is an autoscaler alone. */
type SystemWords = { readonly tab: string; readonly copy: string; readonly scales: boolean };

export const SYSTEM_WORDS: Readonly<Record<ExportSystem, SystemWords>> = {
  epp: { tab: 'EPP YAML', copy: 'Copy EPP YAML', scales: false },
  vllm: { tab: 'vllm serve', copy: 'Copy command', scales: false },
  dynamo: { tab: 'Dynamo flags', copy: 'Copy flags', scales: false },
  smg: { tab: 'SMG flags', copy: 'Copy flags', scales: false },
  hpa: { tab: 'HPA', copy: 'Copy HPA', scales: true },
  keda: { tab: 'KEDA', copy: 'Copy KEDA', scales: true },
  wva: { tab: 'WVA', copy: 'Copy WVA', scales: true },
  blis: { tab: 'BLIS', copy: 'Copy BLIS YAML', scales: false },
};

/** The systems in the order of the tabs. */
export const SYSTEMS = trust<readonly ExportSystem[]>(Object.keys(SYSTEM_WORDS));

/** A file, and the number of its exact rows that come back from it, once they were read. */
export type Written = { readonly file: Exported; readonly beside: boolean; readonly same: number | undefined };

/** The small text of a tab. */
export function tabSaid({ system, exact, near, rows }: Pick<Exported, 'system' | 'exact' | 'near' | 'rows'>): string {
  if (exact + near === 0 && SYSTEM_WORDS[system].scales) return 'no scaling';
  return rows.length > 0 ? `${exact} of ${rows.length}` : 'nothing';
}

/** The lines of a file with their numbers; lines that were taken away have none. */
export function numbered(file: Exported, against: boolean) {
  let number = 0;
  return file.lines
    .filter(({ mark }) => against || mark !== 'removed')
    .map(({ text, mark }) => {
      if (mark !== 'removed') number += 1;
      return {
        text,
        mark: against || mark === 'comment' ? mark : 'same',
        number: mark === 'removed' ? undefined : number,
      };
    });
}

/** The line beside the name of a file. */
export function fileSaid(file: Exported): string {
  const of = (mark: string): number => file.lines.filter((line) => line.mark === mark).length;
  const [changed, comments] = [Math.max(of('added'), of('removed')), of('comment')];
  const lines = (n: number, what: string): string => (n === 0 ? '' : `${many(n, 'line')} ${what}`);
  return [lines(changed, 'changed'), lines(comments, 'of comment')].filter((part) => part !== '').join(', ');
}

/** The number of exact rows that no change of a text that was read back concerns. */
export function sameRows(file: Exported, changed: readonly string[]): number {
  const concerns = (field: string, path: string): boolean => field.startsWith(path) || path.startsWith(field);
  return file.rows.filter(
    ({ standing, path }) => standing === 'exact' && !changed.some((field) => concerns(field, path)),
  ).length;
}

export function createExporting(scenario: Json, original: Json) {
  const client = new Asking('exchange');
  onCleanup(() => client.end());
  const [written, setWritten] = createSignal<ReadonlyMap<ExportSystem, Written>>(new Map());
  const [trouble, setTrouble] = createSignal('');
  const text = writeDocument(scenario);

  async function write(system: ExportSystem): Promise<void> {
    for (const { text: beside } of brought(original)?.texts ?? []) {
      const file = await client.ask('export', { scenario: text, system, beside });
      if (file.not_beside === null) return readBack(file, true);
    }
    return readBack(await client.ask('export', { scenario: text, system }), false);
  }
  async function readBack(file: Exported, beside: boolean): Promise<void> {
    setWritten((before) => new Map(before).set(file.system, { file, beside, same: undefined }));
    if (file.exact === 0) return;
    const texts = [{ name: file.file_name, text: file.text }];
    const { changes } = await client.ask('import', { texts, into: text, settled: [] });
    const same = sameRows(
      file,
      changes.map(({ field }) => field),
    );
    setWritten((before) => new Map(before).set(file.system, { file, beside, same }));
  }
  async function all(): Promise<void> {
    for (const system of SYSTEMS) await write(system);
  }
  all().catch((error: unknown) => setTrouble(reasonOf(error)));
  return { written, trouble };
}

/** The title of a scenario, for the head of the dialog. */
export function titleOf(scenario: Json): string {
  return String(getAt(scenario, 'title') ?? '') || 'Untitled run';
}
