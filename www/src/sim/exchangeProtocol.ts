// The messages between the page and the thread that reads and writes the configuration of other programs.
import type { Exported, ExportSystem, Imported, NamedText, Settled, TrafficAsked } from './exchangeTypes.ts';

export type ExchangeQuestion =
  /** What the keys of texts mean for a scenario, JSON text, and the new scenario that they make. */
  | {
      readonly kind: 'import';
      readonly texts: readonly NamedText[];
      readonly into: string;
      readonly settled: readonly Settled[];
      /** The traffic of the new one; what is left out is chosen. */
      readonly asked?: TrafficAsked;
    }
  /** A scenario as the configuration of a system, beside an imported text. */
  | {
      readonly kind: 'export';
      readonly scenario: string;
      readonly system: ExportSystem;
      readonly beside?: string | undefined;
    };

export type ExchangeAnswers = { import: Imported; export: Exported };
