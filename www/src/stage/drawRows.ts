// The rows of a small fleet: per replica its name and state, its queue, its batch, and where there is room its blocks and how long a
// step takes. Bars, chips and numbers of a row are of one instant.

import { type RankOf, rankOf, serverName } from '../base/servers.ts';
import { count, durationUs, text } from '../base/units.ts';
import { DASHES, REQUESTS } from '../draw/looks.ts';
import { fitted, font, label, notch, roundRect, tenant } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { drawKv, legendAt, type Swatch } from './drawCards.ts';
import { crossed } from './drawDown.ts';
import { drawRankTime } from './drawRanks.ts';
import { contextAt, isDown, isStarting, poolWords, writtenOf } from './facts.ts';
import type { Box } from './layout.ts';
import { baseOf, cellsTop, chipRows, type Rows } from './rowLayout.ts';
import type { Scene } from './scene.ts';
import { servesAt, startWords } from './starting.ts';

export function drawRows(s: Scene, rows: Rows): void {
  const { pen, p, layout } = s;
  const { x, y } = layout.head;
  if (layout.boxes.length === 0) {
    pen.font = font(p, 12);
    label(pen, 'No replica: requests are held until one serves.', x + 10, layout.axisY + 4, p.ink3);
    return;
  }
  pen.font = font(p, 11);
  label(pen, 'waiting', rows.door, y, p.ink3, 'right');
  label(pen, 'running', rows.batch.x, y, p.ink3);
  if (rows.kv) label(pen, 'KV blocks', rows.kv.x, y, p.ink3);
  if (rows.step !== undefined) drawStepHead(s, rows.step, y);
  layout.boxes.forEach((box, i) => {
    const here = s.replicas[i];
    if (here) drawRow(s, rows, box, writtenOf(s.written, here));
  });
}

/** The head of the last column: of ranks their part of the step, and what its hatch means. */
function drawStepHead(s: Scene, right: number, y: number): void {
  const { pen, p } = s;
  if (!s.frame.servers) {
    label(pen, 'a step', right, y, p.ink3, 'right');
    return;
  }
  const swatches: Swatch[] = [
    ['own part of a step', p.ink3],
    ['waits for the slowest', p.waitHatch],
  ];
  const w = swatches.reduce((sum, [word]) => sum + 11 + pen.measureText(word).width, 7);
  legendAt(s, swatches, { x: right - w, right: right + 1, y, word: 11, gap: 7 });
}

function drawRow(s: Scene, rows: Rows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const focus = s.focus === r.id;
  roundRect(pen, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, 6);
  pen.fillStyle = p.raised;
  pen.fill();
  pen.lineWidth = focus ? 1.5 : 1;
  pen.strokeStyle = focus ? p.accent : isDown(r) ? p.miss : p.line;
  pen.setLineDash(r.serving || isDown(r) ? DASHES.solid : DASHES.away);
  pen.stroke();
  pen.setLineDash(DASHES.solid);
  drawNameAndState(s, rows, box, r);
  if (isDown(r)) {
    pen.fillStyle = p.downHatch;
    pen.fillRect(rows.down.x, box.y + 1, rows.down.right - rows.down.x, box.h - 2);
    return;
  }
  if (isStarting(r)) return;
  drawQueue(s, rows, box, r);
  drawBatch(s, rows, box, r);
  if (rows.kv) drawKv(s, { ...rows.kv, y: cellsTop(box, rows.kv) }, r);
  if (rows.step === undefined || r.step_us === 0) return;
  const of = rankOf(s.frame, r.id);
  if (of) {
    drawOwnStep(s, of, rows.step, box);
    return;
  }
  pen.font = font(p, 12);
  label(pen, text(durationUs(r.step_us)), rows.step, box.y + box.h / 2 + 4, p.ink2, 'right');
}

/** Of a rank: how long its own part of the server's step is, above the step as a bar. */
function drawOwnStep(s: Scene, of: RankOf, right: number, box: Box): void {
  const { pen, p } = s;
  const { server, rank } = of;
  const isSlowest = server.slowest === rank.replica;
  const mid = box.y + box.h / 2;
  pen.font = font(p, 12, isSlowest ? 600 : 400);
  const said = rank.own_us > 0 ? text(durationUs(rank.own_us)) : 'no work';
  label(pen, said, right, mid, isSlowest ? p.ink : p.ink2, 'right');
  drawRankTime(s, of, { x: right - STEP_BAR, y: mid + 5, w: STEP_BAR, h: 6 });
}
const STEP_BAR = 50;

/** The name, beside it that of its pool, and below or beside them what is the matter with the replica. */
function drawNameAndState(s: Scene, rows: Rows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const mid = box.y + box.h / 2;
  const state = stateOf(s, r);
  const low = state !== undefined && !rows.inline;
  const down = isDown(r);
  const at = rows.name + (down ? 20 : 0);
  const y = mid + (low ? -2 : 5);
  if (down) crossed(pen, p, rows.name, y - 11);
  pen.font = font(p, 14, 600);
  const name = `r${r.id}`;
  label(pen, name, at, y, p.ink);
  const after = at + pen.measureText(name).width + 12;
  const end = down || isStarting(r) ? rows.down.right - 12 : queueLeft(s, rows, r);
  const of = rankOf(s.frame, r.id);
  const pool = [...(of ? [serverName(of.server)] : []), ...(poolWords(s.frame, r)?.slice(0, 1) ?? [])].join(' · ');
  if (pool && (!state || low)) {
    pen.font = font(p, 11);
    const room = (down ? rows.down.x : end) - after - 8;
    if (room > 24) label(pen, fitted(pen, pool, room), after - 4, y, p.ink3);
  }
  if (state) drawState(s, state, { x: low ? rows.name : after, y: low ? mid + 16 : mid + 4 }, end);
}

type State = { readonly words: string; readonly kind: 'down' | 'plain' | 'fault' };

function drawState(
  s: Scene,
  { words, kind }: State,
  at: { readonly x: number; readonly y: number },
  end: number,
): void {
  const { pen, p } = s;
  const { x, y } = at;
  pen.font = font(p, 12);
  const mark = kind === 'fault' ? 16 : 0;
  const room = end - x - mark - 4;
  const ink = { down: p.missText, plain: p.ink3, fault: p.warnText }[kind];
  if (room > 20) label(pen, fitted(pen, words, room), x + mark, y, ink);
  if (kind !== 'fault') return;
  pen.fillStyle = p.warn;
  pen.beginPath();
  pen.moveTo(x + 5, y - 9);
  pen.lineTo(x + 9.5, y - 4.5);
  pen.lineTo(x + 5, y);
  pen.lineTo(x + 0.5, y - 4.5);
  pen.fill();
}

function stateOf(s: Scene, r: ReplicaFrame): State | undefined {
  if (isDown(r)) {
    const back = r.life?.ready_us ?? 0;
    const left = Math.max(0, Math.ceil((back - s.frame.now_us) / 1e6));
    return { words: back > 0 ? `broken, back in ${count(left)} s` : 'broken', kind: 'down' };
  }
  if (isStarting(r)) return { words: servesAt(s.frame, r) || startWords(s.frame, r), kind: 'plain' };
  const [fault] = r.faults ?? [];
  if (fault) return { words: fault.short, kind: 'fault' };
  if (r.life) return { words: r.life.phase, kind: 'plain' };
  return r.serving ? undefined : { words: 'leaving', kind: 'plain' };
}

/** How many chips of a queue are drawn: beyond two full rows the number says how many there are. */
function chipsOf({ chip }: Rows, r: ReplicaFrame): number {
  const room = chip.columns * 2;
  return Math.min(r.queue.length, r.waiting > room ? room - 2 : room);
}

/** Where the number of waiting requests ends. */
const numberEnd = (rows: Rows, r: ReplicaFrame): number =>
  rows.door - Math.ceil(chipsOf(rows, r) / (r.waiting > 1 ? 2 : 1)) * rows.chip.pitch - 8;

/** The left end of what stands for the queue. */
function queueLeft({ pen, p }: Scene, rows: Rows, r: ReplicaFrame): number {
  if (r.waiting === 0) return rows.door;
  pen.font = font(p, 14, 600);
  return numberEnd(rows, r) - pen.measureText(count(r.waiting)).width - 6;
}

/** Hollow chips, the oldest at the door. */
function drawQueue(s: Scene, rows: Rows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { chip, door } = rows;
  if (r.waiting === 0) return;
  const shown = chipsOf(rows, r);
  const { top, rows: lines } = chipRows(box, rows, r.waiting);
  for (let i = 0; i < shown; i++) {
    const entry = r.queue[i];
    if (!entry) break;
    const x = door - (Math.floor(i / lines) + 1) * chip.pitch + (chip.pitch - chip.size);
    const y = top + (i % lines) * chip.pitch;
    const chosen = entry.request === s.request;
    const { ink, dash } = REQUESTS[entry.preempted ? 'preempted' : 'waiting'];
    pen.strokeStyle = chosen ? p.accent : p[ink];
    pen.lineWidth = 1.5;
    pen.setLineDash(dash);
    roundRect(pen, x + 0.75, y + 0.75, chip.size - 1.5, chip.size - 1.5, 3);
    pen.stroke();
    pen.setLineDash(DASHES.solid);
    if (entry.retried) notch(pen, x + chip.size, y, chosen ? p.accent : p.ink2);
    const middle = chip.size / 2;
    tenant(pen, p, entry.client, x + middle, y + middle, chip.size * 0.19, chosen ? p.accent : p.ink2);
  }
  pen.font = font(p, 14, 600);
  label(pen, count(r.waiting), numberEnd(rows, r), box.y + box.h / 2 + 5, p.ink, 'right');
}

/** A place a request; a bar is as high as the root of its context. */
function drawBatch(s: Scene, rows: Rows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { x: from, pitch, bar, places, height } = rows.batch;
  const base = baseOf(box, rows);
  pen.fillStyle = p.line;
  pen.fillRect(from - 10, box.y + box.h / 6, 1, (box.h * 2) / 3);
  const all = r.batch.requests.length;
  const shown = Math.min(places, all);
  const high = (tokens: number): number => Math.max(5, Math.min(height, height * Math.sqrt(tokens / s.scale)));
  for (let i = 0; i < places; i++) {
    const x = from + i * pitch;
    if (i >= shown) {
      pen.fillStyle = p.line;
      pen.fillRect(x, base - 2, bar, 2);
      continue;
    }
    const chosen = r.batch.requests[i] === s.request;
    const h = high(contextAt(r.batch, i));
    if (i < r.batch.decoding) {
      pen.fillStyle = chosen ? p.accent : p.decode;
      pen.fillRect(x, base - h, bar, h);
    } else {
      const done = Math.min(h, ((r.batch.contexts[i] ?? 0) / Math.max(1, contextAt(r.batch, i))) * h);
      pen.fillStyle = chosen ? p.accent : p.prefill;
      pen.fillRect(x, base - done, bar, done);
      pen.strokeStyle = chosen ? p.accent : p.prefill;
      pen.lineWidth = 1.25;
      pen.strokeRect(x + 0.75, base - h, Math.max(1, bar - 1.5), h - 0.5);
    }
    if (chosen) drawChosen(s, x + bar / 2, base - h - 4);
  }
  if (r.running > shown) drawRest(s, rows, box.y + box.h / 2, r.running - shown);
}

/** How many run beyond the last place; where the places take all the room, on ground of its own over the last ones. */
function drawRest({ pen, p }: Scene, { batch, kv, step, down }: Rows, middle: number, rest: number): void {
  const words = `+${count(rest)}`;
  pen.font = font(p, 11);
  const wide = pen.measureText(words).width;
  const after = batch.x + batch.places * batch.pitch + 2;
  const end = kv ? kv.x - 4 : step === undefined ? down.right - 4 : step - 54;
  const x = Math.min(after, end - wide);
  if (x < after) {
    pen.fillStyle = p.raised;
    pen.fillRect(x - 3, middle - 7, wide + 4, 14);
  }
  label(pen, words, x, middle + 4, p.ink2);
}

/** The pointer above the selected request. */
function drawChosen({ pen, p }: Scene, x: number, tip: number): void {
  pen.fillStyle = p.accent;
  pen.beginPath();
  pen.moveTo(x - 5, tip - 8);
  pen.lineTo(x + 5, tip - 8);
  pen.lineTo(x, tip - 2);
  pen.fill();
}
