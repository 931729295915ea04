// Pennants for edits on a time axis. Their positions and labels are computed separately from the drawing.

import { areScheduled } from '../base/view.ts';
import { faultGlyph, GLYPH } from '../draw/faultMarks.ts';
import type { Palette } from '../draw/inks.ts';
import { font, shortened } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { Flag } from '../generated/boundary.ts';

/** One pennant: its pole, the side of its label, and its edits. */
export type Pennant = {
  readonly x: number;
  readonly side: 'right' | 'left';
  readonly text: string;
  /** Distance of the label from the pole. */
  readonly pad: number;
  /** From the pole to the tip. */
  readonly width: number;
  readonly flags: readonly Flag[];
};

/** The bounds of labels, and the playhead that they avoid crossing; `knob` is half the width of its knob. */
export type Edges = { readonly left: number; readonly right: number; readonly playhead: number; readonly knob: number };
type Measure = (text: string) => number;
type Group = { readonly x: number; readonly flags: readonly Flag[] };

export const PENNANT = 13;
const PAD = 6;
/** The width of a pennant besides pad and text: the notch. */
const TAIL = 9;
/** Edits closer than this share a pennant, because their poles could not be distinguished. */
const SAME_PLACE = 3;
/** The longest label, and the shortest useful one. */
const LONGEST = 150;
const SHORTEST = 44;

/** Groups edits that share a place; edits in force and edits ahead stay apart. */
export function gathered(flags: readonly Flag[], places: readonly number[]): Group[] {
  const groups: { x: number; flags: Flag[] }[] = [];
  flags.forEach((flag, i) => {
    const x = places[i] ?? 0;
    const last = groups.at(-1);
    if (last && x - last.x < SAME_PLACE && last.flags[0]?.applied === flag.applied) last.flags.push(flag);
    else groups.push({ x, flags: [flag] });
  });
  return groups;
}

/**
 * A pennant for every edit: with its label whole or shortened or, merged with its neighbours, with their number. No two
 * pennants touch. `places` must ascend.
 */
export function placePennants(
  flags: readonly Flag[],
  places: readonly number[],
  edges: Edges,
  measure: Measure,
): readonly Pennant[] {
  const groups = gathered(flags, places);
  const out: Pennant[] = [];
  const endOf = (p: Pennant | undefined): number => (p ? p.x + (p.side === 'right' ? p.width : 1) : edges.left);
  const placed = (group: Group, next: number): Pennant | undefined =>
    fitted(group, endOf(out.at(-1)), Math.min(edges.right, next), edges, measure);
  let i = 0;
  // Terminates: each turn places a group, joins two, or makes room once.
  let madeRoom = false;
  while (i < groups.length) {
    const group = groups[i];
    if (!group) break;
    const next = groups[i + 1];
    const made = placed(group, next?.x ?? Number.POSITIVE_INFINITY);
    if (made) {
      out.push(made);
      i += 1;
      continue;
    }
    if (next) {
      groups.splice(i, 2, joined(group, next));
      continue;
    }
    // At the right edge the previous pennant makes room, or else absorbs this one.
    const last = out.pop();
    const before = groups[i - 1];
    if (!last || !before) {
      out.push(forced(group, measure));
      break;
    }
    const narrower = madeRoom ? undefined : placed(before, group.x - countWidth(group, measure));
    madeRoom = true;
    if (narrower) {
      out.push(narrower);
    } else {
      i -= 1;
      groups.splice(i, 2, joined(before, group));
    }
  }
  return out;
}

const joined = (a: Group, b: Group): Group => ({ x: a.x, flags: [...a.flags, ...b.flags] });
const countOf = (group: Group): string => String(group.flags.length);
const countWidth = (group: Group, measure: Measure): number => PAD + Math.ceil(measure(countOf(group))) + TAIL + 1;

function forced(group: Group, measure: Measure): Pennant {
  return {
    x: group.x,
    side: 'right',
    text: countOf(group),
    pad: PAD,
    width: countWidth(group, measure),
    flags: group.flags,
  };
}

/** The longest label for a group that fits between `taken` and `next`, preferably without crossing the playhead. */
function fitted(group: Group, taken: number, next: number, edges: Edges, measure: Measure): Pennant | undefined {
  const { x, flags } = group;
  // The knob of the playhead covers the start of a label at its own pole.
  const pad = (Math.abs(x - edges.playhead) < edges.knob ? PAD + edges.knob : PAD) + (glyphOf(flags) ? GLYPH : 0);
  const first = shortened(flags[0]?.label ?? '', LONGEST, measure);
  const more = flags.length - 1;
  // Several edits have the same label everywhere: their number.
  const words = more === 0 ? [first] : [`${flags.length} edits`];
  const at = (text: string, side: 'right' | 'left'): Pennant => {
    const width = pad + Math.ceil(measure(text)) + TAIL;
    return { x, side, text, pad, width, flags };
  };
  const fits = ({ side, width }: Pennant): boolean => (side === 'right' ? x + width <= next : x - width >= taken);
  const crossed = ({ side, width }: Pennant): boolean =>
    side === 'right'
      ? edges.playhead > x && edges.playhead < x + width
      : edges.playhead < x && edges.playhead > x - width;
  const tries = words.flatMap((text) => [at(text, 'right'), at(text, 'left')]).filter(fits);
  const { playhead, knob } = edges;
  const beside = between(x, playhead < x ? playhead + knob : taken, playhead > x ? playhead - knob : next);
  const anywhere = between(x, taken, next);
  const shortenedTo = ({ side, room }: Room): Pennant | undefined => {
    const most = room - pad - TAIL;
    const short = at(withoutBeginning(first, most, measure), side);
    return more === 0 && most >= SHORTEST && fits(short) ? short : undefined;
  };
  // A shortened label beside the playhead is better than a whole one under it.
  const found = tries.find((p) => !crossed(p)) ?? shortenedTo(beside) ?? tries[0] ?? shortenedTo(anywhere);
  if (found || more === 0) return found;
  const bare = at(countOf(group), anywhere.side);
  return fits(bare) ? bare : undefined;
}

/** A label without its first words, so that the new value stays; cut only if even that is too long. */
export function withoutBeginning(label: string, most: number, measure: Measure): string {
  const words = label.split(' ');
  // The number of further changes is no beginning.
  const from = words.findIndex((word, i) => !word.startsWith('+') && measure(words.slice(i).join(' ')) <= most);
  return from >= 0 ? words.slice(from).join(' ') : shortened(label, most, measure);
}

type Room = { readonly side: 'right' | 'left'; readonly room: number };

/** The side of a place with more room between two others. */
function between(x: number, left: number, right: number): Room {
  return right - x >= x - left
    ? { side: 'right', room: Math.floor(right - x) }
    : { side: 'left', room: Math.floor(x - left) };
}

/** The kind of the fault of a pennant with one edit; undefined if it has none. */
export const glyphOf = (flags: readonly Flag[]): string | undefined =>
  flags.length === 1 ? flags[0]?.fault?.kind : undefined;

function drawPennant(pen: Pen, p: Palette, one: Pennant, y: number): void {
  const { side, text, pad } = one;
  const x = Math.round(one.x);
  const applied = one.flags.every((f) => f.applied);
  pen.globalAlpha = one.flags.every((f) => f.off) ? 0.45 : 1;
  const w = side === 'left' ? -one.width : one.width;
  const notch = side === 'left' ? 4 : -4;
  const scheduled = areScheduled(one.flags);
  const ink = scheduled ? (applied ? p.ink2 : p.ink3) : p.accent;
  const filled = applied && !scheduled;
  pen.strokeStyle = ink;
  pen.beginPath();
  pen.moveTo(x + 0.5, y + 0.5);
  pen.lineTo(x + w, y + 0.5);
  pen.lineTo(x + w + notch, y + 6.5);
  pen.lineTo(x + w, y + 12.5);
  pen.lineTo(x + 0.5, y + 12.5);
  pen.closePath();
  pen.fillStyle = filled ? p.accent : p.surface;
  pen.fill();
  pen.stroke();
  const kind = glyphOf(one.flags);
  if (kind !== undefined)
    faultGlyph(pen, kind, side === 'left' ? x - pad + 3 : x + pad - GLYPH, y + 2, filled ? p.onAccent : p.miss);
  pen.fillStyle = filled ? p.onAccent : ink;
  pen.textAlign = side === 'left' ? 'right' : 'left';
  pen.fillText(text, side === 'left' ? x - pad : x + pad, y + 10.5);
  pen.globalAlpha = 1;
}

/** The pennant under a place on its lane. */
export function pennantAt(all: readonly Pennant[], x: number): Pennant | undefined {
  const REACH = 3;
  const spans = all.map((p) => (p.side === 'right' ? [p.x - REACH, p.x + p.width] : [p.x - p.width, p.x + REACH]));
  return all[spans.findIndex(([from, to]) => x >= (from ?? 0) && x <= (to ?? 0))];
}

/**
 * Places pennants for the edits at `places` and draws them: those of the user's hand solid if in force and hollow ahead of
 * the playhead, those of the scenario as outlines; with a pole for every edit.
 */
export function pennants(
  pen: Pen,
  p: Palette,
  flags: readonly Flag[],
  places: readonly number[],
  y: number,
  edges: Edges,
): readonly Pennant[] {
  pen.font = font(p, 11, 600);
  const all = placePennants(flags, places, edges, (text) => pen.measureText(text).width);
  pen.lineWidth = 1;
  flags.forEach((flag, i) => {
    pen.fillStyle = areScheduled([flag]) ? p.ink2 : p.accent;
    pen.fillRect(Math.round(places[i] ?? 0), y, 1, PENNANT);
  });
  for (const one of all) drawPennant(pen, p, one, y);
  return all;
}
