// The dialogs of configuration and traces of other programs: how they are opened from elsewhere, and what was imported
// last. The dialogs are loaded when one is opened.
import { createSignal } from 'solid-js';
import { equal, type Json } from '../../base/json.ts';
import type { NamedText } from '../../sim/exchangeTypes.ts';
import type { TraceChanges, TraceInspection } from '../../sim/traceTypes.ts';
import type { Table } from './traceTable.ts';

/** A trace that was read, and what runs it with changes to its rows. */
export type OpenedTrace = {
  readonly file: File;
  readonly inspection: TraceInspection;
  readonly run: (changes: TraceChanges) => Promise<void>;
};

/** A table in no known format of a trace, and what reads it with names for its columns. */
export type OpenedTable = {
  readonly file: File;
  readonly table: Table;
  readonly read: (columns: string) => Promise<void>;
};

/** What is asked for: a dialog, with texts to import, a trace to look at or a table whose columns are named. */
export type Exchange =
  | { readonly kind: 'import'; readonly texts: readonly NamedText[] }
  | { readonly kind: 'export' }
  | { readonly kind: 'trace'; readonly trace: OpenedTrace }
  | { readonly kind: 'columns'; readonly columns: OpenedTable };

/** The name of the event on the window that opens a dialog. */
export const EXCHANGE = 'exchange';

export function askExchange(detail: Exchange): void {
  dispatchEvent(new CustomEvent(EXCHANGE, { detail }));
}

/** What was imported last: the texts, the scenario as it was right after, and the one that was opened before. */
export type Brought = { readonly texts: readonly NamedText[]; readonly scenario: Json; readonly original: Json };

const [latest, setBrought] = createSignal<Brought>();

export { setBrought };

/** What was imported into the scenario that was opened; another one has nothing to do with it. */
export function brought(original: Json): Brought | undefined {
  const found = latest();
  return found && equal(found.original, original) ? found : undefined;
}
