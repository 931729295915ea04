// The request that the inspector shows while none is selected: the slowest of the span on screen, or else the one that
// waits longest. Loaded once the page is built.

import { plain } from '../../base/units.ts';
import { WINDOW_S } from '../../base/view.ts';
import type { Frame } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../app.ts';
import { span } from './span.ts';

/** Longer than any run. */
const NO_LIMIT_MS = 1e12;

const tenths = (s: number): number => Math.round(s * 10) / 10;

/** The request that arrived first of those that wait, at the gateway or on replicas. */
export function longestWaiting(frame: Pick<Frame, 'replicas' | 'gateway'>): number | undefined {
  const queues = [...frame.replicas.map((r) => r.queue), ...(frame.gateway?.bands ?? []).map((band) => band.queue)];
  // Requests are numbered in order of arrival.
  const waiting = queues.flat().map((one) => one.request);
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

/** Chooses anew. While the run plays, what was chosen stays, so that it can be read. */
export async function chooseAutomatically(app: Pick<App, 'transport' | 'selection'>): Promise<void> {
  const { transport, selection } = app;
  const frame = transport.frame();
  if (!frame || (transport.playing() && selection.automatic())) return;
  const nowS = frame.now_us / 1e6;
  const brushed = span();
  const [fromS, toS] = brushed ? [brushed.fromS, brushed.toS] : [Math.max(0, nowS - WINDOW_S), nowS];
  const slowest = await selection.slowest({ of: 'ttft', fromS, toS, atMostMs: NO_LIMIT_MS }).catch(ignoreLost);
  if (typeof slowest === 'number') {
    // The instants, not "the last 30 s": the choice stays while the run plays on.
    const where = `${plain(tenths(fromS))} to ${plain(tenths(toS))} s`;
    selection.setAutomatic({ request: slowest, why: `The slowest first token of ${where}` });
    return;
  }
  const waiting = longestWaiting(frame);
  selection.setAutomatic(
    waiting === undefined ? undefined : { request: waiting, why: `The longest wait at ${plain(tenths(nowS))} s` },
  );
}
