// The request that is slow now: the slowest of the span on screen, or else the one that waits longest. Loaded when it is asked for.

import { WINDOW_S } from '../../base/view.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { App } from '../app.ts';
import { span } from './span.ts';

/** Longer than any run. */
const NO_LIMIT_MS = 1e12;

/** The request that arrived first of those that wait, at the gateway or on replicas. */
export function longestWaiting(frame: Pick<Frame, 'replicas' | 'gateway'>): number | undefined {
  const queues = [...frame.replicas.map((r) => r.queue), ...(frame.gateway?.bands ?? []).map((band) => band.queue)];
  // Requests are numbered in order of arrival.
  const waiting = queues.flat().map((one) => one.request);
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

export async function slowestNow({
  transport,
  selection,
}: Pick<App, 'transport' | 'selection'>): Promise<number | undefined> {
  const frame = transport.frame();
  if (!frame) return undefined;
  const nowS = frame.now_us / 1e6;
  const brushed = span();
  const [fromS, toS] = brushed ? [brushed.fromS, brushed.toS] : [Math.max(0, nowS - WINDOW_S), nowS];
  const slowest = await selection.slowest({ of: 'ttft', fromS, toS, atMostMs: NO_LIMIT_MS });
  return slowest ?? longestWaiting(frame);
}
