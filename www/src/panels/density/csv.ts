// Rows of the table of requests as CSV, in the units of the command line's rows.
import type { RequestColumn, RequestRow } from '../../generated/boundary.ts';

/** Names of the command line's columns; the waits for the first token are the page's own. */
type ColumnName = RequestColumn | 'queue_us' | 'prefill_us';

const COLUMNS: readonly (readonly [name: ColumnName, of: (row: RequestRow) => string | number | null])[] = [
  ['request', (r) => r.request],
  ['client', (r) => r.client_name],
  ['slo_class', (r) => r.class],
  ['replica', (r) => r.replica],
  ['state', (r) => r.state],
  ['arrival_us', (r) => r.arrival_us],
  ['prompt_tokens', (r) => r.prompt_tokens],
  ['cached_tokens', (r) => r.cached_tokens],
  ['output_tokens', (r) => r.output_tokens],
  ['queue_us', (r) => r.queue_us],
  ['prefill_us', (r) => r.prefill_us],
  ['ttft_us', (r) => r.ttft_us],
  ['tpot_us', (r) => r.tpot_us],
  ['e2e_us', (r) => r.e2e_us],
  ['preemptions', (r) => r.preemptions],
];

/** A cell; a name that a spreadsheet would take for a formula is kept as text. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** A head and a line for each row. */
export function csvOf(rows: readonly RequestRow[]): string {
  const lines = rows.map((row) => COLUMNS.map(([, of]) => cell(of(row))).join(','));
  return `${[COLUMNS.map(([name]) => name).join(','), ...lines].join('\n')}\n`;
}
