// The bars of faults on the timeline, as long as each lasts: crashes in the lower of two tracks.
import { isCrash } from '../draw/faultMarks.ts';
import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import type { TimelineFrame } from './timeline.ts';

/** The upper edges of the tracks, and the height of a bar. */
export const TRACKS = { other: 14, crash: 18, high: 2.5 } as const;
/** The end of a bar is taken within this distance. */
const REACH = 5;

export type FaultBar = {
  /** The place of its edit in the list; −1 for a fault that was drawn at random. */
  readonly index: number;
  readonly crash: boolean;
  readonly from: number;
  readonly to: number;
  /** When it is over, in microseconds; undefined if never. */
  readonly untilUs: number | undefined;
  readonly state: 'ahead' | 'now' | 'over';
};

/** A bar for every fault that an edit makes, and for those at random so far. */
export function faultBars(frame: TimelineFrame, x: (timeS: number) => number): readonly FaultBar[] {
  const { now_us: now, flags, faults = [] } = frame;
  const barOf = (index: number, kind: string, at: number, untilUs: number | undefined): FaultBar => ({
    index,
    crash: isCrash(kind),
    from: x(at / 1e6),
    to: x((untilUs ?? frame.axis_end_us) / 1e6),
    untilUs,
    state: at > now ? 'ahead' : (untilUs ?? Infinity) > now ? 'now' : 'over',
  });
  const made = flags.flatMap(({ fault, off, at_us }, i) =>
    fault && !off ? [barOf(i, fault.kind, at_us, fault.until_us)] : [],
  );
  const known = new Set(flags.map((flag) => `${flag.fault?.kind} ${flag.at_us}`));
  const random = faults.filter((one) => !known.has(`${one.kind} ${one.at_us}`));
  return [...made, ...random.map((one) => barOf(-1, one.kind, one.at_us, one.back_us))];
}

/** The bar whose end is at a place: only the bar of an edit that ends can be made longer. */
export function barEndAt(bars: readonly FaultBar[], x: number, y: number): FaultBar | undefined {
  const near = (bar: FaultBar): boolean => {
    const top = bar.crash ? TRACKS.crash : TRACKS.other;
    return y >= top - 1 && y <= top + TRACKS.high + 1.5 && Math.abs(bar.to - x) <= REACH;
  };
  return bars.find((bar) => bar.index >= 0 && bar.untilUs !== undefined && near(bar));
}

/** Solid while it lasts, dimmer when it is over, hollow ahead of the playhead. */
export function drawFaultBars(pen: Pen, p: Palette, bars: readonly FaultBar[]): void {
  for (const { crash, from, to, state, untilUs } of bars) {
    const y = crash ? TRACKS.crash : TRACKS.other;
    const w = Math.max(2, to - from);
    if (state === 'ahead') {
      pen.strokeStyle = p.miss;
      pen.lineWidth = 1;
      pen.strokeRect(from + 0.5, y + 0.5, w - 1, TRACKS.high - 1);
      continue;
    }
    pen.globalAlpha = state === 'now' ? 1 : 0.55;
    pen.fillStyle = p.miss;
    pen.fillRect(from, y, w, TRACKS.high);
    // A short post at the end of one that ends.
    if (untilUs !== undefined) pen.fillRect(to - 1, y - 1.5, 1, TRACKS.high + 3);
    pen.globalAlpha = 1;
  }
}
