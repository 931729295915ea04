// From one decision of an autoscaler to the next: loaded with the first step.
import { getAt } from '../../base/json.ts';
import type { App } from '../app.ts';
import { scaledPools } from '../edits/scaledPools.ts';

/** More decisions than one instant has. */
const MOST = 64;

/** Goes to the decision before the latest one, or to the instant of the next one. */
export async function stepDecision(app: Pick<App, 'transport' | 'selection' | 'document'>, by: number): Promise<void> {
  app.transport.pause();
  const found = await app.selection.closeUp('scaling', { changes_only: false, most: MOST }).catch(() => undefined);
  const rows = found?.rows ?? [];
  const latest = rows.at(-1)?.at_us ?? 0;
  const ticks = scaledPools(app.document.current()).map((pool) => Number(getAt(pool.scaling, 'tick_s')) * 1e6);
  const after = (tick: number): number => (Math.floor(latest / tick) + 1) * tick;
  const to = by < 0 ? rows.findLast((row) => row.at_us < latest)?.at_us : Math.min(...ticks.map(after));
  if (to !== undefined && Number.isFinite(to)) await app.transport.seek(to / 1e6);
}
