// Ranks of one server: how long its own batch takes each of them, and the rest of the server's step, in which it waits.

import { type RankOf, rankOf, serverName, serverWords } from '../base/servers.ts';
import { durationUs, text } from '../base/units.ts';
import { fitted, font, healthMark, label, roundRect } from '../draw/marks.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { drawBar, drawKvStrip } from './drawCards.ts';
import { isDown, isStarting, itlHealth } from './facts.ts';
import type { Box } from './layout.ts';
import type { ServerBox } from './rankLayout.ts';
import type { Scene } from './scene.ts';
import type { Card } from './splitLayout.ts';
import { cardBars } from './splitLayout.ts';
import { startWords } from './starting.ts';

/** A step of the server as a bar: solid for the rank's own part, hatched and outlined while it waits. */
export function drawRankTime(s: Scene, { server, rank }: RankOf, { x, y, w, h }: Box): void {
  const { pen, p } = s;
  if (server.step_us === 0) return;
  const own = (w * rank.own_us) / server.step_us;
  pen.fillStyle = server.slowest === rank.replica ? p.ink : p.ink3;
  pen.fillRect(x, y, own, h);
  if (w - own < 1) return;
  pen.fillStyle = p.waitHatch;
  pen.fillRect(x + own, y, w - own, h);
  pen.strokeStyle = p.lineStrong;
  pen.lineWidth = 1;
  if (h >= 4) pen.strokeRect(x + own + 0.5, y + 0.5, Math.max(0, w - own - 1), h - 1);
}

/** A line beside the boxes of ranks of one server, with its name. */
export function drawTies(s: Scene): void {
  const { pen, p, layout } = s;
  const across = layout.detail === 'cards' || layout.detail === 'heat';
  pen.fillStyle = p.lineStrong;
  for (const { box, to } of ties(s)) {
    if (across) pen.fillRect(box.x + 1, box.y + box.h + 1, to.x + to.w - box.x - 2, 2);
    else pen.fillRect(box.x - 5, box.y + 1, 2, to.y + to.h - box.y - 2);
  }
}

type Tie = { readonly box: Box; readonly to: Box };

/** The first and the last box of each stretch of ranks of one server, along a row of boxes or down a column. */
function ties({ layout, replicas, frame }: Scene): Tie[] {
  const found: Tie[] = [];
  let latest: { box: Box; to: Box; server: number } | undefined;
  const ends = (): void => {
    if (latest) found.push({ box: latest.box, to: latest.to });
    latest = undefined;
  };
  layout.boxes.forEach((box, i) => {
    const r = replicas[i];
    const server = r && rankOf(frame, r.id)?.server.id;
    const along = layout.detail === 'rows' || latest?.to.y === box.y;
    if (latest && latest.server === server && along) {
      latest.to = box;
      return;
    }
    ends();
    if (server !== undefined) latest = { box, to: box, server };
  });
  ends();
  return found;
}

/** The box of a server on a stage with prefill and decode apart: its name, what it does, and a cell a rank. */
export function drawServer(s: Scene, { box, id, side, titleY }: ServerBox, cards: readonly Card[]): void {
  const { pen, p } = s;
  const server =
    (s.written.servers ?? []).find((one) => one.id === id) ?? s.frame.servers?.find((one) => one.id === id);
  roundRect(pen, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, 6);
  pen.fillStyle = p.raised;
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = p.line;
  pen.stroke();
  if (server) {
    pen.font = font(p, 12, 600);
    const name = serverName(server);
    label(pen, name, box.x + 8, titleY, p.ink);
    const from = box.x + 14 + pen.measureText(name).width;
    const right = box.x + box.w - 8;
    const end = side === 'decode' ? drawItl(s, itlOf(s, server.ranks[0]?.replica), { from, right, y: titleY }) : right;
    pen.font = font(p, 11);
    label(pen, asMany(s, serverWords(server), end - from), from, titleY, p.ink3);
  }
  for (const card of cards) drawRank(s, card);
}

/** The time between two tokens of the server at the right end of its title; returns where the room before it ends. */
function drawItl(
  { pen, p }: Scene,
  us: number,
  { from, right, y }: { readonly from: number; readonly right: number; readonly y: number },
): number {
  if (us === 0) return right;
  const said = `${text(durationUs(us))} ITL`;
  pen.font = font(p, 11);
  const x = right - pen.measureText(said).width;
  if (x - from < 60) return right;
  label(pen, said, right, y, p.ink, 'right');
  healthMark(pen, p, itlHealth(us), x - 9, y - 4);
  return x - 20;
}

/** As many of the words as fit. */
function asMany({ pen }: Scene, words: readonly string[], room: number): string {
  for (let n = words.length; n > 0; n--) {
    const said = words.slice(0, n).join(' · ');
    if (pen.measureText(said).width <= room) return said;
  }
  return '';
}

const itlOf = (s: Scene, replica: number | undefined): number =>
  s.replicas.find((r) => r.id === replica)?.split?.itl_us ?? 0;

/** One rank: its name, its batch above its blocks, how many wait, and its part of the step. */
function drawRank(s: Scene, card: Card): void {
  const { pen, p } = s;
  const r = s.replicas[card.at ?? -1];
  if (!r) return;
  const { box, batch, kv, titleY, time } = card;
  const focus =
    s.focus === r.id || (s.frame.split?.transfers.some((t) => t.request === s.request && t.from === r.id) ?? false);
  const of = rankOf(s.frame, r.id);
  const isSlowest = of !== undefined && of.server.slowest === r.id;
  if (isDown(r)) {
    pen.fillStyle = p.downHatch;
    pen.fillRect(box.x, box.y, box.w, box.h);
  }
  if (focus) {
    roundRect(pen, box.x - 1.5, box.y + 0.5, box.w + 3, box.h - 1, 3);
    pen.lineWidth = 1.5;
    pen.strokeStyle = p.accent;
    pen.stroke();
  }
  pen.font = font(p, 11, isSlowest || focus ? 600 : 400);
  label(pen, `r${r.id}`, box.x + 2, titleY, isSlowest || focus ? p.ink : p.ink2);
  if (isStarting(r)) {
    pen.font = font(p, 11);
    label(pen, fitted(pen, startWords(s.frame, r), Math.max(0, box.w - 34)), batch.x, titleY, p.ink3);
    return;
  }
  drawRankBatch(s, card, r);
  drawKvStrip(s, kv.x, kv.y, kv.w, kv.h, r);
  if (of && time) drawRankTime(s, of, time);
  drawRankWords(s, card, r, of);
}

function drawRankBatch(s: Scene, card: Card, r: ReplicaFrame): void {
  const { batch } = card;
  const base = batch.y + batch.h;
  s.pen.fillStyle = s.p.line;
  s.pen.fillRect(batch.x, base - 1, batch.w, 1);
  const { pitch, bar, shown } = cardBars(card, r.batch.requests.length);
  for (let i = 0; i < shown; i++) drawBar(s, r.batch, i, { x: batch.x + i * pitch, w: bar, h: batch.h }, base);
}

/** How many wait in its queue, and how long its own part is, where there is room. */
function drawRankWords(s: Scene, { batch, time, titleY, right }: Card, r: ReplicaFrame, of: RankOf | undefined): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const gap = (time?.x ?? right) - batch.x - batch.w;
  if (r.waiting > 0) {
    const said = `${r.waiting}`;
    const w = pen.measureText(said).width;
    if (w + 6 <= gap) label(pen, said, batch.x + batch.w + 4, titleY, p.ink);
  }
  if (!of || !time || of.server.step_us === 0) return;
  const said = of.rank.own_us > 0 ? text(durationUs(of.rank.own_us)) : 'no work';
  const isSlowest = of.server.slowest === r.id;
  pen.font = font(p, 11, isSlowest ? 600 : 400);
  if (time.x + time.w + 6 + pen.measureText(said).width <= right)
    label(pen, said, right, titleY, isSlowest ? p.ink : p.ink3, 'right');
}
