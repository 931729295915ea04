// Fleets too large for full rows: cards to 64 replicas, heat cells to 256, one aggregate above.

import { rankOf, serverName } from '../base/servers.ts';
import { count, percent, percentileUs, text } from '../base/units.ts';
import { heatPaint, heatRamp } from '../draw/heat.ts';
import { fitted, font, healthMark, label, labelFrom, shareBar } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { drawCard, drawKvStrip, legend, type Swatch } from './drawCards.ts';
import { drawRankTime } from './drawRanks.ts';
import { isStarting, kvShare, poolWords, ttftHealth, writtenOf } from './facts.ts';
import type { Box } from './layout.ts';
import type { Scene } from './scene.ts';
import { servesAt, startShare, startWords } from './starting.ts';

/** The heads of the fleet views: the legend of a card or cell. Parts without room are left out, never cut. */
export function drawFleetHead(s: Scene): void {
  const { pen, p, layout } = s;
  const { x, right, y } = layout.head;
  pen.font = font(p, 11);
  if (layout.detail === 'heat') {
    drawHeatHead(s, x, right, y);
    return;
  }
  if (layout.detail === 'aggregate') {
    label(pen, `${count(s.replicas.length)} replicas, sorted by each value`, x, y, p.ink3);
    return;
  }
  const marks: Swatch[] = [
    ['decode', p.decode],
    ['prefill', 'half'],
    ['waiting', 'hollow'],
    ['KV used', p.kvUsed],
    ['shared', p.kvShared],
    ['cached', p.cachedHatch],
    ...(s.frame.servers ? [['waits for the slowest', p.waitHatch] as const] : []),
  ];
  const title = (layout.boxes[0]?.w ?? 0) >= SHOWS_TTFT ? 'TTFT p50' : 'TTFT objective';
  const end = legend(s, marks, x, right);
  labelFrom(pen, title, end, right, y, p.ink3);
}

const RAMP = 64;

/** The scale of the cells, and the marks on them. */
function drawHeatHead(s: Scene, x: number, right: number, y: number): void {
  const { pen, p } = s;
  const top = `${count(heatTop(s.frame.pools))}+`;
  label(pen, top, right, y, p.ink3, 'right');
  const full = right - pen.measureText(top).width - 3;
  const zero = full - RAMP - 6;
  heatRamp(pen, p, full - RAMP - 3, y - 8, RAMP, 8);
  label(pen, '1', zero, y, p.ink3, 'right');
  const title = zero - 14 - pen.measureText(HEAT_TITLE).width;
  label(pen, HEAT_TITLE, title, y, p.ink3);
  const words = ['TTFT p50 over the objective', 'over objective'].find(
    (w) => x + 12 + pen.measureText(w).width < title - 8,
  );
  if (words === undefined) return;
  healthMark(pen, p, 'missed', x + 4, y - 4);
  label(pen, words, x + 12, y, p.ink3);
  legend(s, [['waiting', p.ink2]], x + 24 + pen.measureText(words).width, title - 8);
}

const HEAT_TITLE = 'requests in flight, log';

/** The upper end of the heat scale: the largest batch of a replica, so that a colour is one load for the whole run. */
function heatTop(pools: readonly { readonly max_num_seqs: number }[]): number {
  return Math.max(8, ...pools.map((pool) => pool.max_num_seqs));
}

/** The place of a number of requests on the heat scale, which is logarithmic: 0 for none, 1 from the upper end on. */
export function heatShare(inFlight: number, pools: readonly { readonly max_num_seqs: number }[]): number {
  if (inFlight < 1) return 0;
  return Math.min(1, (1 + Math.log2(inFlight)) / (1 + Math.log2(heatTop(pools))));
}

export function drawFleet(s: Scene): void {
  const { layout, replicas } = s;
  if (layout.detail === 'aggregate') {
    const box = layout.boxes[0];
    if (box) drawAggregate(s, box);
    return;
  }
  let most = 1;
  for (const r of replicas) most = Math.max(most, r.running + r.waiting);
  layout.boxes.forEach((box, i) => {
    const r = replicas[i];
    if (!r) return;
    if (layout.detail === 'cards') drawFleetCard(s, box, r, most);
    else drawHeatCell(s, box, r, most);
  });
  if (layout.detail === 'heat') drawRowNames(s);
}

/** The first replica of each row of cells, beside it. */
function drawRowNames(s: Scene): void {
  const { pen, p, layout } = s;
  pen.font = font(p, 11);
  for (const row of layout.branches) {
    const box = layout.boxes[row.first];
    const r = s.replicas[row.first];
    if (box && r) label(pen, `r${r.id}`, box.x - 6, Math.round(row.y) + 4, p.ink3, 'right');
  }
}

/** The least height of a card with a line of text above its bars, and of one with space around its name. */
const TALL = 60;
const PLAIN = 32;
/** From this height on a card has a line for its numbers. */
const WORDS = 46;
/** From this height on a card has the rank's part of its server's step. */
const SHOWS_STEP = 74;
/** Least width of a card with a number for its TTFT. */
const SHOWS_TTFT = 100;

function drawFleetCard(s: Scene, box: Box, r: ReplicaFrame, most: number): void {
  const { pen, p } = s;
  drawCard(s, box, r);
  const pad = box.w >= 90 ? 8 : 6;
  const x = box.x + pad;
  const w = box.w - 2 * pad;
  const tall = box.h >= TALL;
  const small = box.h < PLAIN;
  const y = box.y + (tall ? 18 : small ? 12 : 14);
  const written = writtenOf(s.written, r);
  const health = ttftHealth(written, s.written.key);
  pen.font = font(p, tall ? 12 : 11, 600);
  label(pen, `r${r.id}`, x, y, r.serving ? p.ink : p.ink3);
  const after = pen.measureText(`r${r.id}`).width + 6;
  if (isStarting(r)) {
    pen.font = font(p, 11);
    labelFrom(pen, startWords(s.frame, r), x + after - 6, box.x + box.w - pad, y, p.ink3);
    if (tall) label(pen, fitted(pen, servesAt(s.frame, r), w), x, y + 15, p.ink3);
    shareBar(pen, p, x, box.y + box.h - (small ? 5 : pad + 3), w, small ? 2 : 4, startShare(s.frame, r), p.ink3);
    return;
  }
  const of = rankOf(s.frame, r.id);
  const pool = box.w >= 124 ? poolWords(s.frame, r) : undefined;
  const beside = [...(of && box.w >= 90 ? [serverName(of.server)] : []), ...(pool ? [pool[0]] : [])].join(' · ');
  if (beside) {
    pen.font = font(p, 11);
    label(pen, fitted(pen, beside, w - after - 66), x + after, y, p.ink3);
  }
  healthMark(pen, p, health, box.x + box.w - pad - 4, y - 4);
  pen.font = font(p, 11);
  if (box.w >= SHOWS_TTFT) {
    const q = text(percentileUs(written.ttft.p50_us, written.ttft.count));
    const right = box.x + box.w - pad - (health === 'none' ? 0 : 13);
    const from = beside ? 0 : x + after - 6;
    labelFrom(pen, q, from, right, y, health === 'missed' ? p.missText : p.ink2);
    // A card without a line for its numbers has them beside its name, as many as fit.
    const room = right - pen.measureText(q).width - 12 - x - after;
    if (box.h < WORDS && !beside) label(pen, numbersFor(pen, written, room), x + after, y, p.ink2);
  }
  if (box.h >= WORDS) {
    const line = y + (tall ? 15 : 13);
    const words = `${count(written.waiting)} waiting`;
    const waiting = pen.measureText(words).width <= w ? words : '';
    label(pen, waiting, box.x + box.w - pad, line, written.waiting > 0 ? p.ink2 : p.ink3, 'right');
    const left = box.x + box.w - pad - pen.measureText(waiting).width;
    const running = `${count(written.running)} running`;
    if (x + pen.measureText(running).width + 8 <= left) label(pen, running, x, line, p.ink2);
  }
  const kvH = tall ? 6 : small ? 2 : 4;
  const kvY = box.y + box.h - (small ? 3 : pad - 1) - kvH;
  const loadH = tall ? 6 : small ? 3 : 5;
  const loadY = kvY - loadH - (small ? 1 : 3);
  drawLoad(s, x, loadY, w, loadH, written, most);
  if (of && box.h >= SHOWS_STEP) drawRankTime(s, of, { x, y: loadY - 9, w, h: 6 });
  drawKvStrip(s, x, kvY, w, kvH, written);
}

/** Waiting, running and KV in use in words, shorter where there is little room; empty where there is none. */
function numbersFor(pen: Pen, r: ReplicaFrame, room: number): string {
  const waiting = `${count(r.waiting)} waiting`;
  const both = `${waiting} · ${count(r.running)} running`;
  const all = `${both} · ${text(percent(kvShare(r)))} KV`;
  return [all, both, waiting].find((words) => pen.measureText(words).width <= room) ?? '';
}

/** Running and waiting requests as one bar: decode, prefill, then the hollow queue. */
function drawLoad(s: Scene, x: number, y: number, w: number, h: number, r: ReplicaFrame, most: number): void {
  const { pen, p } = s;
  const unit = w / most;
  const decode = (r.running - r.prefilling) * unit;
  const prefill = r.prefilling * unit;
  const waiting = r.waiting * unit;
  pen.fillStyle = p.kvFree;
  pen.fillRect(x, y, w, h);
  pen.fillStyle = p.decode;
  pen.fillRect(x, y, decode, h);
  pen.fillStyle = p.prefill;
  pen.fillRect(x + decode, y, prefill, h);
  if (waiting < 2) return;
  pen.fillStyle = p.raised;
  pen.fillRect(x + decode + prefill, y, waiting, h);
  pen.strokeStyle = p.lineStrong;
  pen.lineWidth = 1;
  pen.strokeRect(x + decode + prefill + 0.5, y + 0.5, Math.max(1, waiting - 1), h - 1);
}

/**
 * The colour is the number of requests of the replica, which routers balance. A bar at the foot, on its own ground, is
 * the queue relative to the longest one.
 */
function drawHeatCell(s: Scene, box: Box, r: ReplicaFrame, most: number): void {
  const { pen, p } = s;
  const share = heatShare(r.in_flight, s.frame.pools);
  pen.fillStyle = share > 0 ? heatPaint(p.dark, share) : p.raised;
  pen.fillRect(box.x, box.y, box.w, box.h);
  if (share === 0) {
    pen.strokeStyle = p.line;
    pen.lineWidth = 1;
    pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
  }
  if (r.waiting > 0) {
    const w = Math.max(2, ((box.w - 2) * r.waiting) / most);
    pen.fillStyle = p.surface;
    pen.fillRect(box.x, box.y + box.h - 4, Math.min(box.w, w + 2), 4);
    pen.fillStyle = p.ink2;
    pen.fillRect(box.x, box.y + box.h - 3, w, 3);
  }
  if (ttftHealth(r, s.written.key) === 'missed') {
    // On its own ground, because the mark must differ from every heat colour.
    pen.fillStyle = p.surface;
    pen.fillRect(box.x + box.w - 12, box.y + 1, 11, 11);
    healthMark(pen, p, 'missed', box.x + box.w - 6.5, box.y + 6.5);
  }
  if (s.focus === r.id) {
    pen.strokeStyle = p.surface;
    pen.lineWidth = 4;
    pen.strokeRect(box.x + 1, box.y + 1, box.w - 2, box.h - 2);
    pen.strokeStyle = p.accent;
    pen.lineWidth = 2;
    pen.strokeRect(box.x + 1, box.y + 1, box.w - 2, box.h - 2);
  }
}

type Lane = {
  readonly name: string;
  readonly of: (r: ReplicaFrame) => number;
  readonly show: (v: number) => string;
  readonly top: number | undefined;
};

const LANES: readonly Lane[] = [
  { name: 'waiting', of: (r) => r.waiting, show: count, top: undefined },
  { name: 'running', of: (r) => r.running, show: count, top: undefined },
  { name: 'KV in use', of: kvShare, show: (v) => text(percent(v)), top: 1 },
];

/** One lane per quantity: every replica as a column, sorted by value, so that the area is the distribution. */
function drawAggregate(s: Scene, box: Box): void {
  const { pen, p, replicas } = s;
  const gap = 14;
  const axis = 16;
  const h = (box.h - axis - gap * (LANES.length - 1)) / LANES.length;
  LANES.forEach((lane, i) => {
    const y = box.y + i * (h + gap);
    const values = Float64Array.from(replicas, (r) => lane.of(writtenOf(s.written, r))).sort();
    const at = (q: number): number => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? 0;
    const top = Math.max(1e-9, lane.top ?? at(1));
    pen.font = font(p, 11, 600);
    label(pen, lane.name, box.x, y + 11, p.ink);
    const from = box.x + pen.measureText(lane.name).width;
    pen.font = font(p, 11);
    const spread = `least ${lane.show(at(0))} · half ≤ ${lane.show(at(0.5))} · most ${lane.show(at(1))}`;
    const room = box.w - (from - box.x) - 6;
    const words = pen.measureText(spread).width <= room ? spread : `half ≤ ${lane.show(at(0.5))}`;
    labelFrom(pen, words, from, box.x + box.w, y + 11, p.ink2);
    pen.fillStyle = p.kvFree;
    pen.fillRect(box.x, y + 17, box.w, h - 17);
    pen.fillStyle = i === 0 ? p.lineStrong : i === 1 ? p.decode : p.kvUsed;
    drawSorted(pen, box, y + h, h - 17, (q) => at(q) / top);
    // Half and nine tenths of the fleet.
    pen.fillStyle = p.surface;
    for (const q of [0.5, 0.9]) pen.fillRect(Math.round(box.x + q * box.w), y + 17, 1, h - 17);
  });
  drawFleetAxis(s, box);
}

/** Columns of one pixel; a run of equal ones is one stroke of the brush. */
function drawSorted(pen: Pen, box: Box, base: number, height: number, share: (q: number) => number): void {
  const columns = Math.floor(box.w);
  for (let x = 0; x < columns; ) {
    const v = share(x / columns);
    const from = x;
    do x += 1;
    while (x < columns && share(x / columns) === v);
    if (v > 0) pen.fillRect(box.x + from, base - v * height, x - from, v * height);
  }
}

function drawFleetAxis(s: Scene, box: Box): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const y = box.y + box.h - 1;
  const n = s.replicas.length;
  label(pen, '0', box.x, y, p.ink3);
  label(pen, 'half of them', box.x + box.w / 2, y, p.ink3, 'center');
  if (box.w > 420) label(pen, '90 %', box.x + 0.9 * box.w, y, p.ink3, 'center');
  label(pen, count(n), box.x + box.w, y, p.ink3, 'right');
}
