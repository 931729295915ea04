// The user's hand on a time axis: pennants for edits.

import type { Pen } from '../draw/canvas.ts';
import { font } from '../draw/marks.ts';
import type { Palette } from '../draw/palette.ts';
import type { Flag } from '../generated/boundary.ts';
import { BARE_PENNANT, type LabelSide, labelSides } from './scales.ts';

/** Where a pennant stands: its pole, its top, how far its label keeps from the pole, and on which side that is. */
type Place = { readonly x: number; readonly y: number; readonly pad: number; readonly side: LabelSide };

const PAD = 6;

/** A pennant with its label: solid in force, hollow before the playhead has reached it. */
function pennant(pen: Pen, p: Palette, flag: Flag, { x, y, pad, side }: Place): void {
  const text = side === 'none' ? '' : flag.label;
  const more = side === 'none' ? 0 : pad - PAD;
  const w = (side === 'left' ? -1 : 1) * (Math.ceil(pen.measureText(text).width) + BARE_PENNANT + more);
  const notch = side === 'left' ? 4 : -4;
  pen.beginPath();
  pen.moveTo(x + 0.5, y + 0.5);
  pen.lineTo(x + w, y + 0.5);
  pen.lineTo(x + w + notch, y + 6.5);
  pen.lineTo(x + w, y + 12.5);
  pen.lineTo(x + 0.5, y + 12.5);
  pen.closePath();
  pen.fillStyle = flag.applied ? p.accent : p.surface;
  pen.fill();
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1;
  pen.stroke();
  pen.fillStyle = flag.applied ? p.onAccent : p.accent;
  pen.textAlign = side === 'left' ? 'right' : 'left';
  pen.fillText(text, side === 'left' ? x - pad : x + pad, y + 10.5);
}

/** Flags closer than this are one pennant: their poles could not be told apart. */
const SAME_PLACE = 3;

/** Flags that share a place, as one: the first label and how many more; in force only if all of them are. */
export function gathered(
  flags: readonly Flag[],
  places: readonly number[],
): { readonly flags: readonly Flag[]; readonly places: readonly number[] } {
  const groups: { readonly place: number; readonly flags: Flag[] }[] = [];
  flags.forEach((flag, i) => {
    const place = places[i] ?? 0;
    const last = groups.at(-1);
    if (last && place - last.place < SAME_PLACE && last.flags[0]?.applied === flag.applied) last.flags.push(flag);
    else groups.push({ place, flags: [flag] });
  });
  return {
    places: groups.map((g) => g.place),
    flags: groups.map(({ flags: [first, ...more] }) => ({
      at_us: first?.at_us ?? 0,
      applied: first?.applied ?? false,
      label: more.length === 0 ? (first?.label ?? '') : `${first?.label ?? ''} and ${more.length} more`,
    })),
  };
}

/** What labels keep within, and the playhead they do not cross; `knob` is how far its knob reaches to each side. */
type Edges = { readonly left: number; readonly right: number; readonly playhead: number; readonly knob: number };

/** Pennants for the edits at `places`, each with its label where there is room. */
export function pennants(
  pen: Pen,
  p: Palette,
  all: readonly Flag[],
  at: readonly number[],
  y: number,
  edges: Edges,
): void {
  const { flags, places } = gathered(all, at);
  pen.font = font(p, 11, 600);
  // The knob of the playhead covers the start of a label at its own pole.
  const pads = places.map((x) => (Math.abs(x - edges.playhead) < edges.knob ? PAD + edges.knob : PAD));
  const widths = flags.map((f, i) => Math.ceil(pen.measureText(f.label).width) + 10 + (pads[i] ?? PAD));
  const sides = labelSides(places, widths, edges);
  flags.forEach((f, i) => {
    pennant(pen, p, f, { x: places[i] ?? 0, y, pad: pads[i] ?? PAD, side: sides[i] ?? 'none' });
  });
}
