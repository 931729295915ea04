// Full rows of the stage, one a replica: busy, queue, batch, KV blocks, TTFT. On a phone the same marks as stacked cards.
import { count, durationUs, percent, percentileUs, text } from '../base/units.ts';
import type { Pen } from '../draw/canvas.ts';
import { CHIP, chip, figure, fitted, font, healthMark, label, roundRect } from '../draw/marks.ts';
import type { Palette } from '../draw/palette.ts';
import type { BatchBar, ReplicaFrame } from '../generated/boundary.ts';
import { cpuShare, drawOrder, kvShare, poolWords, ttftHealth } from './facts.ts';
import { type Box, barPitch, type CellGrid, cellGrid, chipSlots, marksTop, type Span } from './layout.ts';
import type { Scene } from './scene.ts';

/** Column heads with the legends of the marks below them, on the marks' own baseline. */
export function drawHead(s: Scene): void {
  const { pen, p, layout } = s;
  const { id, wait, batch, kv, now } = layout.columns;
  pen.font = font(p, 11);
  const y = 19;
  label(pen, 'Busy', id.x, y, p.ink3);
  pen.strokeStyle = p.preempt;
  pen.lineWidth = 1;
  pen.setLineDash([2, 1.5]);
  roundRect(pen, wait.x + 0.5, y - 8.5, 8, 8, 1.5);
  pen.stroke();
  pen.setLineDash([]);
  label(pen, 'preempted', wait.x + 13, y, p.ink3);
  let x = swatch(pen, p, batch.x, y, p.decode, 'decode', 12);
  pen.strokeStyle = p.prefill;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y - 7.5, 7, 7);
  pen.fillStyle = p.prefill;
  pen.fillRect(x, y - 4, 8, 4);
  label(pen, 'prefill', x + 12, y, p.ink3);
  x = swatch(pen, p, kv.x, y, p.kvUsed, 'used', 6);
  x = swatch(pen, p, x, y, p.kvShared, 'shared', 6);
  swatch(pen, p, x, y, p.cachedHatch, 'cached', 0);
  label(pen, 'TTFT p50', now.x + now.w, y, p.ink3, 'right');
}

function swatch(
  pen: Pen,
  p: Palette,
  x: number,
  y: number,
  fill: string | CanvasPattern,
  word: string,
  gap: number,
): number {
  pen.fillStyle = fill;
  pen.fillRect(x, y - 8, 8, 8);
  label(pen, word, x + 11, y, p.ink3);
  return x + 11 + pen.measureText(word).width + gap;
}

export function drawRows(s: Scene): void {
  const { layout, frame } = s;
  layout.boxes.forEach((box, i) => {
    const r = frame.replicas[i];
    if (!r) return;
    drawCard(s, box, r);
    const top = marksTop(box, layout.marks, layout.narrow);
    drawWaiting(s, layout.columns.wait, top, r);
    drawBatch(s, layout.columns.batch, top, r);
    drawKv(s, layout.columns.kv, top, r);
    if (layout.narrow) drawPhoneTitle(s, box, r);
    else {
      drawBusy(s, layout.columns.id, box, r);
      drawNow(s, layout.columns.now, box, r);
    }
  });
}

export function drawCard(s: Scene, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const focus = s.focus === r.id;
  roundRect(pen, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, Math.min(6, box.h / 4));
  pen.fillStyle = p.raised;
  pen.fill();
  pen.lineWidth = focus ? 1.5 : 1;
  pen.strokeStyle = focus ? p.accent : p.line;
  if (!r.serving) {
    pen.setLineDash([4, 3]);
    if (!focus) pen.strokeStyle = p.lineStrong;
  }
  pen.stroke();
  if (!r.serving) pen.setLineDash([]);
}

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

function drawBusy(s: Scene, col: Span, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const tall = box.h >= 56;
  const mid = box.y + box.h / 2;
  const pool = poolWords(s.frame, r);
  pen.font = font(p, tall ? 14 : 12, 600);
  label(pen, `r${r.id}`, col.x, tall ? mid - 8 : mid - 1, p.ink);
  if (pool) {
    // Beside the name and the busy share, where the column is wider for it.
    pen.font = font(p, 11);
    label(pen, fitted(pen, pool[0], col.w - 40), col.x + 40, tall ? mid - 8 : mid - 1, p.ink2);
    label(pen, fitted(pen, pool[1], col.w - 40), col.x + 40, tall ? mid + 10 : mid + 11, p.ink3);
  }
  pen.font = font(p, 11);
  const word = r.serving ? text(percent(r.busy)) : pool ? 'leaves' : 'leaving';
  label(pen, word, col.x, tall ? mid + 10 : mid + 11, r.serving ? p.ink2 : p.warnText);
  if (tall) shareBar(pen, p, col.x, mid + 16, 32, 3, r.busy, p.ink2);
}

function drawWaiting(s: Scene, col: Span, top: number, r: ReplicaFrame): void {
  const { pen, p, layout } = s;
  figure(pen, p, count(r.waiting), 'waiting', col.x, top - 6);
  if (r.queue.length === 0) {
    pen.fillStyle = p.line;
    pen.fillRect(col.x, top + layout.marks - 1, col.w, 1);
    return;
  }
  const slots = chipSlots(col, layout.marks);
  const room = slots.columns * slots.rows;
  const fits = r.waiting <= room && r.waiting <= r.queue.length;
  const shown = fits ? r.queue.length : Math.min(r.queue.length, Math.max(0, room - 2));
  for (let i = 0; i < shown; i++) {
    const c = r.queue[i];
    if (!c) break;
    const x = col.x + (i % slots.columns) * 14.2;
    const y = top + Math.floor(i / slots.columns) * 14.2;
    chip(pen, p, x, y, c.client, c.preempted, c.request === s.request);
  }
  if (!fits && r.waiting > shown) {
    pen.font = font(p, 11);
    const x = col.x + (shown % slots.columns) * 14.2 + 1;
    label(pen, `+${count(r.waiting - shown)}`, x, top + Math.floor(shown / slots.columns) * 14.2 + CHIP - 2.5, p.ink3);
  }
}

/** Narrower than this the batch has no room for the duration of its step beside its size. */
const STEP_FITS = 134;

function drawBatch(s: Scene, col: Span, top: number, r: ReplicaFrame): void {
  const { pen, p, layout } = s;
  const base = top + layout.marks;
  figure(pen, p, count(r.running), 'running', col.x, top - 6);
  if (r.step_us > 0 && col.w >= STEP_FITS) {
    pen.font = font(p, 11);
    label(pen, `step ${text(durationUs(r.step_us))}`, col.x + col.w, top - 6, p.ink3, 'right');
  }
  pen.fillStyle = p.line;
  pen.fillRect(col.x, base - 1, col.w, 1);
  const { pitch, bar, shown } = barPitch(col, r.batch.length);
  const bars = drawOrder(r.batch);
  const more = r.running - Math.min(shown, bars.length);
  for (let i = 0; i < shown; i++) {
    const b = bars[i];
    if (b) drawBar(s, b, col.x + i * pitch, bar, base);
  }
  if (more > 0) {
    pen.font = font(p, 11);
    label(pen, `+${count(more)}`, col.x + col.w, base - 4, p.ink2, 'right');
  }
}

function drawBar(s: Scene, b: BatchBar, x: number, w: number, base: number): void {
  const { pen, p, layout, scale } = s;
  const full = layout.marks - 2;
  const picked = b.request === s.request;
  const whole = Math.max(3, (full * (b.decoding ? b.context : b.context + b.prefill)) / scale);
  if (b.decoding) {
    pen.fillStyle = picked ? p.accent : p.decode;
    pen.fillRect(x, base - whole, w, whole);
  } else {
    const done = (full * b.context) / scale;
    pen.fillStyle = picked ? p.accent : p.prefill;
    pen.fillRect(x, base - done, w, done);
    pen.strokeStyle = picked ? p.accent : p.prefill;
    pen.lineWidth = 0.5;
    pen.strokeRect(x + 0.25, base - whole + 0.25, w - 0.5, whole - 0.5);
  }
  if (picked) {
    const tip = base - whole - 1;
    pen.fillStyle = p.accent;
    pen.beginPath();
    pen.moveTo(x + w / 2 - 3, tip - 4);
    pen.lineTo(x + w / 2 + 3, tip - 4);
    pen.lineTo(x + w / 2, tip);
    pen.fill();
  }
}

/** Height of the bar for the CPU tier, below the cells. */
const CPU_BAR = 5;

function drawKv(s: Scene, col: Span, top: number, r: ReplicaFrame): void {
  const { pen, p, layout } = s;
  figure(pen, p, text(percent(kvShare(r))), 'KV', col.x, top - 6);
  const tiered = r.kv.cpu_total > 0;
  pen.font = font(p, 11);
  if (tiered) label(pen, `CPU ${text(percent(cpuShare(r)))}`, col.x + col.w, top - 6, p.ink3, 'right');
  else if (!layout.narrow) label(pen, `${count(r.kv.used)} blocks`, col.x + col.w, top - 6, p.ink3, 'right');
  const grid = cellGrid(col, layout.marks - (tiered ? CPU_BAR + 2 : 0), r.kv.cells.length);
  drawCells(s, col.x, top, r.kv.cells, grid);
  if (!tiered) return;
  // What the CPU tier holds is cached, so it is hatched as cached blocks are.
  const y = top + layout.marks - CPU_BAR;
  pen.fillStyle = p.kvFree;
  pen.fillRect(col.x, y, col.w, CPU_BAR);
  pen.fillStyle = p.cachedHatch;
  pen.fillRect(col.x, y, col.w * Math.min(1, cpuShare(r)), CPU_BAR);
}

/** Cells of a kind in a row are one stroke of the brush; the lines between all cells are drawn over them. */
function drawCells(s: Scene, x: number, y: number, cells: string, grid: CellGrid): void {
  const { pen, p } = s;
  const { pitch, columns, shown } = grid;
  const step = cells.length / Math.max(1, shown);
  const state = (i: number): number => cells.charCodeAt(Math.floor(i * step));
  const rows = Math.ceil(shown / columns);
  // One pass for each state: the paint is set four times a replica instead of once a run.
  for (const wanted of STATES) {
    pen.fillStyle = kvPaint(p, wanted);
    for (let row = 0; row < rows; row++) {
      const end = Math.min(shown, (row + 1) * columns);
      for (let i = row * columns; i < end; i++) {
        if (state(i) !== wanted) continue;
        const from = i;
        while (i + 1 < end && state(i + 1) === wanted) i += 1;
        pen.fillRect(x + (from - row * columns) * pitch, y + row * pitch, (i - from + 1) * pitch - 1, pitch - 1);
      }
    }
  }
  pen.fillStyle = p.raised;
  for (let c = 1; c < columns; c++) pen.fillRect(x + c * pitch - 1, y, 1, rows * pitch - 1);
}

const [USED, SHARED, CACHED, FREE] = [0x75, 0x73, 0x63, 0x2e] as const;
const STATES = [FREE, CACHED, USED, SHARED] as const;

function kvPaint(p: Palette, state: (typeof STATES)[number]): string | CanvasPattern {
  if (state === USED) return p.kvUsed;
  if (state === SHARED) return p.kvShared;
  return state === CACHED ? p.cachedHatch : p.kvFree;
}

function drawNow(s: Scene, col: Span, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const right = col.x + col.w;
  const mid = box.y + box.h / 2;
  const health = ttftHealth(r, s.frame.key);
  const q = percentileUs(r.ttft.p50_us, r.ttft.count);
  const ink = health === 'missed' ? p.missText : p.ink;
  if (box.h >= 50) {
    ttftText(s, q.value, q.unit, right, mid - 2, ink);
    healthMark(pen, p, health, right - 5, mid + 14);
    trend(s, r, right - 64, mid + 7, 48, 14);
  } else {
    ttftText(s, q.value, q.unit, right - (health === 'none' ? 0 : 15), mid + 5, ink);
    healthMark(pen, p, health, right - 5, mid);
  }
}

function ttftText(s: Scene, value: string, unit: string, right: number, y: number, ink: string): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const w = unit === '' ? 0 : pen.measureText(unit).width + 3;
  if (unit !== '') label(pen, unit, right, y, ink === p.ink ? p.ink3 : ink, 'right');
  pen.font = font(p, 14, 600);
  label(pen, value, right - w, y, ink, 'right');
}

/** Median TTFT over the last minute on a log scale of three decades. */
function trend(s: Scene, r: ReplicaFrame, x: number, y: number, w: number, h: number): void {
  const { pen, p } = s;
  const history = s.trends.replica(r.id);
  if (history.length < 2) return;
  pen.strokeStyle = ttftHealth(r, s.frame.key) === 'missed' ? p.prefill : p.ink3;
  pen.lineWidth = 1.25;
  pen.beginPath();
  history.each(s.frame.now_us, (place, us) => {
    const v = Math.min(1, Math.max(0, Math.log10(Math.max(us, 1) / 10_000) / 3));
    pen.lineTo(x + place * w, y + h - v * h);
  });
  pen.stroke();
}

function drawPhoneTitle(s: Scene, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const x = box.x + 10;
  const y = box.y + 23;
  pen.font = font(p, 14, 600);
  label(pen, `r${r.id}`, x, y, p.ink);
  const w = pen.measureText(`r${r.id}`).width;
  pen.font = font(p, 12);
  label(pen, r.serving ? text(percent(r.busy)) : 'leaving', x + w + 8, y, r.serving ? p.ink2 : p.warnText);
  const pool = poolWords(s.frame, r);
  if (pool) {
    pen.font = font(p, 11);
    label(pen, fitted(pen, pool[0], box.w - 220), x + 74, y, p.ink3);
  } else shareBar(pen, p, x + 74, y - 6, 32, 3, r.busy, p.ink2);
  const right = box.x + box.w - 10;
  const health = ttftHealth(r, s.frame.key);
  const q = percentileUs(r.ttft.p50_us, r.ttft.count);
  ttftText(s, q.value, q.unit, right, y, health === 'missed' ? p.missText : p.ink);
  healthMark(pen, p, health, right - 66, y - 5);
  trend(s, r, right - 126, y - 11, 48, 14);
}
