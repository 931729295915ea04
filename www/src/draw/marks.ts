// The marks: small shapes with the same meaning everywhere.

import { CLIENT_SHAPES, letterOf } from './clients.ts';
import type { Palette } from './inks.ts';
import { DASHES, LINES, REQUESTS } from './looks.ts';
import type { Pen } from './pen.ts';

export type Align = 'left' | 'right' | 'center';
type Point = readonly [x: number, y: number];
type Piece = { readonly from: Point; readonly to: Point };
export type Health = 'none' | 'met' | 'risk' | 'missed';

const FULL = Math.PI * 2;
const fonts = new Map<string, string>();

/** A canvas font string in the page's font, made once per size and weight. */
export function font(p: Palette, size: number, weight: 400 | 600 = 400): string {
  const key = `${size}/${weight}/${p.font}`;
  let made = fonts.get(key);
  if (made === undefined) {
    made = `${weight} ${size}px ${p.font}`;
    fonts.set(key, made);
  }
  return made;
}

/** Text with its baseline at `y`. Returns nothing: measuring is a separate, avoidable cost. */
export function label(pen: Pen, text: string, x: number, y: number, fill: string, align: Align = 'left'): void {
  pen.fillStyle = fill;
  pen.textAlign = align;
  pen.fillText(text, x, y);
}

/** A word in the middle of a drawing, on its own ground, so that no line crosses it. */
export function plate(pen: Pen, p: Palette, text: string, x: number, y: number): void {
  const w = pen.measureText(text).width + 8;
  pen.fillStyle = p.surface;
  pen.fillRect(x - w / 2, y - 12, w, 16);
  label(pen, text, x, y, p.ink3, 'center');
}

/**
 * A strong number followed by a quiet word, `11 waiting`; the word is left out if it would end beyond `right`. Leaves
 * an 11 px regular font; returns its right end.
 */
export function figure(
  pen: Pen,
  p: Palette,
  [value, word]: readonly [string, string],
  x: number,
  y: number,
  right: number,
): number {
  pen.font = font(p, 11, 600);
  label(pen, value, x, y, p.ink);
  const end = x + pen.measureText(value).width;
  pen.font = font(p, 11);
  const whole = end + 3 + pen.measureText(word).width;
  if (whole > right) return end;
  label(pen, word, end + 3, y, p.ink3);
  return whole;
}

/** Text that ends at `right`; left out if it would come closer to `from` than the distance of two words. */
export function labelFrom(pen: Pen, text: string, from: number, right: number, y: number, fill: string): void {
  if (right - pen.measureText(text).width >= from + 6) label(pen, text, right, y, fill, 'right');
}

/** A straight line with a meaning, in one or several pieces; the pen's lines are solid after it. */
export function lineOf(pen: Pen, p: Palette, kind: keyof typeof LINES, ...pieces: readonly Piece[]): void {
  const { ink, width, dash } = LINES[kind];
  pen.strokeStyle = p[ink];
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  for (const { from, to } of pieces) {
    pen.moveTo(...from);
    pen.lineTo(...to);
  }
  pen.stroke();
  pen.setLineDash(DASHES.solid);
}

export function roundRect(pen: Pen, x: number, y: number, w: number, h: number, r: number): void {
  pen.beginPath();
  pen.roundRect(x, y, w, h, r);
}

/** A tenant by shape alone, then by letters. */
export function tenant(pen: Pen, p: Palette, client: number, x: number, y: number, r: number, fill: string): void {
  pen.fillStyle = fill;
  pen.beginPath();
  const shape = CLIENT_SHAPES[client];
  if (shape) {
    shape.trace(pen, x, y, r);
    pen.fill();
    return;
  }
  pen.font = font(p, Math.max(8, Math.round(r * 3.4)), 600);
  pen.textAlign = 'center';
  pen.fillText(letterOf(client), x, y + r * 1.2);
}

/** The state of an objective: ● met, ◆ at risk, ▲ missed, nothing without an objective or a sample. */
export function healthMark(pen: Pen, p: Palette, health: Health, x: number, y: number): void {
  if (health === 'none') return;
  pen.beginPath();
  if (health === 'met') {
    pen.fillStyle = p.decode;
    pen.arc(x, y, 3.5, 0, FULL);
  } else if (health === 'risk') {
    pen.fillStyle = p.warn;
    pen.moveTo(x, y - 4);
    pen.lineTo(x + 4, y);
    pen.lineTo(x, y + 4);
    pen.lineTo(x - 4, y);
    pen.closePath();
  } else {
    pen.fillStyle = p.miss;
    pen.moveTo(x, y - 4);
    pen.lineTo(x + 4.6, y + 4);
    pen.lineTo(x - 4.6, y + 4);
    pen.closePath();
  }
  pen.fill();
}

/** A queued request: hollow, the tenant inside; dashed and purple if it was preempted. */
export function chip(
  pen: Pen,
  p: Palette,
  x: number,
  y: number,
  client: number,
  preempted: boolean,
  selected: boolean,
  retried = false,
): void {
  const { ink, dash } = REQUESTS[preempted ? 'preempted' : 'waiting'];
  pen.strokeStyle = selected ? p.accent : p[ink];
  pen.lineWidth = selected ? 2 : 1;
  pen.setLineDash(selected ? DASHES.solid : dash);
  roundRect(pen, x + 0.5, y + 0.5, CHIP - 1, CHIP - 1, 2);
  pen.stroke();
  pen.setLineDash(DASHES.solid);
  if (retried) notch(pen, x + CHIP, y, selected ? p.accent : p.ink2);
  tenant(pen, p, client, x + CHIP / 2, y + CHIP / 2, 2.4, preempted ? p.preempt : p.ink2);
}

/** The corner of a request whose attempt broke before. */
export function notch(pen: Pen, right: number, y: number, paint: string): void {
  pen.fillStyle = paint;
  pen.beginPath();
  pen.moveTo(right - 5, y);
  pen.lineTo(right, y);
  pen.lineTo(right, y + 5);
  pen.closePath();
  pen.fill();
}

export const CHIP = 13;
export const CHIP_GAP = 1.2;

/** `text` cut to `width` pixels, with an ellipsis. */
export function shortened(text: string, width: number, measure: (text: string) => number): string {
  let out = text;
  while (out.length > 1 && measure(out) > width)
    out = `${out.slice(0, out.endsWith('…') ? -2 : -1).replace(/[\s.,]+$/, '')}…`;
  return out;
}

/** Shortens `text` in the pen's font. Results are cached, because names recur in every frame. */
export function fitted(pen: Pen, text: string, width: number): string {
  // The width is part of the key: it changes when the font loads.
  const wide = pen.measureText(text).width;
  if (wide <= width) return text;
  const key = `${Math.round(width)}|${pen.font}|${wide}|${text}`;
  const known = fits.get(key);
  if (known !== undefined) return known;
  const out = shortened(text, width, (part) => pen.measureText(part).width);
  if (fits.size > 500) fits.clear();
  fits.set(key, out);
  return out;
}
const fits = new Map<string, string>();

/** A thin bar whose filled part is a share. */
export function shareBar(
  pen: Pen,
  p: Palette,
  x: number,
  y: number,
  w: number,
  h: number,
  share: number,
  fill: string,
): void {
  pen.fillStyle = p.kvFree;
  pen.fillRect(x, y, w, h);
  pen.fillStyle = fill;
  pen.fillRect(x, y, w * Math.min(1, Math.max(0, share)), h);
}
