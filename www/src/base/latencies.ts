// The latencies that views show, with all their names.
import type { Measure, SortKey } from '../generated/boundary.ts';

export type Latency = {
  readonly name: string;
  /** The latency of one request: its gaps between tokens by their mean. */
  readonly ofRequest: string;
  /** The column of the table of requests. */
  readonly column: SortKey;
};

export const LATENCIES: Readonly<Record<Measure, Latency>> = {
  ttft: { name: 'TTFT', ofRequest: 'TTFT', column: 'ttft' },
  itl: { name: 'ITL', ofRequest: 'TPOT', column: 'tpot' },
  e2e: { name: 'E2E', ofRequest: 'E2E', column: 'e2e' },
};

export const MEASURES: readonly Measure[] = ['ttft', 'itl', 'e2e'];
