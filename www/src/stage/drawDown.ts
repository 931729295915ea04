// Cards of replicas that start and of those that are down.
import { cross } from '../draw/faultMarks.ts';
import type { Palette } from '../draw/inks.ts';
import { fitted, font, label, roundRect, shareBar } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { isDown } from './facts.ts';
import type { Box, Span } from './layout.ts';
import type { Scene } from './scene.ts';
import { agoWords, downWord, hitWords, servesAt, startShare, startWords } from './starting.ts';

/** What a card shows of a fault before its words: a crossed hatch, or an edge at the left. */
export function drawFaultOfCard(pen: Pen, p: Palette, box: Box, r: ReplicaFrame): void {
  if (isDown(r)) {
    roundRect(pen, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, Math.min(6, box.h / 4));
    pen.fillStyle = p.downHatch;
    pen.fill();
  } else if (r.faults) {
    pen.fillStyle = p.miss;
    pen.fillRect(box.x, box.y + Math.min(6, box.h / 6), 3, box.h - 2 * Math.min(6, box.h / 6));
  }
}

/** A starting replica: its current step, its progress, and when it will serve. */
export function drawStart(s: Scene, box: Box, r: ReplicaFrame): void {
  if (isDown(r)) {
    drawDown(s, box, r);
    return;
  }
  const { pen, p, layout } = s;
  const { id, now } = layout.columns;
  const below = box.y + 41;
  pen.font = font(p, 14, 600);
  label(pen, `r${r.id}`, id.x, box.y + 23, p.ink2);
  pen.font = font(p, 11);
  const words = startWords(s.frame, r);
  label(pen, words, id.x, below, p.ink3);
  const right = now.x + now.w;
  const serves = servesAt(s.frame, r);
  label(pen, serves, right, below, p.ink2, 'right');
  const x = id.x + pen.measureText(words).width + 10;
  const w = right - pen.measureText(serves).width - 10 - x;
  if (w >= 24) shareBar(pen, p, x, below - 6, w, 4, startShare(s.frame, r), p.ink3);
}

/** Plain ground for words on a hatch. */
function plainGround({ pen, p }: Scene, { x, y, w, h }: Box): void {
  roundRect(pen, x, y, w, h, 4);
  pen.fillStyle = p.surface;
  pen.fill();
}

/** Least width of the words about a crash, the gap after them, and the bar beside them. */
const WORDS = 112;
const GAP = 14;
const PROGRESS = { least: 90, most: 168 } as const;

/** A replica that is down: since when, what the crash hit, how long it still is, and that its cache is gone. */
function drawDown(s: Scene, box: Box, r: ReplicaFrame): void {
  const { pen, p, layout } = s;
  const { id } = layout.columns;
  const room = box.x + box.w - 10 - id.x;
  const [hit, fate] = hitWords(r);
  const since = `${agoWords(s.frame, r)}, ${hit}${fate ? ':' : ''}`;
  pen.font = font(p, 11);
  const words = Math.max(WORDS, pen.measureText(since).width, pen.measureText(fate).width) + GAP;
  const bar = Math.min(PROGRESS.most, room - words);
  const wide = bar >= PROGRESS.least;
  plainGround(s, { x: id.x - 6, y: box.y + 5, w: (wide ? words + bar : room) + 12, h: box.h - 10 });
  const mid = box.y + 45;
  const [top, second, third] = [mid - 12, mid + 4, mid + 18];
  drawName(s, { x: id.x, w: room }, top, r);
  const most = wide ? words - GAP : room;
  label(pen, fitted(pen, since, most), id.x, second, p.ink2);
  label(pen, fitted(pen, fate, most), id.x, third, p.ink2);
  if (!wide) return;
  drawProgress(s, { x: id.x + words, w: bar }, second - 8, r);
  pen.font = font(p, 11);
  label(pen, fitted(pen, 'cache empty', bar), id.x + words, third + 4, p.ink3);
}

function drawName(s: Scene, { x, w }: Span, y: number, r: ReplicaFrame): void {
  const { pen, p } = s;
  crossed(pen, p, x, y - 10);
  pen.font = font(p, 14, 600);
  label(pen, `r${r.id}`, x + 18, y, p.ink);
  const after = 18 + pen.measureText(`r${r.id}`).width + 7;
  pen.font = font(p, 11, 600);
  label(pen, fitted(pen, downWord(r), w - after), x + after, y, p.missText);
  pen.font = font(p, 11);
}

/** The phase of a replica that has failed: a crossed square. */
export function crossed(pen: Pen, p: Palette, x: number, y: number): void {
  pen.strokeStyle = p.miss;
  pen.lineWidth = 1.5;
  pen.strokeRect(x + 0.75, y + 0.75, 10.5, 10.5);
  cross(pen, x + 3.5, y + 3.5, 5, p.miss);
}

/** How long it is still down, above a bar. */
function drawProgress(s: Scene, { x, w }: Span, y: number, r: ReplicaFrame): void {
  const { pen, p } = s;
  const comes = (r.life?.ready_us ?? 0) > 0;
  pen.font = font(p, 11);
  if (comes) label(pen, r.life?.step || 'restarting', x, y, p.ink2);
  pen.font = font(p, 11, 600);
  label(pen, servesAt(s.frame, r), comes ? x + w : x, y, p.ink, comes ? 'right' : 'left');
  if (comes) shareBar(pen, p, x, y + 6, w, 6, startShare(s.frame, r), p.ink2);
}
