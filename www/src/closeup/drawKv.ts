// Draws the map of blocks: the strip of all of them, and a page of them as a grid.

import { count } from '../base/units.ts';
import { heatPaint } from '../draw/heat.ts';
import type { Palette } from '../draw/inks.ts';
import { DASHES } from '../draw/looks.ts';
import type { Pen } from '../draw/pen.ts';
import { ACROSS, type KvMark, type KvPicture, LOOK, NO_GROUP } from './kvPicture.ts';

/** Draws it; returns whether a mark on it is still to go. */
export function drawKv(pen: Pen, p: Palette, picture: KvPicture): boolean {
  drawStrip(pen, p, picture);
  drawRowNumbers(pen, p, picture);
  drawLooks(pen, p, picture);
  drawOutline(pen, p, picture);
  return drawMarks(pen, p, picture);
}

function cornerOf({ layout: l }: KvPicture, index: number): readonly [number, number] {
  return [l.left + (index % ACROSS) * l.pitch, l.gridTop + Math.floor(index / ACROSS) * l.pitch];
}

/** All blocks in columns, the page shown, and where it lies below. */
function drawStrip(pen: Pen, p: Palette, picture: KvPicture): void {
  const { layout: l, strip, pages, page } = picture;
  pen.fillStyle = p.kvFree;
  pen.fillRect(l.left, 0, l.width, l.stripHeight);
  const wide = l.width / Math.max(1, strip.length);
  strip.forEach((column, i) => {
    const all = column.reduce((sum, n) => sum + n, 0);
    let y = l.stripHeight;
    [p.kvUsed, p.kvShared, p.cachedHatch].forEach((paint, kind) => {
      const high = (l.stripHeight * (column[kind] ?? 0)) / Math.max(1, all);
      pen.fillStyle = paint;
      pen.fillRect(l.left + i * wide, y - high, Math.ceil(wide), high);
      y -= high;
    });
  });
  if (pages < 2) return;
  const [from, to] = [page, page + 1].map((n) => l.left + (n * l.width) / pages);
  if (from === undefined || to === undefined) return;
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(from, 0.75, Math.max(2, to - from), l.stripHeight - 1.5);
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(from, l.stripHeight);
  pen.lineTo(l.left, l.gridTop - 2);
  pen.moveTo(to, l.stripHeight);
  pen.lineTo(l.left + l.width, l.gridTop - 2);
  pen.stroke();
}

/** The number of the first block of every eighth row. */
function drawRowNumbers(pen: Pen, p: Palette, picture: KvPicture): void {
  const { layout: l, first, bytes } = picture;
  if (l.left === 0) return;
  pen.fillStyle = p.ink3;
  pen.font = `400 11px ${p.font}`;
  pen.textAlign = 'right';
  pen.textBaseline = 'top';
  const rows = Math.ceil((bytes?.length ?? 0) / ACROSS);
  for (let row = 0; row < rows; row += 8)
    pen.fillText(count(first + row * ACROSS), l.left - 5, l.gridTop + row * l.pitch - 2);
  pen.textAlign = 'left';
}

/** The blocks, look by look, so that each paint is set once. */
function drawLooks(pen: Pen, p: Palette, picture: KvPicture): void {
  const looks = picture.bytes;
  if (!looks) return;
  const byLook = new Map<number, number[]>();
  looks.forEach((look, index) => {
    const known = byLook.get(look);
    if (known) known.push(index);
    else byLook.set(look, [index]);
  });
  const cell = picture.layout.pitch - 1;
  for (const [look, all] of byLook) {
    const corners = all.map((index) => cornerOf(picture, index));
    drawLook(pen, p, look, corners, cell);
  }
  pen.globalAlpha = 1;
}

type Corners = readonly (readonly [number, number])[];

/** A part of a cell, from its corner. */
type Part = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
const square = (at: number, size: number): Part => ({ x: at, y: at, w: size, h: size });

function fill(pen: Pen, paint: string | CanvasPattern, at: Corners, part: Part): void {
  pen.fillStyle = paint;
  for (const [x, y] of at) pen.fillRect(x + part.x, y + part.y, part.w, part.h);
}

function drawLook(pen: Pen, p: Palette, look: number, at: Corners, s: number): void {
  const whole = square(0, s);
  pen.globalAlpha = 1;
  if (look >= LOOK.ages) fill(pen, heatPaint(p.dark, (look - LOOK.ages + 1) / 16), at, whole);
  else if (look >= LOOK.groups) drawGroup(pen, p, look - LOOK.groups, at, s);
  else if (look >= LOOK.quarters) drawQuarters(pen, p, look - LOOK.quarters + 1, at, s);
  else if (look === LOOK.used) fill(pen, p.kvUsed, at, whole);
  else if (look === LOOK.shared) fill(pen, p.kvShared, at, whole);
  else if (look === LOOK.free) fill(pen, p.kvFree, at, whole);
  else if (look === LOOK.cached) drawCached(pen, p.kvCached, at, s);
  else if (look === LOOK.handedOver) {
    fill(pen, p.kvUsed, at, whole);
    fill(pen, p.surface, at, square(s / 2 - 1, 2));
  } else if (look === LOOK.setAside || look === LOOK.held) outline(pen, p.kvUsed, at, s);
  else outline(pen, p.line, at, s);
}

function outline(pen: Pen, paint: string, at: Corners, s: number): void {
  pen.strokeStyle = paint;
  pen.lineWidth = 1;
  for (const [x, y] of at) pen.strokeRect(x + 0.5, y + 0.5, s - 1, s - 1);
}

/** A line at 45° over a faint ground. */
function drawCached(pen: Pen, paint: string, at: Corners, s: number): void {
  pen.globalAlpha = 0.25;
  fill(pen, paint, at, square(0, s));
  pen.globalAlpha = 1;
  stroke(pen, paint, at, [[0, s, s, 0]], 1.2);
}

function stroke(pen: Pen, paint: string, at: Corners, lines: readonly (readonly number[])[], width: number): void {
  pen.strokeStyle = paint;
  pen.lineWidth = width;
  pen.beginPath();
  for (const [x, y] of at)
    for (const [ax = 0, ay = 0, bx = 0, by = 0] of lines) {
      pen.moveTo(x + ax, y + ay);
      pen.lineTo(x + bx, y + by);
    }
  pen.stroke();
}

/** As many quarters as requests: one, two, three for up to seven, four for more. */
function drawQuarters(pen: Pen, p: Palette, quarters: number, at: Corners, s: number): void {
  fill(pen, p.kvFree, at, square(0, s));
  const half = s / 2;
  const corners = [
    [0, half],
    [half, half],
    [half, 0],
    [0, 0],
  ];
  const paint = quarters > 1 ? p.kvShared : p.kvUsed;
  for (const [dx = 0, dy = 0] of corners.slice(0, quarters)) fill(pen, paint, at, { x: dx, y: dy, w: half, h: half });
}

/** The paint of a prefix group; the seventh is that of blocks of none. */
export function groupPaint(p: Palette, group: number): string {
  return [p.prefill, p.warn, p.decode, p.kvShared, p.preempt, p.miss][group] ?? p.ink3;
}

/** A group by colour and shape: full, two bars, a dot, a stroke each way, a cross; only cached: thin, on a wash. */
function drawGroup(pen: Pen, p: Palette, code: number, at: Corners, s: number): void {
  const group = Math.floor(code / 2);
  const cached = code % 2 === 1;
  const paint = groupPaint(p, group);
  pen.globalAlpha = cached ? 0.25 : group === 0 || group === NO_GROUP ? 1 : 0.35;
  fill(pen, paint, at, square(0, s));
  pen.globalAlpha = 1;
  const width = cached ? 1 : Math.max(1.5, s / 3);
  const third = s / 3;
  if (group === 1)
    stroke(
      pen,
      paint,
      at,
      [
        [0, third - 0.5, s, third - 0.5],
        [0, s - 0.5, s, s - 0.5],
      ],
      width,
    );
  else if (group === 2) fill(pen, paint, at, cached ? square(third, 1.5) : square(third / 2, s - third));
  else if (group === 3) stroke(pen, paint, at, [[0, s, s, 0]], width);
  else if (group === 4) stroke(pen, paint, at, [[0, 0, s, s]], width);
  else if (group === 5)
    stroke(
      pen,
      paint,
      at,
      [
        [s / 2, 0, s / 2, s],
        [0, s / 2, s, s / 2],
      ],
      width,
    );
  else if (cached) stroke(pen, paint, at, [[0, s, s, 0]], group === NO_GROUP ? 0.7 : 1);
}

/** The outline of the blocks that belong together, the block pointed at, and the one that is pinned. */
function drawOutline(pen: Pen, p: Palette, picture: KvPicture): void {
  const { lit, layout: l, pinned, pointed } = picture;
  const isLit = new Set(lit);
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const index of lit) {
    const [x, y] = cornerOf(picture, index);
    const [a, b] = [x - 0.5, y - 0.5];
    const sides: readonly (readonly [boolean, number, number, number, number])[] = [
      [index >= ACROSS && isLit.has(index - ACROSS), a, b, a + l.pitch, b],
      [isLit.has(index + ACROSS), a, b + l.pitch, a + l.pitch, b + l.pitch],
      [index % ACROSS > 0 && isLit.has(index - 1), a, b, a, b + l.pitch],
      [index % ACROSS < ACROSS - 1 && isLit.has(index + 1), a + l.pitch, b, a + l.pitch, b + l.pitch],
    ];
    for (const [joined, ax, ay, bx, by] of sides) {
      if (joined) continue;
      pen.moveTo(ax, ay);
      pen.lineTo(bx, by);
    }
  }
  pen.stroke();
  for (const index of [pinned, pointed]) {
    if (index === undefined) continue;
    const [x, y] = cornerOf(picture, index);
    pen.lineWidth = 3.5;
    pen.strokeStyle = p.surface;
    pen.strokeRect(x - 1.5, y - 1.5, l.pitch + 2, l.pitch + 2);
    pen.lineWidth = 2;
    pen.strokeStyle = p.accent;
    pen.strokeRect(x - 1.5, y - 1.5, l.pitch + 2, l.pitch + 2);
  }
}

function drawMarks(pen: Pen, p: Palette, picture: KvPicture): boolean {
  if (picture.marks.length === 0 || Date.now() >= picture.markedUntil) return false;
  const of = (kind: KvMark['kind']): Corners =>
    picture.marks.filter((mark) => mark.kind === kind).map((mark) => cornerOf(picture, mark.index));
  const s = picture.layout.pitch - 1;
  outline(pen, p.ink, of('hit'), s);
  stroke(
    pen,
    p.ink,
    of('evicted'),
    [
      [0, 0, s, s],
      [0, s, s, 0],
    ],
    1.5,
  );
  pen.setLineDash(DASHES.preempted);
  outline(pen, p.preempt, of('preempted'), s);
  pen.setLineDash(DASHES.solid);
  return true;
}
