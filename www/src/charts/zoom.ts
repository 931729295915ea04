// The window of the time axis that charts, lanes and density share: zoomed around an instant, and moved. Loaded with the first zoom.

/** The part of the time axis on screen, in seconds. */
export type TimeWindow = { readonly fromS: number; readonly toS: number };

/** The shortest window, in seconds. */
const LEAST_S = 0.02;
/** What one key or notch zooms by, and the share of the window that one key pans by. */
const STEP = 1.5;
const PAN = 0.2;
/** Where the playhead is in a window that follows it, as a share of its length. */
const AHEAD = 0.1;

/** A window of this length around an instant that keeps its place on screen, within the axis; undefined if it shows all. */
export function zoomed(now: TimeWindow, endS: number, aroundS: number, factor: number): TimeWindow | undefined {
  const before = now.toS - now.fromS;
  const length = Math.min(endS, Math.max(Math.min(LEAST_S, endS), before / factor));
  if (length >= endS * 0.999) return undefined;
  const share = before > 0 ? Math.min(1, Math.max(0, (aroundS - now.fromS) / before)) : 0.5;
  return within(aroundS - share * length, length, endS);
}

/** The window moved by seconds, within the axis. */
export function moved(now: TimeWindow, endS: number, byS: number): TimeWindow {
  return within(now.fromS + byS, now.toS - now.fromS, endS);
}

/** The window that a run plays into once it leaves this one at its end; undefined while it does not. */
export function followed(now: TimeWindow, endS: number, beforeS: number, nowS: number): TimeWindow | undefined {
  const left = beforeS >= now.fromS && beforeS <= now.toS && nowS > now.toS;
  return left && now.toS < endS ? within(nowS - AHEAD * (now.toS - now.fromS), now.toS - now.fromS, endS) : undefined;
}

function within(fromS: number, length: number, endS: number): TimeWindow {
  const from = Math.min(endS - length, Math.max(0, fromS));
  // A tenth of a millisecond is finer than a pixel of the shortest window.
  const tidy = (s: number): number => Number(s.toFixed(4));
  return { fromS: tidy(from), toS: tidy(from + length) };
}

/** What a key does to the window: `0` shows all, `+` and `−` zoom, arrows pan a zoomed window. Undefined: nothing. */
export function byKey(
  key: string,
  now: TimeWindow,
  endS: number,
  aroundS: number,
): { readonly window: TimeWindow | undefined } | undefined {
  const isZoomed = now.toS - now.fromS < endS;
  const pan = PAN * (now.toS - now.fromS);
  const middle = aroundS >= now.fromS && aroundS <= now.toS ? aroundS : (now.fromS + now.toS) / 2;
  if (key === '0') return { window: undefined };
  if (key === '+' || key === '=') return { window: zoomed(now, endS, middle, STEP) };
  if (key === '-' || key === '−') return { window: zoomed(now, endS, middle, 1 / STEP) };
  if (isZoomed && key === 'ArrowLeft') return { window: moved(now, endS, -pan) };
  if (isZoomed && key === 'ArrowRight') return { window: moved(now, endS, pan) };
  return undefined;
}

/** What a turn of the wheel does: with Ctrl or ⌘ it zooms around the pointer, with Shift it pans a zoomed window. */
export function byWheel(
  turn: { readonly dx: number; readonly dy: number; readonly zooms: boolean },
  now: TimeWindow,
  endS: number,
  aroundS: number,
): TimeWindow | undefined {
  if (turn.zooms) return zoomed(now, endS, aroundS, Math.exp(-Math.max(-300, Math.min(300, turn.dy)) / 300));
  const by = Math.abs(turn.dx) > Math.abs(turn.dy) ? turn.dx : turn.dy;
  return now.toS - now.fromS < endS ? moved(now, endS, (by / 1000) * (now.toS - now.fromS)) : undefined;
}
