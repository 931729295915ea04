// The times of a request that reports and comparisons show: keys of the boundary, with their short names.

export const LATENCY_METRICS = [
  ['ttft_ms', 'TTFT'],
  ['tpot_ms', 'TPOT'],
  ['e2e_ms', 'E2E'],
  ['queue_wait_ms', 'Queue'],
] as const;
export type LatencyMetric = (typeof LATENCY_METRICS)[number][0];
