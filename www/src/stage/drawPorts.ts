// The ports between the cards: ribbons of what flows, bars of what is used, and a wedge for each transfer.
import { percent, text } from '../base/units.ts';
import type { Palette } from '../draw/inks.ts';
import { font, label, roundRect } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { writtenOf } from './facts.ts';
import type { Box } from './layout.ts';
import type { PortBar, Ribbon, Ribbons, Wedge } from './ribbons.ts';
import { ribbonsOf, stepOf } from './ribbons.ts';
import type { Scene } from './scene.ts';
import type { SplitLayout } from './splitLayout.ts';

/** How strong each step of a ribbon is. */
const STRENGTH = [0.14, 0.3, 0.52, 0.5] as const;
/** From this use on a port is amber. */
export const HOT = 0.9;
/** With more transfers than this their wedges are small. */
const MANY = 12;

export function drawPorts(s: Scene, split: SplitLayout): void {
  const { frame } = s;
  if (!frame.split) return;
  const all = ribbonsOf(frame.split, s.replicas, split);
  const ordered = all.ribbons.toSorted((a, b) => a.step - b.step || a.width - b.width);
  for (const ribbon of ordered) drawRibbon(s, all, ribbon, split.vertical);
  if (all.ribbons.length === 0) drawNothing(s, split);
  const chosen = all.wedges.filter((w) => w.transfer.request === s.request);
  for (const wedge of chosen) outline(s, all, wedge, split.vertical);
  const words = split.vertical ? undefined : chosen.map((wedge) => wedgeBox(s, wedge)).find((box) => box);
  for (const port of all.ports) drawPort(s, port, split.vertical);
  const size = all.wedges.length > MANY ? 0.65 : 1;
  for (const wedge of all.wedges) if (wedge.transfer.request !== s.request) drawWedge(s, wedge, size, split.vertical);
  for (const wedge of chosen) drawWedge(s, wedge, 1, split.vertical);
  for (const port of all.ports)
    if (port.card.side === 'prefill' && port.card.size !== 'rank') portWords(s, port, split.vertical, words);
  const [first] = chosen;
  if (first && words) wedgeWords(s, first, words);
}

function outlinePath(pen: Pen, all: Ribbons, r: Ribbon, vertical: boolean): void {
  const { from, to } = all;
  const middle = (from + to) / 2;
  const [w, point] = [Math.max(r.width - 0.8, 0.4), place(pen, vertical)];
  pen.beginPath();
  point.move(from, r.start);
  point.curve(middle, r.start, middle, r.end, to, r.end);
  point.line(to, r.end + w);
  point.curve(middle, r.end + w, middle, r.start + w, from, r.start + w);
  pen.closePath();
}

/** The pen along the way of the KV and across it. */
function place(pen: Pen, vertical: boolean) {
  return {
    move: (u: number, v: number) => (vertical ? pen.moveTo(v, u) : pen.moveTo(u, v)),
    line: (u: number, v: number) => (vertical ? pen.lineTo(v, u) : pen.lineTo(u, v)),
    curve: (a: number, b: number, c: number, d: number, e: number, f: number) =>
      vertical ? pen.bezierCurveTo(b, a, d, c, f, e) : pen.bezierCurveTo(a, b, c, d, e, f),
  };
}

function drawRibbon(s: Scene, all: Ribbons, r: Ribbon, vertical: boolean): void {
  const { pen, p } = s;
  outlinePath(pen, all, r, vertical);
  pen.fillStyle = r.step === 3 ? p.warn : p.ink;
  pen.globalAlpha = STRENGTH[r.step];
  pen.fill();
  if (r.step === 3 && r.width > 1.5) {
    pen.strokeStyle = p.warn;
    pen.lineWidth = 0.75;
    pen.globalAlpha = 0.8;
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** The ribbon of the chosen transfer has an outline. */
function outline(s: Scene, all: Ribbons, { transfer }: Wedge, vertical: boolean): void {
  const ribbon = all.ribbons.find(({ pair }) => pair.from === transfer.from && pair.to === transfer.to);
  if (!ribbon) return;
  outlinePath(s.pen, all, ribbon, vertical);
  s.pen.strokeStyle = s.p.accent;
  s.pen.lineWidth = 1.5;
  s.pen.stroke();
}

function drawPort(s: Scene, { card, length, filled, used }: PortBar, vertical: boolean): void {
  const { pen, p } = s;
  const { across, along } = card.port;
  const hot = used >= HOT;
  const bar = (depth: number, size: number): readonly [number, number, number, number] =>
    vertical
      ? [across - size / 2, along - depth / 2, size, depth]
      : [along - depth / 2, across - size / 2, depth, size];
  const [x, y, w, h] = bar(7, length + 1);
  roundRect(pen, x, y, w, h, 1);
  pen.fillStyle = p.surface;
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = hot ? p.warn : p.lineStrong;
  pen.stroke();
  pen.fillStyle = hot ? p.warn : p.ink2;
  pen.fillRect(...bar(4, filled));
}

/** How full the port is, in a number: on a phone beside it, else above it if there is room. */
function portWords(s: Scene, { card, length, replica }: PortBar, vertical: boolean, words: Box | undefined): void {
  const { pen, p } = s;
  const { across, along } = card.port;
  const here = s.replicas.find((r) => r.id === replica);
  const share = (here && writtenOf(s.written, here).split?.out.used) ?? 0;
  const quantity = percent(share);
  const value = text(quantity);
  const ink = stepOf(share) === 3 ? p.warnText : p.ink;
  const half = length / 2;
  pen.font = font(p, 11, 600);
  if (vertical) {
    const room = card.box.w / 2 - half - 4;
    const fits = [value, quantity.value].find((w) => pen.measureText(w).width <= room);
    if (fits) label(pen, fits, across + half + 4, along + 4, ink);
    return;
  }
  const y = across - half - 8;
  const beside = words && words.x < along + 64 && y - 9 < words.y + words.h && y + 3 > words.y;
  if (card.box.h < 2 * half + 34 || beside) return;
  pen.font = font(p, 11);
  label(pen, 'out', along + 9, y, p.ink3);
  const x = along + 12 + pen.measureText('out').width;
  pen.font = font(p, 11, 600);
  label(pen, value, x, y, ink);
}

function wedgePath(pen: Pen, { x, y }: Wedge, size: number, vertical: boolean): void {
  const points: readonly (readonly [number, number])[] = [
    [-8, -6],
    [-8, 6],
    [5, 1],
    [5, -1],
  ];
  pen.beginPath();
  for (const [a, b] of points) {
    const [dx, dy] = vertical ? [b * size, a * size] : [a * size, b * size];
    pen.lineTo(x + dx, y + dy);
  }
  pen.closePath();
}

function drawWedge(s: Scene, wedge: Wedge, size: number, vertical: boolean): void {
  const { pen, p } = s;
  const chosen = wedge.transfer.request === s.request;
  wedgePath(pen, wedge, size, vertical);
  pen.fillStyle = p.prefill;
  pen.fill();
  pen.strokeStyle = chosen ? p.accent : p.surface;
  pen.lineWidth = chosen ? 2 : 1.25;
  pen.stroke();
}

const wordsOf = ({ transfer }: Wedge): string => `#${transfer.request} ${text(percent(transfer.share))}`;

/** Where the words of the chosen transfer are: below its wedge and between the ports; undefined without room. */
function wedgeBox({ pen, p, layout }: Scene, wedge: Wedge): Box | undefined {
  pen.font = font(p, 11, 600);
  const w = pen.measureText(wordsOf(wedge)).width + 8;
  const split = layout.split;
  if (!split) return undefined;
  const low = split.prefill.x + split.prefill.w + 14;
  const high = split.decode.x - 14 - w;
  return high < low ? undefined : { x: Math.min(high, Math.max(low, wedge.x - w / 2)), y: wedge.y + 9, w, h: 15 };
}

/** The number of the chosen transfer with what has landed of it. */
function wedgeWords({ pen, p }: Scene, wedge: Wedge, { x, y, w, h }: Box): void {
  pen.globalAlpha = 0.9;
  pen.fillStyle = p.surface;
  pen.fillRect(x, y, w, h);
  pen.globalAlpha = 1;
  pen.font = font(p, 11, 600);
  label(pen, wordsOf(wedge), x + 4, y + 11, p.accent);
}

/** Without any ribbon: why. */
function drawNothing(s: Scene, split: SplitLayout): void {
  const { pen, p, written } = s;
  const because = written.split?.decided.local_because ?? '';
  const why: Record<string, string> = {
    'no-prefill': 'all local: no prefill replica',
    short: 'all local: short',
    busy: 'all local: prefill is busy',
    never: 'all local: never remote',
  };
  const words = because === '' ? 'nothing has flowed' : (why[because] ?? '');
  if (words === '' || (written.split?.decided.remote_share ?? 0) > 0) return;
  const [x, w] = split.vertical
    ? [split.prefill.x, split.prefill.w]
    : [split.prefill.x + split.prefill.w + 8, split.decode.x - split.prefill.x - split.prefill.w - 16];
  const y = split.vertical ? split.decode.y - 52 : split.prefill.y + split.prefill.h / 2;
  pen.font = font(p, 11);
  if (pen.measureText(words).width <= w) label(pen, words, x + w / 2, y, p.ink3, 'center');
}

/** The legend of a ribbon's fullness. */
export function drawFullness(s: Scene, x: number, right: number, y: number): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const steps: readonly (readonly [string, Ribbon['step']])[] = [
    ['under 50', 0],
    ['50–75', 1],
    ['75–90', 2],
    ['over 90 % full', 3],
  ];
  const whole = steps.reduce((sum, [word]) => sum + 19 + pen.measureText(word).width + 8, -8);
  if (right - whole < x) return;
  let at = right - whole;
  for (const [word, step] of steps) {
    swatch(pen, p, at, y - 8, step);
    label(pen, word, at + 19, y, p.ink3);
    at += 27 + pen.measureText(word).width;
  }
}

function swatch(pen: Pen, p: Palette, x: number, y: number, step: Ribbon['step']): void {
  pen.fillStyle = step === 3 ? p.warn : p.ink;
  pen.globalAlpha = STRENGTH[step];
  pen.fillRect(x, y, 14, 8);
  pen.globalAlpha = 1;
  if (step !== 3) return;
  pen.fillRect(x, y, 14, 1);
  pen.fillRect(x, y + 7, 14, 1);
}
