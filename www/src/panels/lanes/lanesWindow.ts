// The window of the lanes: it follows the playhead until it is panned, then it is the one that charts and density share.
import { createMemo, createSignal } from 'solid-js';
import { moved, type TimeWindow, zoomed } from '../../charts/zoom.ts';
import { setTimeWindow, timeWindow } from '../../state/view/closeup.ts';

/** The length of the window that follows the playhead at first, and its limits, in seconds. */
const FIRST_S = 2;
const LENGTHS = { least: 0.02, most: 600 } as const;
/** The share of the window that lies before the playhead. */
const BEFORE = 0.88;

/** The window of this length that follows the playhead. */
export function following(nowS: number, lengthS: number, endS: number): TimeWindow {
  const length = Math.min(lengthS, Math.max(LENGTHS.least, endS));
  const from = Math.max(0, Math.min(nowS - BEFORE * length, endS - length));
  return { fromS: Number(from.toFixed(4)), toS: Number((from + length).toFixed(4)) };
}

/** The next length when the window that follows the playhead is zoomed. */
export function nextLength(lengthS: number, factor: number, endS: number): number {
  return Math.min(Math.max(LENGTHS.least, lengthS / factor), Math.max(LENGTHS.least, Math.min(endS, LENGTHS.most)));
}

const [lengthS, setLengthS] = createSignal(FIRST_S);

export function createLanesWindow(nowS: () => number, endS: () => number) {
  const follows = (): boolean => timeWindow() === undefined;
  const shown = createMemo((): TimeWindow => timeWindow() ?? following(nowS(), lengthS(), endS()));
  return {
    shown,
    follows,
    /** Zooms around an instant; a window that follows the playhead keeps doing so. */
    zoom: (factor: number, aroundS: number | undefined): void => {
      if (follows() && aroundS === undefined) {
        setLengthS(nextLength(lengthS(), factor, endS()));
        return;
      }
      const { fromS, toS } = shown();
      const around = aroundS ?? Math.min(toS, Math.max(fromS, nowS()));
      setTimeWindow(zoomed(shown(), endS(), around, factor) ?? { fromS: 0, toS: endS() });
    },
    /** Pans by a share of the window. */
    pan: (share: number): void => {
      const now = shown();
      setTimeWindow(moved(now, endS(), share * (now.toS - now.fromS)));
    },
    /** Moves the window so that an instant lies in its middle. */
    centre: (atS: number): void => {
      const { fromS, toS } = shown();
      setTimeWindow(moved(shown(), endS(), atS - (fromS + toS) / 2));
    },
    /** Moves the window as little as possible so that an instant can be seen. */
    reveal: (atS: number): void => {
      const { fromS, toS } = shown();
      const margin = 0.1 * (toS - fromS);
      if (atS < fromS) setTimeWindow(moved(shown(), endS(), atS - fromS - margin));
      else if (atS > toS) setTimeWindow(moved(shown(), endS(), atS - toS + margin));
    },
    fit: (): void => void setTimeWindow({ fromS: 0, toS: endS() }),
    follow: (): void => void setTimeWindow(undefined),
  };
}

export type LanesWindow = ReturnType<typeof createLanesWindow>;
