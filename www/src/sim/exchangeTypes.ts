// The answers of the module that reads and writes the configuration of other programs.
import type { Diagnostic } from '../generated/boundary.ts';

/** What became of a key: `shape` says only what the text is. */
export type Standing = 'exact' | 'near' | 'ignored' | 'unknown' | 'conflict' | 'shape';

/** A text with its name, such as that of a file. */
export type NamedText = { readonly name: string; readonly text: string };

/** A document within a text. */
export type ImportedDocument = {
  /** The name of its format. */
  readonly title: string;
  readonly detail: string;
  /** The name of the text that has it, and the line of that text where it begins, from 1. */
  readonly file: string;
  readonly first_line: number;
  readonly lines: readonly string[];
  /** Whether its format is read. */
  readonly is_read?: boolean;
};

export type ImportedKey = {
  /** Index of the document. */
  readonly document: number;
  /** Line of the document, from 1, or 0 if it is not in the text; the columns of the key in it, from 0. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly key: string;
  readonly found: string;
  readonly standing: Standing;
  readonly field: string;
  readonly value: string;
  /** What it becomes, how it differs, or why it is ignored. */
  readonly becomes: string;
  /** The nearest known name of an unknown key; empty if none resembles it. */
  readonly nearest: string;
};

/** A field that keys set to different values. */
export type ImportConflict = {
  readonly field: string;
  readonly choices: readonly { readonly key: number; readonly value: string }[];
  readonly chosen: number | null;
  /** How it comes about, if not by a contradiction, and how to avoid it. */
  readonly note?: string;
};

/** A choice between the values of a field. */
export type Settled = { readonly field: string; readonly choice: number };

export type ImportChange = {
  readonly field: string;
  readonly before: string;
  readonly after: string;
  /** The label of the field, the effect of its edit (`live`, `replace`, `restart` or `none`) and a remark. */
  readonly label?: string;
  readonly effect?: string;
  readonly note?: string;
};

/** The memory of one GPU of a pool. */
export type ImportMemory = {
  readonly pool: string;
  readonly shares: {
    readonly gpus: number;
    readonly total_gib: number;
    readonly weights_gib: number;
    readonly kv_gib: number;
    readonly activations_gib: number;
    /** Negative if all of it does not fit. */
    readonly free_gib: number;
    readonly blocks: number;
    readonly block_mib: number;
  };
};

/** The number of keys of each kind. */
export type ExchangeCounts = Readonly<Record<Standing, number>>;

export type Imported = {
  readonly documents: readonly ImportedDocument[];
  readonly keys: readonly ImportedKey[];
  readonly conflicts: readonly ImportConflict[];
  readonly changes: readonly ImportChange[];
  readonly unchanged?: string;
  /** One GPU of each pool afterwards, as far as model and GPU are known. */
  readonly memory?: readonly ImportMemory[];
  readonly counts: ExchangeCounts;
  /** The scenario with the changes, JSON text; empty while a conflict is not settled, and with problems. */
  readonly scenario: string;
  readonly warnings: readonly Diagnostic[];
  readonly problems: readonly Diagnostic[];
};

export type ExportSystem = 'epp' | 'vllm' | 'dynamo' | 'smg' | 'hpa' | 'keda' | 'wva' | 'blis';

export type ExportedLine = { readonly text: string; readonly mark: 'same' | 'added' | 'removed' | 'comment' };

export type ExportedRow = {
  readonly path: string;
  readonly ours: string;
  readonly value: string;
  readonly theirs: string;
  /** The value of the imported file, if another. */
  readonly before: string | null;
  readonly standing: 'exact' | 'near' | 'ignored';
  readonly why: string;
  /** Whether the file has it; a default is left out. */
  readonly written: boolean;
};

export type Exported = {
  readonly system: ExportSystem;
  readonly title: string;
  readonly file_name: string;
  readonly language: 'yaml' | 'shell';
  readonly lines: readonly ExportedLine[];
  readonly rows: readonly ExportedRow[];
  readonly exact: number;
  readonly near: number;
  readonly left_out: number;
  /** Why the imported file is not changed in place. */
  readonly not_beside: string | null;
  readonly text: string;
};
