// Cards of replicas that start, that are down, and of those with which something is wrong.
import { bolt, cross } from '../draw/faultMarks.ts';
import type { Palette } from '../draw/inks.ts';
import { fitted, font, label, labelFrom, roundRect, shareBar } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { isDown } from './facts.ts';
import { type Box, COLUMN_GAP, type Span } from './layout.ts';
import type { Scene } from './scene.ts';
import { agoWords, downWord, faultWords, hitWords, servesAt, startShare, startWords } from './starting.ts';

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
  if (isDown(r) && (s.layout.stacked || box.h >= 46)) {
    drawDown(s, box, r);
    return;
  }
  const { pen, p, layout } = s;
  const { id, wait, now } = layout.columns;
  const two = layout.stacked || box.h >= 46;
  const y = layout.stacked ? box.y + 23 : Math.round(box.y + box.h / 2) + (two ? -6 : 4);
  const below = two ? y + 18 : y;
  if (isDown(r)) plainGround(s, { x: id.x - 4, y: box.y + 3, w: now.x + now.w - id.x + 8, h: box.h - 6 });
  pen.font = font(p, two ? 14 : 12, 600);
  label(pen, `r${r.id}`, id.x, y, p.ink2);
  pen.font = font(p, 11);
  const words = startWords(s.frame, r);
  const at = two ? id.x : id.x + 34;
  label(pen, words, at, below, isDown(r) ? p.missText : p.ink3);
  const right = now.x + now.w;
  const serves = servesAt(s.frame, r);
  label(pen, serves, right, below, p.ink2, 'right');
  const x = Math.max(layout.stacked ? 0 : wait.x, at + pen.measureText(words).width + 10);
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
  const { id, kv } = layout.columns;
  const { stacked } = layout;
  const tall = stacked || box.h >= 58;
  const inner = { y: box.y + 5, h: box.h - 10 };
  const room = (stacked ? box.x + box.w - 10 : kv.x - 18) - id.x;
  const [hit, fate] = hitWords(r);
  const since = `${agoWords(s.frame, r)}, ${hit}${fate && tall ? ':' : ''}`;
  pen.font = font(p, 11);
  const words = Math.max(WORDS, pen.measureText(since).width, tall ? pen.measureText(fate).width : 0) + GAP;
  const bar = Math.min(PROGRESS.most, room - words);
  const wide = bar >= PROGRESS.least;
  plainGround(s, { x: id.x - 6, w: (wide ? words + bar : room) + 12, ...inner });
  const mid = stacked ? box.y + 45 : box.y + box.h / 2;
  const [top, second, third] = tall ? [mid - 12, mid + 4, mid + 18] : [mid - 6, mid + 10, mid];
  drawName(s, { x: id.x, w: room }, top, r);
  const most = wide ? words - GAP : room;
  label(pen, fitted(pen, since, most), id.x, second, p.ink2);
  if (tall) label(pen, fitted(pen, fate, most), id.x, third, p.ink2);
  if (wide) drawProgress(s, { x: id.x + words, w: bar }, second - 8, r);
  if (!stacked) {
    drawEmptyCache(s, kv, { ...box, ...inner });
    return;
  }
  pen.font = font(p, 11);
  if (wide) label(pen, fitted(pen, 'cache empty', bar), id.x + words, third + 4, p.ink3);
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
function crossed(pen: Pen, p: Palette, x: number, y: number): void {
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

/** The empty cache of a replica that is down. */
function drawEmptyCache(s: Scene, kv: Span, box: Box): void {
  const { pen, p } = s;
  plainGround(s, { x: kv.x - 6, y: box.y, w: kv.w + 12, h: box.h });
  const y = box.y + Math.min(15, box.h / 2 + 4);
  pen.font = font(p, 11, 600);
  label(pen, '0 %', kv.x, y, p.ink);
  const after = kv.x + pen.measureText('0 %').width + 4;
  pen.font = font(p, 11);
  label(pen, 'KV', after, y, p.ink2);
  labelFrom(pen, 'cache empty', after + pen.measureText('KV').width, kv.x + kv.w, y, p.ink3);
  pen.fillStyle = p.kvFree;
  if (box.h >= 34) pen.fillRect(kv.x, y + 6, kv.w, box.y + box.h - y - 11);
}

/** The name of a replica with which something is wrong, what it is, and how long it still lasts. */
export function drawFaulty(s: Scene, col: Span, box: Box, r: ReplicaFrame): boolean {
  const words = faultWords(s.frame, r);
  if (!words) return false;
  const { pen, p } = s;
  const mid = box.y + box.h / 2;
  const tall = box.h >= 58;
  const top = mid - (tall ? 12 : 8);
  pen.font = font(p, 14, 600);
  label(pen, `r${r.id}`, col.x, top, p.ink);
  bolt(pen, col.x + pen.measureText(`r${r.id}`).width + 5, top - 10, 1, p.miss);
  pen.font = font(p, 11);
  // The gap to the next column is room too.
  label(pen, fitted(pen, words[0], col.w + COLUMN_GAP), col.x, tall ? mid + 5 : mid + 10, p.missText);
  if (tall) label(pen, fitted(pen, words[1], col.w + COLUMN_GAP), col.x, mid + 20, p.ink3);
  return true;
}
