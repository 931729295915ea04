// The answer that the lanes show: asked again as the run goes on, at most four times a second, and as the window changes.
import { createEffect, createMemo, createSignal, on } from 'solid-js';
import { takeBytes } from '../../base/frameBytes.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { trust } from '../../base/trust.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type { Lanes } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import type { LanesWindow } from './lanesWindow.ts';

/** Fewest milliseconds from one answer of a playing run to the next. */
const APART_MS = 250;
/** Most requests listed. */
const REQUESTS = 600;

export type LaneAsked = {
  /** Slices of a lane: a pixel each at most. */
  readonly slices: number;
  /** The lanes on screen: the first, and how many. */
  readonly first: number;
  readonly count: number;
  readonly open: number | undefined;
};

/** The latest answer, and its bytes for the first who takes them. */
export function createLaneData(
  app: Pick<App, 'transport' | 'selection'>,
  window: LanesWindow,
  asked: () => LaneAsked,
): { readonly lanes: () => Lanes | undefined; readonly takeBytes: () => Uint8Array | undefined } {
  const [lanes, setLanes] = createSignal<Lanes>();
  let bytes: Uint8Array | undefined;
  const frame = createThrottled(() => app.transport.frame(), APART_MS);
  const query = createMemo(
    () => {
      const { fromS, toS } = window.shown();
      const { slices, first, count, open } = asked();
      const own = open === undefined ? {} : { replica: open };
      const span = { from_us: Math.round(fromS * 1e6), to_us: Math.round(toS * 1e6) };
      return { ...span, ...own, most: slices, requests: REQUESTS, first, count };
    },
    undefined,
    { equals: (a, b) => JSON.stringify(a) === JSON.stringify(b) },
  );
  const ask = oneAtATime(async () => {
    try {
      const found = await app.selection.closeUp('lanes', query());
      bytes = takeBytes(trust<object>(found));
      setLanes(found);
    } catch (error) {
      ignoreLost(error);
    }
  });
  createEffect(on([frame, createThrottled(query, 60)], ask));
  return {
    lanes,
    takeBytes: () => {
      const taken = bytes;
      bytes = undefined;
      return taken;
    },
  };
}
