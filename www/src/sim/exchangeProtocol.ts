// The messages between the page and the thread that reads and writes the configuration of other programs.
import type { Exported, ExportSystem, Imported, NamedText, Settled } from './exchangeTypes.ts';

export type ExchangeQuestion =
  /** What the keys of texts mean for a scenario, JSON text. */
  | {
      readonly kind: 'import';
      readonly texts: readonly NamedText[];
      readonly into: string;
      readonly settled: readonly Settled[];
    }
  /** A scenario as the configuration of a system, beside an imported text. */
  | {
      readonly kind: 'export';
      readonly scenario: string;
      readonly system: ExportSystem;
      readonly beside?: string | undefined;
    };

export type ExchangeAnswers = { import: Imported; export: Exported };
