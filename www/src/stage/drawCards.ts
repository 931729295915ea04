// The cards of a phone, one below the other: busy, queue, batch, KV blocks, TTFT; and the marks that cards of all stages share.

import { rankOf, serverName } from '../base/servers.ts';
import { count, durationUs, percent, percentileUs, type Quantity, short, text } from '../base/units.ts';
import type { Palette } from '../draw/inks.ts';
import { BLOCKS, type BlockState, DASHES } from '../draw/looks.ts';
import {
  CHIP,
  CHIP_GAP,
  chip,
  figure,
  fitted,
  font,
  healthMark,
  label,
  labelFrom,
  notch,
  roundRect,
  shareBar,
} from '../draw/marks.ts';
import type { BatchFrame, ReplicaFrame } from '../generated/boundary.ts';
import { drawDots } from './cardMenu.ts';
import { drawFaultOfCard, drawStart } from './drawDown.ts';
import { contextAt, cpuShare, isDown, isStarting, kvShare, poolWords, ttftHealth, writtenOf } from './facts.ts';
import { type Box, barPitch, type CellGrid, cellGrid, chipSlots, marksTop, type Span } from './layout.ts';
import type { Scene } from './scene.ts';
import { faultWords } from './starting.ts';

/** A word of a legend with the paint of its mark: a fill, the half-filled bar of a prefill, the outline of waiting or preempted. */
export type Swatch = readonly [string, string | CanvasPattern];

/** Marks with their words from `x` on, as many as fit before `right`. Returns the x after them. */
export function legend(s: Scene, swatches: readonly Swatch[], x: number, right: number): number {
  return legendAt(s, swatches, { x, right, y: s.layout.head.y, word: 11, gap: 7 });
}

/** Where a legend is: `word` is the distance from a mark to its word, `gap` that from a word to the next mark. */
type LegendPlace = {
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly word: number;
  readonly gap: number;
};

export function legendAt(s: Scene, swatches: readonly Swatch[], { x, right, y, word, gap }: LegendPlace): number {
  const { pen, p } = s;
  let at = x;
  for (const [text, paint] of swatches) {
    const w = word + pen.measureText(text).width;
    if (at + w > right) break;
    swatch(s, at, y, paint);
    label(pen, text, at + word, y, p.ink3);
    at += w + gap;
  }
  return at;
}

export function swatch(s: Scene, x: number, y: number, paint: string | CanvasPattern): void {
  const { pen, p } = s;
  pen.lineWidth = 1;
  if (paint === 'dashed') {
    pen.strokeStyle = p.preempt;
    pen.setLineDash(DASHES.preempted);
    roundRect(pen, x + 0.5, y - 7.5, 7, 7, 1.5);
    pen.stroke();
    pen.setLineDash(DASHES.solid);
  } else if (paint === 'hollow' || paint === 'notched') {
    pen.strokeStyle = p.lineStrong;
    pen.strokeRect(x + 0.5, y - 7.5, 7, 7);
    if (paint === 'notched') notch(pen, x + 8, y - 8, p.ink2);
  } else if (paint === 'outlined') {
    pen.strokeStyle = p.prefill;
    pen.strokeRect(x + 0.5, y - 7.5, 7, 7);
  } else if (paint === 'half') {
    pen.strokeStyle = p.prefill;
    pen.strokeRect(x + 0.5, y - 7.5, 7, 7);
    pen.fillStyle = p.prefill;
    pen.fillRect(x, y - 4, 8, 4);
  } else {
    pen.fillStyle = paint;
    pen.fillRect(x, y - 8, 8, 8);
  }
}

/** The cards of a phone, one below the other. */
export function drawCards(s: Scene): void {
  const { layout } = s;
  layout.boxes.forEach((box, i) => {
    const r = s.replicas[i];
    if (!r) return;
    drawCard(s, box, r);
    if (isStarting(r)) {
      drawStart(s, box, r);
      drawDots(s, box, r);
      return;
    }
    const top = marksTop(box);
    // Marks and numbers of a card are of one instant.
    const written = writtenOf(s.written, r);
    const { wait, batch, kv } = layout.columns;
    const of = { y: top, h: layout.marks };
    figure(s.pen, s.p, [count(written.waiting), 'waiting'], wait.x, top - 6, wait.x + wait.w + 6);
    drawWaiting(s, { ...wait, ...of }, written);
    drawBatch(s, { ...batch, ...of }, written);
    drawKvWords(s, kv, top - 6, written);
    drawKv(s, { ...kv, ...of }, written);
    drawPhoneTitle(s, box, written);
    drawDots(s, box, r);
  });
}

export function drawCard(s: Scene, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const focus = s.focus === r.id;
  roundRect(pen, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, Math.min(6, box.h / 4));
  pen.fillStyle = isDown(r) ? p.surface : p.raised;
  pen.fill();
  drawFaultOfCard(pen, p, box, r);
  roundRect(pen, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, Math.min(6, box.h / 4));
  pen.lineWidth = focus ? 1.5 : 1;
  pen.strokeStyle = focus ? p.accent : isDown(r) ? p.miss : p.line;
  if (!r.serving && !isDown(r)) {
    pen.setLineDash(DASHES.away);
    if (!focus) pen.strokeStyle = p.lineStrong;
  }
  pen.stroke();
  pen.setLineDash(DASHES.solid);
}

function busyWords(s: Scene, r: ReplicaFrame): string {
  const broken = faultWords(s.frame, r);
  if (broken) return broken[0];
  if (r.life?.phase === 'cold' || r.life?.phase === 'ejected') return r.life.phase;
  if (r.serving) return text(percent(r.busy));
  return 'leaving';
}

function busyInk(p: Palette, r: ReplicaFrame): string {
  if (r.faults) return p.missText;
  return r.serving ? p.ink2 : p.warnText;
}

const CHIP_PITCH = CHIP + CHIP_GAP;

/** The requests that wait, row by row; the number of those without room. */
export function drawWaiting(s: Scene, col: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const top = col.y;
  if (r.queue.length === 0) {
    pen.fillStyle = p.line;
    pen.fillRect(col.x, top + col.h - 1, col.w, 1);
    return;
  }
  const slots = chipSlots(col, col.h);
  const room = slots.columns * slots.rows;
  const fits = r.waiting <= room && r.waiting <= r.queue.length;
  pen.font = font(p, 11);
  // The text replaces as many of the last chips as it needs.
  const taken = fits ? 0 : Math.ceil((pen.measureText(`+${short(r.waiting)}`).width + 2) / CHIP_PITCH);
  const shown = Math.min(r.queue.length, Math.max(0, room - taken));
  for (let i = 0; i < shown; i++) {
    const c = r.queue[i];
    if (!c) break;
    const x = col.x + (i % slots.columns) * CHIP_PITCH;
    const y = top + Math.floor(i / slots.columns) * CHIP_PITCH;
    chip(pen, p, x, y, c.client, c.preempted, c.request === s.request, c.retried);
    if (c.prefilled) {
      // Its KV is held elsewhere.
      pen.fillStyle = p.prefill;
      pen.fillRect(x + 2, y + CHIP - 3, CHIP - 4, 2);
    }
  }
  if (r.waiting <= shown) return;
  pen.font = font(p, 11);
  const x = col.x + (shown % slots.columns) * CHIP_PITCH + 1;
  const y = top + Math.floor(shown / slots.columns) * CHIP_PITCH + CHIP - 2.5;
  label(pen, `+${short(r.waiting - shown)}`, x, y, p.ink3);
}

/** Whether its steps take longer because of a fault. */
const isSlow = (r: ReplicaFrame): boolean => r.faults?.some(({ factor }) => factor > 1) ?? false;

function drawBatch(s: Scene, col: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const words = col.y - 6;
  const base = col.y + col.h;
  const end = figure(pen, p, [count(r.running), 'running'], col.x, words, col.x + col.w + 6);
  const ink = isSlow(r) ? p.missText : p.ink3;
  if (r.step_us > 0) {
    const of = rankOf(s.frame, r.id);
    const step = text(durationUs(of?.server.step_us ?? r.step_us));
    const part = `own ${text(durationUs(of?.rank.own_us ?? 0))}`;
    const own = of && of.server.slowest !== r.id ? [`${part} of ${step}`, part] : [];
    const whole = of?.server.slowest === r.id ? [`slowest, ${step}`] : [];
    const fits = [...own, ...whole].find((w) => end + 8 + pen.measureText(w).width <= col.x + col.w);
    labelFrom(pen, fits ?? `step ${step}`, end, col.x + col.w, words, ink);
  }
  pen.fillStyle = p.line;
  pen.fillRect(col.x, base - 1, col.w, 1);
  const { pitch, bar, shown } = barPitch(col, r.batch.requests.length);
  const more = r.running - shown;
  for (let i = 0; i < shown; i++) drawBar(s, r.batch, i, { x: col.x + i * pitch, w: bar, h: col.h }, base);
  if (more === 0) return;
  pen.font = font(p, 11);
  labelFrom(pen, `+${short(more)}`, col.x - 6, col.x + col.w, base - 4, p.ink2);
}

/** The request at a place of a batch; `h` is the height of the longest bar. */
export function drawBar(s: Scene, batch: BatchFrame, at: number, place: Span & { h: number }, base: number): void {
  const { pen, p, scale } = s;
  const { x, w } = place;
  const full = place.h - 2;
  const picked = batch.requests[at] === s.request;
  const whole = Math.max(3, (full * contextAt(batch, at)) / scale);
  if (at < batch.decoding) {
    pen.fillStyle = picked ? p.accent : p.decode;
    pen.fillRect(x, base - whole, w, whole);
  } else {
    const done = (full * (batch.contexts[at] ?? 0)) / scale;
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

/** Heights of the bars for the CPU tier and for each disk, below the cells. */
const CPU_BAR = 5;
const DISK_BAR = 3;
/** Between the bars. */
const BAR_GAP = 2;

/** How full the cache is, above its cells. */
function drawKvWords(s: Scene, col: Span, y: number, r: ReplicaFrame): void {
  const { pen, p } = s;
  const end = figure(pen, p, [text(percent(kvShare(r))), 'KV'], col.x, y, col.x + col.w);
  const more = r.kv.cpu_total > 0 ? `CPU ${text(percent(cpuShare(r)))}` : `${count(r.kv.used)} blocks`;
  labelFrom(pen, more, end, col.x + col.w, y, p.ink3);
}

/** The cells of a replica's blocks. */
export function drawKv(s: Scene, { x, y, w, h }: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { kv } = r;
  const bars = tierBars(r);
  const room = bars.reduce((left, { high }) => left - high - BAR_GAP, h);
  if (kv.cells === '') drawShares(s, { x, y, w, h: room }, r);
  else drawCells(s, x, y, kv.cells, cellGrid({ x, w }, room, kv.cells.length));
  // Tiers contain cached blocks, so they are hatched like them.
  let top = y + room + BAR_GAP;
  for (const { high, full } of bars) {
    pen.fillStyle = p.kvFree;
    pen.fillRect(x, top, w, high);
    pen.fillStyle = p.cachedHatch;
    pen.fillRect(x, top, w * Math.min(1, full), high);
    top += high + BAR_GAP;
  }
}

/** The layers below the GPU: CPU memory, then disks. */
function tierBars(r: ReplicaFrame): readonly { readonly high: number; readonly full: number }[] {
  const cpu = r.kv.cpu_total > 0 ? [{ high: CPU_BAR, full: cpuShare(r) }] : [];
  return [...cpu, ...(r.kv.disks ?? []).map((full) => ({ high: DISK_BAR, full }))];
}

/**
 * The shares of held and cached blocks, if single blocks are not available because the cluster has had too many
 * replicas.
 */
function drawShares(s: Scene, box: Box, { kv, split }: ReplicaFrame): void {
  const { pen, p } = s;
  const held = split?.held_blocks ?? 0;
  const reserved = split?.reserved_blocks ?? 0;
  let x = box.x;
  for (const [state, blocks] of [
    ['shared', kv.shared],
    ['held', held],
    ['used', Math.max(0, kv.used - kv.shared - held - reserved)],
    ['reserved', reserved],
    ['cached', kv.cached],
    ['free', kv.free],
  ] as const) {
    const width = (box.w * blocks) / Math.max(1, kv.total);
    pen.fillStyle = BLOCKS[state].paint(p);
    if (state === 'reserved') outlineCell(s, x, box.y, width, box.h);
    else pen.fillRect(x, box.y, width, box.h);
    x += width;
  }
}

/** Adjacent cells of one kind are one rectangle; the lines between cells are drawn over them. */
function drawCells(s: Scene, x: number, y: number, cells: string, grid: CellGrid): void {
  const { pen, p } = s;
  const { pitch, columns, shown } = grid;
  const step = cells.length / Math.max(1, shown);
  const state = (i: number): number => cells.charCodeAt(Math.floor(i * step));
  const rows = Math.ceil(shown / columns);
  // One pass for each state: the paint is set four times a replica instead of once a run.
  for (const wanted of cells.includes(BLOCKS.held.letter) || cells.includes(RESERVED) ? STATES : MIXED_STATES) {
    pen.fillStyle = BLOCKS[wanted].paint(p);
    const code = BLOCKS[wanted].letter.charCodeAt(0);
    for (let row = 0; row < rows; row++) {
      const end = Math.min(shown, (row + 1) * columns);
      for (let i = row * columns; i < end; i++) {
        if (state(i) !== code) continue;
        const from = i;
        while (i + 1 < end && state(i + 1) === code) i += 1;
        pen.fillRect(x + (from - row * columns) * pitch, y + row * pitch, (i - from + 1) * pitch - 1, pitch - 1);
      }
    }
  }
  pen.fillStyle = p.raised;
  for (let c = 1; c < columns; c++) pen.fillRect(x + c * pitch - 1, y, 1, rows * pitch - 1);
  if (!cells.includes(RESERVED)) return;
  for (let i = 0; i < shown; i++) {
    if (state(i) !== RESERVED.charCodeAt(0)) continue;
    const [column, row] = [i % columns, Math.floor(i / columns)];
    outlineCell(s, x + column * pitch, y + row * pitch, pitch - 1, pitch - 1);
  }
}

/** Room that is set aside: an outline of what will fill it. */
function outlineCell({ pen, p }: Scene, x: number, y: number, w: number, h: number): void {
  if (w < 2) return;
  pen.strokeStyle = p.prefill;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
}

const MIXED_STATES: readonly BlockState[] = ['free', 'cached', 'used', 'shared'];
/** Where pools have roles. Reserved cells are outlined later. */
const STATES: readonly BlockState[] = [...MIXED_STATES, 'held', 'reserved'];
const RESERVED = BLOCKS.reserved.letter;

/** The TTFT with its unit; returns its left end. */
function ttftText(s: Scene, q: Quantity, right: number, y: number, ink: string): number {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const w = q.unit === '' ? 0 : pen.measureText(q.unit).width + 3;
  if (q.unit !== '') label(pen, q.unit, right, y, ink === p.ink ? p.ink3 : ink, 'right');
  pen.font = font(p, 14, 600);
  label(pen, q.value, right - w, y, ink, 'right');
  return right - w - pen.measureText(q.value).width;
}

/** Median TTFT over the last minute on a log scale of three decades. */
function trend(s: Scene, r: ReplicaFrame, x: number, y: number, w: number, h: number): void {
  const { pen, p } = s;
  const history = s.trends.replica(r.id);
  if (history.length < 2) return;
  pen.strokeStyle = ttftHealth(r, s.written.key) === 'missed' ? p.prefill : p.ink3;
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
  const right = box.x + box.w - 10;
  const health = ttftHealth(r, s.written.key);
  const ink = health === 'missed' ? p.missText : p.ink;
  const end = Math.min(right - 56, ttftText(s, percentileUs(r.ttft.p50_us, r.ttft.count), right, y, ink) - 10);
  healthMark(pen, p, health, end, y - 5);
  const room = end - 12 - 48;
  pen.font = font(p, 14, 600);
  label(pen, `r${r.id}`, x, y, p.ink);
  const name = x + pen.measureText(`r${r.id}`).width + 8;
  pen.font = font(p, 12);
  const busy = busyWords(s, r);
  label(pen, busy, name, y, busyInk(p, r));
  const next = Math.max(x + 64, name + pen.measureText(busy).width + 8);
  const of = rankOf(s.frame, r.id);
  const pool = [...(of ? [serverName(of.server)] : []), ...(poolWords(s.frame, r)?.slice(0, 1) ?? [])].join(' · ');
  pen.font = font(p, 11);
  if (pool && room - next > 24) label(pen, fitted(pen, pool, room - next - 8), next, y, p.ink3);
  else if (!pool && room - next > 36) shareBar(pen, p, next, y - 6, 32, 3, r.busy, p.ink2);
  if (room > next) trend(s, r, room, y - 11, 48, 14);
}

/** The blocks of a replica as one bar: shared, used by one, cached. */
export function drawKvStrip(s: Scene, x: number, y: number, w: number, h: number, r: ReplicaFrame): void {
  const { pen, p } = s;
  const total = Math.max(1, r.kv.total);
  const shared = (w * r.kv.shared) / total;
  const own = (w * (r.kv.used - r.kv.shared)) / total;
  const cached = (w * r.kv.cached) / total;
  pen.fillStyle = p.kvFree;
  pen.fillRect(x, y, w, h);
  pen.fillStyle = p.kvShared;
  pen.fillRect(x, y, shared, h);
  pen.fillStyle = p.kvUsed;
  pen.fillRect(x + shared, y, own, h);
  pen.fillStyle = p.cachedHatch;
  pen.fillRect(x + shared + own, y, cached, h);
}
