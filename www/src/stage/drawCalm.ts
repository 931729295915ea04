// What stands before the rows of a stage with one source: what arrives, the router, and the ways to the replicas.
import { count, ratePerS } from '../base/units.ts';
import { DASHES } from '../draw/looks.ts';
import { font, label } from '../draw/marks.ts';
import type { Calm } from './calmLayout.ts';
import { drawCurrent, drawRouterMark } from './drawFlow.ts';
import { isDown, retryWords, writtenOf } from './facts.ts';
import type { Scene } from './scene.ts';
import { calmDotPlace, wayTo } from './ways.ts';

export function drawCalm(s: Scene, calm: Calm): void {
  if (calm.trunk === undefined) drawPipes(s, calm);
  else drawTrunk(s, calm.trunk);
  drawWays(s, calm);
  drawRouterMark(s, calm.router.x, s.layout.axisY, calm.router.radius / 11);
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
function drawPipes(s: Scene, calm: Calm): void {
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
    pen.lineWidth = down ? 1.25 : 1.5 + calm.ribbon * Math.min(0.5, writtenOf(written, r).share);
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
  const large = calm.router.radius >= 20;
  const y = layout.axisY - (large ? 38 : 26);
  pen.font = font(p, large ? 20 : 17, 600);
  label(pen, rate.value, calm.source - 5, y, p.ink);
  const after = calm.source + pen.measureText(rate.value).width + 3;
  pen.font = font(p, 12);
  // A long number leaves no room for its unit.
  if (after + pen.measureText('requests/s').width < layout.head.x) label(pen, 'requests/s', after, y, p.ink3);
  drawGateWords(s, calm.source - 5, y - (large ? 26 : 22));
}

/** What did not get past the gateway, where there is such: above the rate, the latest line lowest. */
function drawGateWords(s: Scene, x: number, lowest: number): void {
  const { pen, p, written } = s;
  const { rejected, held } = written.counts;
  const lines = [
    [held > 0 ? `${count(held)} at the gateway` : '', p.ink2],
    [rejected > 0 ? `${count(rejected)} refused` : '', p.missText],
    [retryWords(written), p.missText],
  ] as const;
  pen.font = font(p, 12);
  lines
    .filter(([words]) => words !== '')
    .forEach(([words, ink], i) => {
      label(pen, words, x, lowest - 16 * i, ink);
    });
}

/** The requests on their way, while each can be followed. */
function drawWays(s: Scene, calm: Calm): void {
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
