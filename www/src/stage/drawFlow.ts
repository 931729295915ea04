// The left part of the stage: arrivals by tenant, admission, the router and its branches, and the dots that run along them.

import { count, DASH, percent, type Quantity, ratePerS, short, text } from '../base/units.ts';
import { hasLetter } from '../draw/clients.ts';
import { cross } from '../draw/faultMarks.ts';
import { DASHES } from '../draw/looks.ts';
import { fitted, font, label, roundRect, shareBar, tenant } from '../draw/marks.ts';
import { isRecent } from './dots.ts';
import { drawBelowQueue, drawQueue } from './drawBands.ts';
import { isDown, retryWords, writtenOf } from './facts.ts';
import type { Scene } from './scene.ts';
import { branchY, clientPipes, flowDotPlace, GATE_X, INTO, inletY, LEFT, type Pipe, routerX, SLIM } from './ways.ts';

export function drawFlow(s: Scene): void {
  drawArrivals(s);
  if (s.layout.queue) drawGateAndQueue(s);
  else drawGate(s);
  drawBranches(s);
  drawRouter(s);
  drawDots(s);
}

function drawArrivals(s: Scene): void {
  const { pen, p, frame, written, layout } = s;
  pen.font = font(p, 11);
  label(pen, 'Arrivals', 12, 19, p.ink3);
  const rate = ratePerS(written.key.offered_per_s);
  pen.font = font(p, 17, 600);
  label(pen, rate.value, 12, 54, p.ink);
  const w = pen.measureText(rate.value).width;
  pen.font = font(p, 11);
  const unitX = 12 + w + 5;
  // Before a gateway's queue, a rate of six digits leaves no room for its unit.
  if (!layout.queue || unitX + pen.measureText(rate.unit).width < SLIM.x) label(pen, rate.unit, unitX, 54, p.ink3);
  drawArrivalTrend(s, 78);
  const pipes = clientPipes(layout, frame.clients.length);
  const rest = frame.clients.length - pipes.length;
  let most = 0;
  for (const c of frame.clients) most = Math.max(most, c.rate_per_s);
  pipes.forEach((pipe, i) => {
    const c = frame.clients[i];
    if (!c) return;
    const others = rest > 0 && i === pipes.length - 1;
    const share = most > 0 && !others ? c.rate_per_s / most : 0.5;
    pen.strokeStyle = p.lineStrong;
    pen.globalAlpha = s.ribbons ? 0.7 : 0.4;
    pen.lineWidth = 1 + 5 * share;
    if (others) pen.setLineDash(DASHES.others);
    clientPath(s, pipe, others ? -1 : i);
    pen.stroke();
    if (!others) drawCurrent(s);
    pen.setLineDash(DASHES.solid);
    pen.globalAlpha = 1;
    pen.font = font(p, 11);
    if (others) {
      label(pen, `${count(rest + 1)} more`, 12, pipe.y - 6, p.ink3);
      return;
    }
    tenant(pen, p, i, 17, pipe.y, 4, p.ink2);
    pen.font = font(p, 11);
    // The name is above its pipe, so it may extend over the start of the pipe, but not beside the text below the gate.
    const beside = !layout.queue && pipe.y - 6 > layout.axisY + 38 && pipe.y - 15 < layout.axisY + 74;
    const own = c.name || 'no client';
    const name = fitted(
      pen,
      c.tenant === undefined ? own : `${c.tenant}/${own}`,
      beside ? CLIENTS_END - 31 : nameRoom(s),
    );
    if (i > 0 && !beside) {
      // It may overlap the pipe of the client above.
      pen.fillStyle = p.surface;
      pen.fillRect(26, pipe.y - 15, pen.measureText(name).width + 2, 11);
    }
    label(pen, name, 27, pipe.y - 6, p.ink2);
    label(pen, ratePerS((written.clients[i] ?? c).rate_per_s).value, 27, pipe.y + 7, p.ink);
  });
}

/** The longest name of a client: beside a gateway's queue it ends before it. */
const nameRoom = (s: Scene): number => (s.layout.queue ? SLIM.x - 30 : 60);

function clientPath(s: Scene, pipe: Pipe, client: number): void {
  const y = s.layout.axisY;
  s.pen.beginPath();
  if (s.layout.queue) {
    const to = inletY(s, client);
    s.pen.moveTo(INTO.from, pipe.y);
    s.pen.bezierCurveTo(INTO.bend, pipe.y, INTO.from, to, SLIM.x, to);
    return;
  }
  s.pen.moveTo(pipe.from, pipe.y);
  s.pen.bezierCurveTo(pipe.from + 24, pipe.y, 80, y, GATE_X, y);
}

/** How many bars the last minute has. */
const BARS = 24;

/** Bars of the arrivals in the last minute, those that a pixel cannot part as the highest of them; the base line is at `foot`. */
export function drawArrivalTrend(s: Scene, foot: number): void {
  const { pen, p, frame, trends } = s;
  if (trends.arrivals.length < 2) return;
  let most = 1e-9;
  trends.arrivals.each(frame.now_us, (_, v) => {
    most = Math.max(most, v);
  });
  const bars = new Float64Array(BARS);
  trends.arrivals.each(frame.now_us, (place, v) => {
    const at = Math.min(BARS - 1, Math.max(0, Math.floor(place * BARS)));
    bars[at] = Math.max(bars[at] ?? 0, v);
  });
  pen.fillStyle = p.ink3;
  bars.forEach((v, i) => {
    const high = Math.round((v / most) * 14);
    if (high > 0) pen.fillRect(12 + i * 3, foot - high, 2, high);
  });
}

function drawGate(s: Scene): void {
  const { pen, p, frame, layout } = s;
  const y = layout.axisY;
  pen.strokeStyle = p.lineStrong;
  pen.globalAlpha = s.ribbons ? 0.7 : 0.4;
  pen.lineWidth = 8;
  pen.beginPath();
  pen.moveTo(GATE_X + 22, y);
  pen.lineTo(150, y);
  pen.stroke();
  pen.globalAlpha = 1;
  roundRect(pen, GATE_X + 0.5, y - 24.5, 21, 49, 3);
  pen.fillStyle = p.raised;
  pen.fill();
  pen.lineWidth = 1;
  pen.stroke();
  // Requests between arrival and a queue: one square each, eight fill the gate.
  const there = Math.min(8, frame.counts.in_pipeline);
  pen.fillStyle = p.ink3;
  for (let i = 0; i < there; i++) pen.fillRect(GATE_X + 3, y + 17.5 - i * 5.4, 16, 4);
  pen.font = font(p, 11);
  label(pen, 'Admission', GATE_X + 11, 19, p.ink3, 'center');
  const below = y + Math.min(58, layout.height - y - 50);
  const { in_pipeline, held, rejected } = s.written.counts;
  if (held > 0) belowGate(s, `${small(held)} waiting`, below, p.ink);
  else belowGate(s, `${small(in_pipeline)} on the way`, below, p.ink3);
  belowGate(s, `${small(rejected)} refused`, below + 14, rejected > 0 ? p.missText : p.ink3);
  const retried = retryWords(s.written);
  if (retried) belowGate(s, retried, below + 28, p.missText);
}

/** Admission as a slim gate before the vessel of the gateway's queue, and the pipe from there to the router. */
function drawGateAndQueue(s: Scene): void {
  const { pen, p, layout } = s;
  const vessel = layout.queue?.vessel;
  if (!vessel) return;
  pen.strokeStyle = p.lineStrong;
  pen.globalAlpha = s.ribbons ? 0.7 : 0.4;
  pen.lineWidth = 8;
  pen.beginPath();
  pen.moveTo(vessel.x + vessel.w, layout.axisY);
  pen.lineTo(layout.flow - LEFT.inlet, layout.axisY);
  pen.stroke();
  pen.globalAlpha = 1;
  roundRect(pen, SLIM.x + 0.5, vessel.y + 0.5, SLIM.w - 1, vessel.h - 1, 2);
  pen.fillStyle = p.raised;
  pen.fill();
  pen.lineWidth = 1;
  pen.stroke();
  drawQueue(s);
  drawBelowQueue(s);
}

/** Text under the gate, centred if the clients at the left leave room. */
function belowGate(s: Scene, words: string, y: number, fill: string): void {
  const { pen, p } = s;
  const w = pen.measureText(words).width;
  const x = Math.max(CLIENTS_END, GATE_X + 11 - w / 2);
  // On its own ground, because pipes from the lowest clients pass here.
  pen.fillStyle = p.surface;
  pen.fillRect(x - 3, y - 10, w + 6, 14);
  label(pen, words, x, y, fill);
}
/** Right of the clients' names and rates. */
const CLIENTS_END = 80;

/** Exact up to four digits, then short, because the pipes have little room. */
const small = (x: number): string => (x < 10_000 ? count(x) : short(x));

function branchPath(s: Scene, y: number, short = 0): void {
  const { axisY: cy, flow } = s.layout;
  s.pen.beginPath();
  s.pen.moveTo(routerX(s.layout) + 4, cy);
  s.pen.bezierCurveTo(flow - LEFT.bend, cy, flow - LEFT.from, y, flow - LEFT.level, y);
  s.pen.lineTo(flow - short, y);
}

function drawBranches(s: Scene): void {
  const { pen, p, replicas, layout } = s;
  const rows = layout.detail === 'rows';
  let most = 1;
  for (const r of replicas) most = Math.max(most, writtenOf(s.written, r).in_flight);
  pen.font = font(p, 11);
  if (rows) label(pen, 'in flight', layout.flow - LEFT.load, 19, p.ink3, 'right');
  layout.branches.forEach((b, i) => {
    let share = 0;
    let focus = false;
    for (let k = b.first; k < b.first + b.count; k++) {
      const r = replicas[k];
      share += r ? writtenOf(s.written, r).share : 0;
      focus ||= replicas[k]?.id === s.focus && s.focus !== undefined;
    }
    const here = rows ? replicas[b.first] : undefined;
    if (here && isDown(here)) {
      drawCutBranch(s, i);
      drawBranchLabel(s, i, share, focus, most);
      return;
    }
    const thick = layout.boxes[i] && rows ? Math.min(12.5, ((layout.boxes[i]?.h ?? 66) / 66) * 12.5) : 12.5;
    pen.strokeStyle = focus ? p.accent : p.lineStrong;
    pen.globalAlpha = focus ? 0.7 : s.ribbons ? 0.65 : 0.4;
    pen.lineWidth = 1 + thick * Math.min(1, share);
    branchPath(s, branchY(layout, i));
    pen.stroke();
    drawCurrent(s);
    pen.globalAlpha = 1;
    if (rows) drawBranchLabel(s, i, share, focus, most);
  });
}

/** The current in the ribbon whose path was just drawn: thin strokes that go with it, as long as the run plays. */
export function drawCurrent({ pen, p, flows, wallMs }: Scene): void {
  if (!flows) return;
  const { strokeStyle, lineWidth, globalAlpha } = pen;
  pen.strokeStyle = p.ink2;
  pen.lineWidth = Math.min(1.5, Math.max(1, lineWidth / 3));
  pen.globalAlpha = 0.6;
  pen.setLineDash(CURRENT.dash);
  pen.lineDashOffset = -((wallMs * CURRENT.pxPerMs) % CURRENT.period);
  pen.stroke();
  pen.setLineDash(DASHES.solid);
  pen.lineDashOffset = 0;
  Object.assign(pen, { strokeStyle, lineWidth, globalAlpha });
}
/** As fast as a dot goes from the source to a replica. */
const CURRENT = { dash: DASHES.current, period: 20, pxPerMs: 0.3 };

/** The branch to a replica that is down: dashed, and it ends before the card. */
function drawCutBranch(s: Scene, i: number): void {
  const { pen, p, layout } = s;
  const y = branchY(layout, i);
  pen.strokeStyle = p.miss;
  pen.lineWidth = 1.25;
  pen.setLineDash(DASHES.cut);
  branchPath(s, y, 22);
  pen.stroke();
  pen.setLineDash(DASHES.solid);
  cross(pen, layout.flow - 17, y - 3, 6, p.miss);
}

function drawBranchLabel(s: Scene, i: number, share: number, focus: boolean, most: number): void {
  const { pen, p, layout } = s;
  const here = s.replicas[i];
  const b = layout.branches[i];
  const box = layout.boxes[i];
  if (!here || !b || !box) return;
  const r = writtenOf(s.written, here);
  const tall = box.h >= 50;
  const y = b.y - (tall ? 11 : 6);
  pen.font = font(p, 11, focus ? 600 : 400);
  const load = small(r.in_flight);
  const [from, right] = [layout.flow - LEFT.label, layout.flow - LEFT.load];
  label(pen, load, right, y, focus ? p.accent : p.ink, 'right');
  const room = right - pen.measureText(load).width;
  pen.font = font(p, 11);
  // Beside thousands, only the number of the share has room.
  const q: Quantity = r.serving ? percent(share) : { value: DASH, unit: '' };
  const words = [text(q), q.value].find((w) => from + pen.measureText(w).width + 4 <= room);
  if (words !== undefined) label(pen, words, from, y, p.ink3);
  shareBar(pen, p, from, b.y - (tall ? 5 : 2), 54, tall ? 5 : 3, r.in_flight / most, focus ? p.accent : p.ink2);
}

function drawRouter(s: Scene): void {
  const { pen, p, frame, layout } = s;
  const y = layout.axisY;
  const x = routerX(layout);
  pen.font = font(p, 11);
  label(pen, 'Router', x + 3, 19, p.ink3, 'center');
  drawRouterMark(s, x, y);
  if (s.ribbons) return;
  for (let i = frame.moves.length - 1; i >= 0; i--) {
    const m = frame.moves[i];
    if (m?.kind !== 'route' || !isRecent(m, frame.now_us)) continue;
    label(pen, `#${m.request}`, layout.queue ? x : x + 7, y - 17, p.ink2, layout.queue ? 'left' : 'right');
    return;
  }
}

/** The disc of the router: one way in, two out. */
export function drawRouterMark({ pen, p }: Scene, x: number, y: number, k = 1): void {
  pen.beginPath();
  pen.arc(x, y, 11 * k, 0, Math.PI * 2);
  pen.fillStyle = p.surface;
  pen.fill();
  pen.strokeStyle = p.ink2;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.strokeStyle = p.ink;
  pen.lineWidth = 1.3;
  pen.beginPath();
  pen.moveTo(x - 5.5 * k, y);
  pen.lineTo(x - 2.5 * k, y);
  pen.bezierCurveTo(x + 0.5 * k, y, x + 0.5 * k, y - 4 * k, x + 4.5 * k, y - 4 * k);
  pen.moveTo(x - 2.5 * k, y);
  pen.bezierCurveTo(x + 0.5 * k, y, x + 0.5 * k, y + 4 * k, x + 4.5 * k, y + 4 * k);
  pen.stroke();
}

function drawDots(s: Scene): void {
  if (s.ribbons || s.layout.narrow) return;
  const pipes = clientPipes(s.layout, s.frame.clients.length);
  const letters: (readonly [x: number, y: number])[] = [];
  for (const d of s.dots.pool) {
    if (!d.live || s.wallMs < d.startMs) continue;
    const place = flowDotPlace(s, d, pipes);
    if (!place) continue;
    const [x, y] = place;
    if (hasLetter(d.client)) {
      // Of adjacent requests, only one letter is legible.
      if (letters.some(([ax, ay]) => Math.abs(ax - x) < LETTER && Math.abs(ay - y) < LETTER)) continue;
      letters.push([x, y]);
    }
    const chosen = d.request === s.request;
    const fill = d.rejected ? s.p.missText : chosen ? s.p.accent : s.p.ink;
    tenant(s.pen, s.p, d.client, x, y, chosen ? 4.5 : 3, fill);
  }
}

/** Room that the letter of a request on its way takes. */
const LETTER = 13;

/** The pipeline on a phone: three boxes with the numbers of the wide stage's pipes, and the gateway's queue below. */
export function drawPhonePipeline(s: Scene): void {
  const { pen, p, layout } = s;
  const { counts, key } = s.written;
  const w = (layout.width - 16 - 2 * 27) / 3;
  const cells: [string, string, string][] = [
    [ratePerS(key.offered_per_s).value, 'req/s', 'arriving'],
    [
      count(counts.rejected),
      'refused',
      retryWords(s.written) ||
        (counts.held > 0 ? `${count(counts.held)} waiting` : `${count(counts.in_pipeline)} on the way`),
    ],
    [count(counts.waiting), 'waiting', `${count(counts.running)} running`],
  ];
  cells.forEach(([value, unit, word], i) => {
    const x = 8 + i * (w + 27);
    roundRect(pen, x + 0.5, 8.5, w - 1, 43, 6);
    pen.fillStyle = p.raised;
    pen.fill();
    pen.strokeStyle = p.line;
    pen.lineWidth = 1;
    pen.stroke();
    pen.font = font(p, 12, 600);
    const pad = w < 100 ? 7 : 10;
    label(pen, value, x + pad, 26, p.ink);
    const unitX = x + pad + pen.measureText(value).width + 4;
    pen.font = font(p, 12);
    label(pen, fitted(pen, unit, x + w - 4 - unitX), unitX, 26, p.ink2);
    pen.font = font(p, 11);
    label(pen, fitted(pen, word, w - 2 * pad), x + pad, 42, p.ink3);
    if (i < 2) label(pen, '→', x + w + 13.5, 34, p.ink3, 'center');
  });
  drawQueue(s);
}
