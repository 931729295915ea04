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
  Settled,
  Standing,
  System as ExportSystem,
  Text as NamedText,
  TrafficAsked,
} from '../generated/boundary.ts';

/** A field that changes, with its label and the effect of its edit, as the schema has them. */
export type ImportChange = FieldChange & { readonly label?: string; readonly effect?: string };

/** An import, with the words of the schema for its changes. */
export type Imported = Omit<ImportedAnswer, 'changes'> & { readonly changes: readonly ImportChange[] };
