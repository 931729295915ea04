// The answers of the module that reads and writes the configuration of other programs, under the names of the dialogs.
import type { FieldChange, Imported as ImportedAnswer } from '../generated/boundary.ts';

export type {
  Conflict as ImportConflict,
  Exported,
  ExportedLine,
  ExportedRow,
  ImportedDocument,
  KeyCounts as ExchangeCounts,
  Mapping as ImportedKey,
  NewTraffic,
  PoolMemory as ImportMemory,
  Standing,
  System as ExportSystem,
  TrafficAsked,
} from '../generated/boundary.ts';

/** A text with its name, such as that of a file. */
export type NamedText = { readonly name: string; readonly text: string };

/** A choice between the values of a field. */
export type Settled = { readonly field: string; readonly choice: number };

/** A field that changes, with its label and the effect of its edit, as the schema has them. */
export type ImportChange = FieldChange & { readonly label?: string; readonly effect?: string };

/** An import, with the words of the schema for its changes. */
export type Imported = Omit<ImportedAnswer, 'changes'> & { readonly changes: readonly ImportChange[] };
