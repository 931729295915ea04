// Flags under the pointer: which edits they are, and where a drag takes them.
import type { Palette } from '../draw/inks.ts';
import { font } from '../draw/marks.ts';
import type { Flag, Frame } from '../generated/boundary.ts';

/** The place of a flag in the list of edits. */
export function placeOf(flag: Flag, frame: Frame | undefined): number {
  return frame?.flags.findIndex((f) => f.at_us === flag.at_us && f.label === flag.label) ?? -1;
}

/** The widths of the labels of pennants, which another thread may draw. */
export function measured(p: Palette): (text: string) => number {
  const pen = document.createElement('canvas').getContext('2d');
  if (pen) pen.font = font(p, 11, 600);
  return (text) => pen?.measureText(text).width ?? 0;
}

/** Flags dragged with the pointer; `us` is their new instant. */
export type Held = {
  readonly indices: readonly number[];
  readonly fromX: number;
  readonly us: number | undefined;
  /** When the fault is over whose end it is. */
  readonly end?: number;
};

/** A pointer that moves less than this counts as a click. */
const CARRIED_FROM = 4;

/** Flags after a movement of the pointer to a place, which is that of an instant. */
export function carried(flag: Held, x: number, us: number, endUs: number): Held {
  if (flag.us === undefined && Math.abs(x - flag.fromX) <= CARRIED_FROM) return flag;
  return { ...flag, us: Math.round(Math.min(endUs, Math.max(0, us))) };
}

/** The pointer drops a flag or the end of a fault: at its new place, or at its old one. */
export function drop({ indices, us, end }: Held, to: Drops): void {
  const [only, ...more] = indices;
  if (us !== undefined && end !== undefined && only !== undefined) to.onStretchFlag?.(only, us);
  else if (us === undefined || only === undefined || more.length > 0) afterClick(() => to.onFlags?.(indices));
  else to.onMoveFlag?.(only, us);
}

/** Acts once the click is over that a pointer has just ended: of a finger, its events as a mouse would close what opens before. */
function afterClick(act: () => void): void {
  const ended = new AbortController();
  const once = { signal: ended.signal, capture: true };
  const clicked = (): void => {
    ended.abort();
    setTimeout(act);
  };
  addEventListener('click', clicked, once);
  addEventListener('pointerdown', () => ended.abort(), once);
}

type Drops = {
  /** A flag was dragged to another instant. */
  readonly onMoveFlag?: ((index: number, us: number) => void) | undefined;
  /** The end of a fault was dragged to another instant. */
  readonly onStretchFlag?: ((index: number, us: number) => void) | undefined;
  /** A flag was clicked; gets the edits at it. */
  readonly onFlags?: ((indices: readonly number[]) => void) | undefined;
};
