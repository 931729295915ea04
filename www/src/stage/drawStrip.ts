// The stage as a strip above a close-up: one box a replica.
import { short } from '../base/units.ts';
import { DASHES, REQUESTS } from '../draw/looks.ts';
import { font, label, roundRect } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { drawCard } from './drawCards.ts';
import { contextAt, isDown, isStarting, writtenOf } from './facts.ts';
import type { Box } from './layout.ts';
import type { Scene } from './scene.ts';
import { STRIP_CHIP, type Strip, type StripMarks, stripChip, stripChips } from './strip.ts';

export function drawStrip(s: Scene, { marks }: Strip): void {
  const most = Math.max(1, ...s.frame.pools.map((pool) => pool.max_num_seqs));
  s.layout.boxes.forEach((box, i) => {
    const here = s.replicas[i];
    if (!here) return;
    const r = writtenOf(s.written, here);
    if (marks) drawReplica(s, marks, box, r);
    else drawShares(s, box, r, most);
  });
  if (s.layout.boxes.length > 0) return;
  s.pen.font = font(s.p, 12);
  label(s.pen, 'No replica: requests are held until one serves.', s.layout.head.x, s.layout.axisY + 4, s.p.ink3);
}

function drawReplica(s: Scene, marks: StripMarks, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  drawCard(s, box, r);
  const mid = box.y + box.h / 2;
  if (isDown(r)) {
    pen.fillStyle = p.surface;
    pen.fillRect(box.x + 6, mid - 10, 28, 20);
  }
  pen.font = font(p, 12, 600);
  const waits = r.waiting > 0;
  label(pen, `r${r.id}`, box.x + marks.name, waits ? mid - 2 : mid + 4, isDown(r) ? p.missText : p.ink);
  if (isDown(r) || isStarting(r)) return;
  pen.font = font(p, 11);
  if (waits) label(pen, short(r.waiting), box.x + marks.name, mid + 13, p.ink2);
  drawQueue(s, marks, box, r);
  drawBatch(s, marks, box, r);
}

function drawQueue(s: Scene, marks: StripMarks, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  pen.lineWidth = 1.25;
  for (let i = 0; i < Math.min(r.queue.length, stripChips(marks)); i++) {
    const entry = r.queue[i];
    if (!entry) break;
    const { x, y } = stripChip(marks, box, i);
    const { ink, dash } = REQUESTS[entry.preempted ? 'preempted' : 'waiting'];
    const chosen = entry.request === s.request;
    pen.strokeStyle = chosen ? p.accent : p[ink];
    pen.setLineDash(chosen ? DASHES.solid : dash);
    roundRect(pen, x + 0.5, y + 0.5, STRIP_CHIP - 1, STRIP_CHIP - 1, 2);
    pen.stroke();
  }
  pen.setLineDash(DASHES.solid);
}

/** A place a request; a bar is as high as the root of its context. */
function drawBatch(s: Scene, { bars }: StripMarks, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const base = box.y + box.h - 7;
  const height = box.h - 14;
  const width = Math.max(2, bars.pitch * 0.7);
  for (let i = 0; i < bars.places; i++) {
    const x = box.x + bars.x + i * bars.pitch;
    const there = r.batch.requests[i];
    if (there === undefined) {
      pen.fillStyle = p.line;
      pen.fillRect(x, base - 2, width, 2);
      continue;
    }
    const context = contextAt(r.batch, i);
    const high = Math.max(4, Math.min(height, height * Math.sqrt(context / s.scale)));
    const decodes = i < r.batch.decoding;
    const done = decodes ? high : Math.min(high, ((r.batch.contexts[i] ?? 0) / Math.max(1, context)) * high);
    pen.fillStyle = there === s.request ? p.accent : decodes ? p.decode : p.prefill;
    pen.fillRect(x, base - done, width, done);
    if (decodes) continue;
    pen.strokeStyle = pen.fillStyle;
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, base - high + 0.5, Math.max(1, width - 1), high - 1);
  }
}

/** A small box: the share of its places that run, solid from below, and what waits, hollow above it. */
function drawShares(s: Scene, box: Box, r: ReplicaFrame, most: number): void {
  const { pen, p } = s;
  if (box.w >= 8) drawCard(s, box, r);
  const named = box.w >= 26 && box.h >= 40;
  if (named) {
    pen.font = font(p, 11);
    label(pen, `r${r.id}`, box.x + 4, box.y + 13, isDown(r) ? p.missText : p.ink2);
  }
  if (isDown(r) && box.w < 8) {
    pen.fillStyle = p.miss;
    pen.fillRect(box.x, box.y, box.w, box.h);
  }
  if (isDown(r) || isStarting(r)) return;
  const pad = box.w >= 8 ? 2 : 0;
  const room = box.h - 2 * pad - (named ? 16 : 0);
  const bottom = box.y + box.h - pad;
  const runs = Math.round(room * Math.min(1, r.running / most));
  pen.fillStyle = s.focus === r.id && box.w < 8 ? p.accent : p.decode;
  pen.fillRect(box.x + pad, bottom - runs, box.w - 2 * pad, runs);
  const waits = r.waiting === 0 ? 0 : Math.max(2, Math.round(room * Math.min(1, r.waiting / most)));
  const left = Math.min(waits, room - runs);
  if (left <= 0) return;
  pen.strokeStyle = p.lineStrong;
  pen.lineWidth = 1;
  if (box.w >= 6) pen.strokeRect(box.x + pad + 0.5, bottom - runs - left + 0.5, box.w - 2 * pad - 1, left);
}
