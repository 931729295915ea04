// The stage of the first view: what arrives, the router, and per replica its name, its state, its queue and its batch.
import { count, ratePerS } from '../base/units.ts';
import { DASHES } from '../draw/looks.ts';
import { font, label, roundRect } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { baseOf, type CalmRows, chipRows } from './calmLayout.ts';
import { drawCurrent, drawRouterMark } from './drawFlow.ts';
import { contextAt, isDown, isStarting, writtenOf } from './facts.ts';
import type { Box } from './layout.ts';
import type { Scene } from './scene.ts';
import { servesAt, startWords } from './starting.ts';
import { calmDotPlace, wayTo } from './ways.ts';

export function drawCalm(s: Scene, calm: CalmRows): void {
  if (calm.trunk === undefined) drawPipes(s, calm);
  else drawTrunk(s, calm.trunk);
  drawWays(s, calm);
  drawRouterMark(s, calm.router.x, s.layout.axisY, calm.router.radius / 11);
  const { pen, p, layout } = s;
  pen.font = font(p, 11);
  label(pen, 'waiting', calm.door, layout.head.y, p.ink3, 'right');
  label(pen, 'running', calm.batch.x, layout.head.y, p.ink3);
  layout.boxes.forEach((box, i) => {
    const here = s.replicas[i];
    if (here) drawRow(s, calm, box, writtenOf(s.written, here));
  });
}

const BEND = 14;

/** On a phone: from the router down, with a bend to each row. */
function drawTrunk(s: Scene, x: number): void {
  const { pen, p, layout } = s;
  pen.lineWidth = 6;
  layout.boxes.forEach((box, i) => {
    const r = s.replicas[i];
    if (!r) return;
    const y = box.y + box.h / 2;
    const down = isDown(r);
    pen.globalAlpha = down ? 1 : 0.32;
    pen.strokeStyle = down ? p.miss : p.lineStrong;
    pen.lineWidth = down ? 1.25 : 6;
    pen.setLineDash(down ? DASHES.cut : DASHES.solid);
    pen.beginPath();
    pen.moveTo(x, i === 0 ? layout.axisY : (layout.boxes[i - 1]?.y ?? 0) + (layout.boxes[i - 1]?.h ?? 0) / 2 - BEND);
    pen.lineTo(x, y - BEND);
    pen.quadraticCurveTo(x, y, x + BEND, y);
    pen.lineTo(box.x, y);
    pen.stroke();
    if (!down) drawCurrent(s);
  });
  pen.setLineDash(DASHES.solid);
  pen.globalAlpha = 1;
  const rate = ratePerS(s.written.key.offered_per_s);
  pen.font = font(p, 14, 600);
  const [first] = layout.boxes;
  const at = first?.x ?? 0;
  label(pen, rate.value, at, layout.head.y, p.ink);
  const after = at + pen.measureText(rate.value).width + 6;
  pen.font = font(p, 12);
  label(pen, 'requests/s', after, layout.head.y, p.ink3);
}
function drawPipes(s: Scene, calm: CalmRows): void {
  const { pen, p, layout, written } = s;
  pen.strokeStyle = p.lineStrong;
  pen.lineCap = 'round';
  pen.globalAlpha = s.ribbons ? 0.55 : 0.32;
  pen.lineWidth = 10;
  pen.beginPath();
  pen.moveTo(calm.source, layout.axisY);
  pen.lineTo(calm.router.x, layout.axisY);
  pen.stroke();
  pen.lineCap = 'butt';
  drawCurrent(s);
  layout.boxes.forEach((_, i) => {
    const r = s.replicas[i];
    if (!r) return;
    const down = isDown(r);
    pen.globalAlpha = down ? 1 : s.ribbons ? 0.55 : 0.32;
    pen.strokeStyle = down ? p.miss : s.focus === r.id ? p.accent : p.lineStrong;
    pen.lineWidth = down ? 1.25 : 1.5 + 30 * Math.min(0.5, writtenOf(written, r).share);
    pen.setLineDash(down ? DASHES.cut : DASHES.solid);
    const [a, b, c, d] = wayTo(s, calm, i);
    if (!a || !b || !c || !d) return;
    pen.beginPath();
    pen.moveTo(...a);
    pen.bezierCurveTo(...b, ...c, ...d);
    pen.stroke();
    if (!down) drawCurrent(s);
  });
  pen.setLineDash(DASHES.solid);
  pen.globalAlpha = 1;
  const rate = ratePerS(written.key.offered_per_s);
  pen.font = font(p, 20, 600);
  label(pen, rate.value, calm.source - 5, layout.axisY - 38, p.ink);
  const after = calm.source + pen.measureText(rate.value).width + 3;
  pen.font = font(p, 12);
  label(pen, 'requests/s', after, layout.axisY - 38, p.ink3);
}

/** The requests on their way, while each can be followed. */
function drawWays(s: Scene, calm: CalmRows): void {
  if (s.ribbons) return;
  const { pen, p } = s;
  for (const dot of s.dots.pool) {
    const at = dot.live && s.wallMs >= dot.startMs ? calmDotPlace(s, calm, dot) : undefined;
    if (!at) continue;
    const chosen = dot.request === s.request;
    pen.fillStyle = dot.rejected ? p.missText : chosen ? p.accent : p.ink;
    pen.beginPath();
    pen.arc(at[0], at[1], chosen ? 4.5 : 3, 0, Math.PI * 2);
    pen.fill();
  }
}

function drawRow(s: Scene, calm: CalmRows, box: Box, r: ReplicaFrame): void {
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
  drawNameAndState(s, calm, box, r);
  if (isDown(r)) {
    pen.fillStyle = p.downHatch;
    pen.fillRect(calm.down.x, box.y + 1, calm.down.right - calm.down.x, box.h - 2);
    return;
  }
  if (isStarting(r)) return;
  drawQueue(s, calm, box, r);
  drawBatch(s, calm, box, r);
}

/** The name, and below or beside it what is the matter with the replica. */
function drawNameAndState(s: Scene, calm: CalmRows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const mid = box.y + box.h / 2;
  const state = stateOf(s, r);
  pen.font = font(p, 14, 600);
  const name = `r${r.id}`;
  label(pen, name, calm.name, mid + (state && !calm.inline ? -2 : 5), p.ink);
  if (!state) return;
  const x = calm.inline ? calm.name + pen.measureText(name).width + 12 : calm.name;
  const y = calm.inline ? mid + 4 : mid + 16;
  pen.font = font(p, 12);
  if (state.down) {
    label(pen, state.words, x, y, p.missText);
    return;
  }
  if (state.calm) {
    label(pen, state.words, x, y, p.ink3);
    return;
  }
  pen.fillStyle = p.warn;
  pen.beginPath();
  pen.moveTo(x + 5, y - 9);
  pen.lineTo(x + 9.5, y - 4.5);
  pen.lineTo(x + 5, y);
  pen.lineTo(x + 0.5, y - 4.5);
  pen.fill();
  label(pen, state.words, x + 16, y, p.warnText);
}

type State = { readonly words: string; readonly down?: boolean; readonly calm?: boolean };

function stateOf(s: Scene, r: ReplicaFrame): State | undefined {
  if (isDown(r)) {
    const back = r.life?.ready_us ?? 0;
    const left = Math.max(0, Math.ceil((back - s.frame.now_us) / 1e6));
    return { words: back > 0 ? `broken, back in ${count(left)} s` : 'broken', down: true };
  }
  if (isStarting(r)) return { words: servesAt(s.frame, r) || startWords(s.frame, r), calm: true };
  const [fault] = r.faults ?? [];
  if (fault) return { words: fault.short };
  if (r.life) return { words: r.life.phase, calm: true };
  return undefined;
}

/** Hollow chips, the oldest at the door; beyond two full rows the number says how many there are. */
function drawQueue(s: Scene, calm: CalmRows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { chip, door } = calm;
  if (r.waiting === 0) return;
  const room = chip.columns * 2;
  const shown = Math.min(r.queue.length, r.waiting > room ? room - 2 : room);
  const { top, rows } = chipRows(box, calm, r.waiting);
  for (let i = 0; i < shown; i++) {
    const entry = r.queue[i];
    if (!entry) break;
    const column = Math.floor(i / rows);
    const x = door - (column + 1) * chip.pitch + (chip.pitch - chip.size);
    const y = top + (i % rows) * chip.pitch;
    const chosen = entry.request === s.request;
    pen.strokeStyle = chosen ? p.accent : entry.preempted ? p.preempt : p.lineStrong;
    pen.lineWidth = 1.5;
    pen.setLineDash(entry.preempted ? DASHES.preempted : DASHES.solid);
    roundRect(pen, x + 0.75, y + 0.75, chip.size - 1.5, chip.size - 1.5, 3);
    pen.stroke();
    pen.fillStyle = chosen ? p.accent : p.ink2;
    pen.beginPath();
    pen.arc(x + chip.size / 2, y + chip.size / 2, chip.size * 0.19, 0, Math.PI * 2);
    pen.fill();
  }
  pen.setLineDash(DASHES.solid);
  pen.font = font(p, 14, 600);
  label(pen, count(r.waiting), door - Math.ceil(shown / rows) * chip.pitch - 8, box.y + box.h / 2 + 5, p.ink, 'right');
}

/** A place a request; a bar is as high as the root of its context. */
function drawBatch(s: Scene, calm: CalmRows, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { x: from, pitch, bar, places, height } = calm.batch;
  const base = baseOf(box, calm);
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
  if (r.running > shown) {
    pen.font = font(p, 11);
    label(pen, `+${count(r.running - shown)}`, from + shown * pitch + 2, base, p.ink2);
  }
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
