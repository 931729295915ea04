// Fleets too large for full rows: cards to 64 replicas, heat cells to 256, one aggregate above.
import { count, percent, percentileUs, text } from '../base/units.ts';
import { fitted, font, healthMark, label } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { drawCard, shareBar } from './drawRows.ts';
import { kvShare, poolWords, ttftHealth } from './facts.ts';
import { heatPaint, heatRamp } from './heat.ts';
import { type Box, FLOW } from './layout.ts';
import type { Scene } from './scene.ts';

/** The heads of the fleet views: what a card or cell shows. */
export function drawFleetHead(s: Scene): void {
  const { pen, p, layout } = s;
  if (layout.narrow) return;
  const right = layout.width - 12;
  pen.font = font(p, 11);
  if (layout.detail === 'heat') {
    label(pen, 'KV in use', FLOW, 19, p.ink3);
    heatRamp(pen, p, right - 132, 11, 64, 8);
    label(pen, '0', right - 138, 19, p.ink3, 'right');
    label(pen, '100 %', right - 64, 19, p.ink3);
    healthMark(pen, p, 'missed', FLOW + 76, 15);
    label(pen, 'TTFT p50 over the objective', FLOW + 86, 19, p.ink3);
    return;
  }
  if (layout.detail === 'aggregate') {
    label(pen, `${count(s.frame.replicas.length)} replicas, sorted anew by each value`, FLOW, 19, p.ink3);
    return;
  }
  let x = FLOW;
  for (const [fill, word] of [
    [p.decode, 'decode'],
    [p.prefill, 'prefill'],
    [p.lineStrong, 'waiting'],
    [p.kvUsed, 'KV used'],
    [p.kvShared, 'shared'],
    [p.cachedHatch, 'cached'],
  ] as const) {
    if (fill === p.lineStrong) {
      pen.strokeStyle = fill;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, 11.5, 7, 7);
    } else {
      pen.fillStyle = fill;
      pen.fillRect(x, 11, 8, 8);
    }
    label(pen, word, x + 12, 19, p.ink3);
    x += 24 + pen.measureText(word).width;
  }
  label(pen, (layout.boxes[0]?.w ?? 0) >= 86 ? 'TTFT p50' : 'TTFT objective', right, 19, p.ink3, 'right');
}

export function drawFleet(s: Scene): void {
  const { layout, frame } = s;
  if (layout.detail === 'aggregate') {
    const box = layout.boxes[0];
    if (box) drawAggregate(s, box);
    return;
  }
  let most = 1;
  for (const r of frame.replicas) most = Math.max(most, r.running + r.waiting);
  layout.boxes.forEach((box, i) => {
    const r = frame.replicas[i];
    if (!r) return;
    if (layout.detail === 'cards') drawFleetCard(s, box, r, most);
    else drawHeatCell(s, box, r);
  });
}

function drawFleetCard(s: Scene, box: Box, r: ReplicaFrame, most: number): void {
  const { pen, p } = s;
  drawCard(s, box, r);
  const pad = box.w >= 90 ? 8 : 6;
  const x = box.x + pad;
  const w = box.w - 2 * pad;
  const tall = box.h >= 52;
  const y = box.y + (tall ? 18 : 14);
  const health = ttftHealth(r, s.frame.key);
  pen.font = font(p, tall ? 12 : 11, 600);
  label(pen, `r${r.id}`, x, y, r.serving ? p.ink : p.ink3);
  const pool = box.w >= 124 ? poolWords(s.frame, r) : undefined;
  if (pool) {
    const after = pen.measureText(`r${r.id}`).width + 6;
    pen.font = font(p, 11);
    label(pen, fitted(pen, pool[0], w - after - 66), x + after, y, p.ink3);
  }
  healthMark(pen, p, health, box.x + box.w - pad - 4, y - 4);
  if (box.w >= 86) {
    pen.font = font(p, 11);
    const q = percentileUs(r.ttft.p50_us, r.ttft.count);
    label(
      pen,
      text(q),
      box.x + box.w - pad - (health === 'none' ? 0 : 13),
      y,
      health === 'missed' ? p.missText : p.ink2,
      'right',
    );
  }
  if (tall) {
    pen.font = font(p, 11);
    if (box.w >= 124) label(pen, `${count(r.running)} running`, x, y + 15, p.ink2);
    label(pen, `${count(r.waiting)} waiting`, box.x + box.w - pad, y + 15, r.waiting > 0 ? p.ink2 : p.ink3, 'right');
  }
  const kvH = tall ? 6 : 4;
  const kvY = box.y + box.h - pad - kvH + 1;
  const loadH = tall ? 6 : 5;
  drawLoad(s, x, kvY - loadH - 3, w, loadH, r, most);
  drawKvStrip(s, x, kvY, w, kvH, r);
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

function drawKvStrip(s: Scene, x: number, y: number, w: number, h: number, r: ReplicaFrame): void {
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

function drawHeatCell(s: Scene, box: Box, r: ReplicaFrame): void {
  const { pen, p } = s;
  const share = kvShare(r);
  pen.fillStyle = share > 0 ? heatPaint(p.dark, share) : p.raised;
  pen.fillRect(box.x, box.y, box.w, box.h);
  if (share === 0) {
    pen.strokeStyle = p.line;
    pen.lineWidth = 1;
    pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
  }
  if (ttftHealth(r, s.frame.key) === 'missed') {
    // On a ground of its own, because the mark must be told from every heat colour.
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

/** One lane a quantity: every replica as a column, in order of its value, so that the area is the distribution itself. */
function drawAggregate(s: Scene, box: Box): void {
  const { pen, p, frame } = s;
  const gap = 14;
  const h = (box.h - gap * (LANES.length - 1)) / LANES.length;
  LANES.forEach((lane, i) => {
    const y = box.y + i * (h + gap);
    const values = Float64Array.from(frame.replicas, lane.of).sort();
    const at = (q: number): number => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? 0;
    const top = Math.max(1e-9, lane.top ?? at(1));
    pen.font = font(p, 11, 600);
    label(pen, lane.name, box.x, y + 11, p.ink);
    pen.font = font(p, 11);
    label(
      pen,
      `least ${lane.show(at(0))} · half ≤ ${lane.show(at(0.5))} · most ${lane.show(at(1))}`,
      box.x + box.w,
      y + 11,
      p.ink2,
      'right',
    );
    shareBar(pen, p, box.x, y + h - 1, box.w, 1, 0, p.line);
    pen.fillStyle = i === 0 ? p.lineStrong : i === 1 ? p.decode : p.kvUsed;
    const columns = Math.floor(box.w);
    for (let x = 0; x < columns; x++) {
      const v = (at(x / columns) / top) * (h - 20);
      if (v > 0) pen.fillRect(box.x + x, y + h - v, 1, v);
    }
  });
}
