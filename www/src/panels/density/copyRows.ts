// All requests of the table, not only those in sight, as CSV on the clipboard; as a file where the clipboard is closed to the page.
import { count } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { sorting } from '../../state/view/density.ts';
import { save } from '../parts/save.ts';
import { filterNow } from './answers.ts';
import { csvOf } from './csv.ts';

const MOST = 100_000;

export async function copyRows(app: Pick<App, 'selection' | 'dialogs'>): Promise<void> {
  const { by, descending } = sorting();
  const query = { filter: filterNow(), sort: by, descending, offset: 0, limit: MOST };
  const found = await app.selection.closeUp('rows', query).catch(() => undefined);
  if (!found) return;
  const csv = csvOf(found.rows);
  const part = found.matching > MOST ? `The first ${count(MOST)} of ${count(found.matching)}` : count(found.matching);
  try {
    await navigator.clipboard.writeText(csv);
    app.dialogs.tell(`${part} requests copied as CSV.`);
  } catch {
    save('requests.csv', csv, 'text/csv');
    app.dialogs.tell(`${part} requests saved as requests.csv.`);
  }
}
