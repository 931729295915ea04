// A stage with prefill and decode apart: arrivals and router at the left, two columns of cards, and their ports.
import { count, durationUs, percent, ratePerS, sig3, text } from '../base/units.ts';
import { hintSaid } from '../base/view.ts';
import { figure, fitted, font, healthMark, label, labelFrom, shareBar } from '../draw/marks.ts';
import type { ReplicaFrame, RoleFrame } from '../generated/boundary.ts';
import { drawBelowQueue, drawQueue } from './drawBands.ts';
import type { Swatch } from './drawCards.ts';
import { drawBar, drawCard, drawKv, drawWaiting, legendAt } from './drawCards.ts';
import { drawDecider } from './drawDecider.ts';
import { drawArrivalTrend, drawRouterMark } from './drawFlow.ts';
import { drawFullness, drawPorts } from './drawPorts.ts';
import { drawServer } from './drawRanks.ts';
import { isStarting, itlHealth, kvShare, writtenOf } from './facts.ts';
import { chipSlots } from './layout.ts';
import type { Scene } from './scene.ts';
import { type Card, cardBars, type Side, type SplitLayout } from './splitLayout.ts';
import { servesAt, startShare, startWords } from './starting.ts';

export function drawSplit(s: Scene, split: SplitLayout): void {
  if (split.vertical) {
    drawQueue(s);
    drawPhoneHeads(s, split);
  } else {
    drawArrivals(s, split);
    drawHeads(s, split);
  }
  split.cards.forEach((card, i) => {
    const r = s.replicas[i];
    if (r && card.size !== 'rank') drawSplitCard(s, card, r, split.vertical);
  });
  for (const server of split.servers) drawServer(s, server, server.ranks.map((at) => split.cards[at]).filter(isThere));
  drawPorts(s, split);
  drawRatio(s, split);
  if (split.decider) drawDecider(s, split.decider);
  if (split.vertical) drawPhoneFoot(s, split);
}

const isThere = (card: Card | undefined): card is Card => card !== undefined;

/** From a number of replicas on, "replicas"; before it "replica". */
const replicas = (n: number): string => `${count(n)} ${n === 1 ? 'replica' : 'replicas'}`;
const prefillSaid = (r: RoleFrame): string => `${replicas(r.serving)}, busy ${text(percent(r.busy))}`;
const decodeSaid = (r: RoleFrame, drafts: string): string =>
  `${replicas(r.serving)}, KV ${text(percent(r.kv_used))}${drafts}`;

/** How many tokens a step brings a request where the pools that decode draft; empty where none does. */
function draftsSaid({ written }: Scene): string {
  const pools = new Set(written.replicas.filter((r) => r.split?.role !== 'prefill').map((r) => r.pool));
  const [one] = written.pools.filter((pool) => pools.has(pool.name) && pool.speculative?.mean_acceptance_length);
  const tokens = one?.speculative?.mean_acceptance_length;
  return tokens === undefined ? '' : `, ${sig3(tokens)} tokens a step`;
}

/** The titles of the columns, and the legends of the cells below them. */
function drawHeads(s: Scene, { prefill, decode, servers }: SplitLayout): void {
  const { pen, p, written } = s;
  const right = decode.x + decode.w;
  pen.font = font(p, 13, 600);
  label(pen, 'Prefill', prefill.x, 20, p.ink);
  const from = prefill.x + pen.measureText('Prefill').width + 8;
  label(pen, 'Decode', right, 20, p.ink, 'right');
  const to = right - pen.measureText('Decode').width;
  pen.font = font(p, 11);
  if (written.split) {
    label(pen, fitted(pen, prefillSaid(written.split.prefill), prefill.x + prefill.w - from), from, 20, p.ink3);
    labelFrom(pen, decodeSaid(written.split.decode, draftsSaid(s)), decode.x - 6, to - 8, 20, p.ink3);
  }
  const ranks: Swatch[] = [
    ['own part', p.ink3],
    ['waits for the slowest', p.waitHatch],
  ];
  const isServers = (side: Side): boolean => servers.some((server) => server.side === side);
  const held: Swatch[] = isServers('prefill')
    ? ranks
    : [
        ['held for a home', p.prefill],
        ['used', p.kvUsed],
        ['cached', p.cachedHatch],
      ];
  legendAt(s, held, { x: prefill.x, right: prefill.x + prefill.w, y: 42, ...WIDE });
  const reserved: Swatch[] = isServers('decode')
    ? [['decoding', p.decode], ...ranks]
    : [
        ['reserved for what comes', 'outlined'],
        ['shared', p.kvShared],
        ['decoding', p.decode],
      ];
  legendAt(s, reserved, { x: decode.x, right, y: 42, ...WIDE });
}

/** The distances in a legend of this stage. */
const WIDE = { word: 12, gap: 10 } as const;

/** The ratio between the columns, and what the loads suggest. */
function drawRatio(s: Scene, { ratio, vertical }: SplitLayout): void {
  const { pen, p, written } = s;
  const split = written.split;
  if (!split) return;
  const now = `${split.prefill.serving} : ${split.decode.serving}`;
  const hint = hintSaid(split.hint);
  const middle = ratio.x + ratio.w / 2;
  if (vertical) {
    pen.font = font(p, 12, 600);
    const w = pen.measureText(now).width;
    label(pen, now, middle, ratio.y + 16, p.ink, 'center');
    pen.font = font(p, 11);
    if (hint && w / 2 + 8 + pen.measureText(hint).width < ratio.w / 2)
      label(pen, hint, middle + w / 2 + 8, ratio.y + 16, p.ink3);
    return;
  }
  pen.font = font(p, 12, 600);
  if (pen.measureText(now).width < ratio.w) label(pen, now, middle, ratio.y + 36, p.ink, 'center');
  pen.font = font(p, 11);
  if (hint && pen.measureText(hint).width < ratio.w) label(pen, hint, middle, ratio.y + 18, p.ink3, 'center');
}

/** What arrives, how it is divided, and the branches to the prefill replicas. */
function drawArrivals(s: Scene, split: SplitLayout): void {
  const { pen, p, written, layout } = s;
  pen.font = font(p, 11);
  label(pen, 'Arrivals', 12, 20, p.ink3);
  const rate = ratePerS(written.key.offered_per_s);
  pen.font = font(p, 17, 600);
  label(pen, rate.value, 12, 62, p.ink);
  const unitX = 12 + pen.measureText(rate.value).width + 5;
  pen.font = font(p, 11);
  if (unitX + pen.measureText(rate.unit).width < 94) label(pen, rate.unit, unitX, 62, p.ink3);
  drawArrivalTrend(s, 86);
  if (!split.router) return;
  drawLocal(s, split, split.router);
  drawToPrefill(s, split, split.router);
  if (layout.queue) {
    drawQueue(s);
    drawBelowQueue(s);
  } else drawLane(s, split.router);
  drawRouterMark(s, split.router.x, split.router.y);
}

/** The lane into the router with the order of the decisions, and the shares below it. */
function drawLane(s: Scene, { x, y }: { readonly x: number; readonly y: number }): void {
  const { pen, p, written } = s;
  pen.strokeStyle = p.lineStrong;
  pen.globalAlpha = 0.4;
  pen.lineWidth = 9;
  pen.beginPath();
  pen.moveTo(12, y);
  pen.lineTo(x - 8, y);
  pen.stroke();
  pen.globalAlpha = 1;
  pen.font = font(p, 11);
  if (y - 30 > 96) {
    label(pen, 'home first,', 12, y - 28, p.ink3);
    label(pen, 'then prefill', 12, y - 14, p.ink3);
  }
  const decided = written.split?.decided;
  if (!decided) return;
  const foot = s.layout.split?.localY ?? s.layout.height;
  const rows: readonly (readonly [number, string])[] = [
    [decided.remote_share, 'remote'],
    [decided.local_share, 'local'],
  ];
  rows.forEach(([share, word], i) => {
    const at = y + 28 + i * 32;
    if (at + 14 > foot - 8) return;
    pen.font = font(p, 11, 600);
    label(pen, text(percent(share)), 12, at, p.ink);
    pen.font = font(p, 11);
    label(pen, word, 12, at + 13, p.ink3);
  });
  drawHeld(s, foot, y + 28 + 64 + 18);
}

/** What waits at the gateway or was refused, if anything was. */
function drawHeld(s: Scene, foot: number, y: number): void {
  const { pen, p, written } = s;
  const { held, rejected } = written.counts;
  const words: readonly (readonly [string, string])[] = [
    [held > 0 ? `${count(held)} held` : '', p.ink],
    [rejected > 0 ? `${count(rejected)} refused` : '', p.missText],
  ];
  let at = y;
  for (const [said, ink] of words) {
    if (said === '' || at > foot - 10) continue;
    label(pen, fitted(pen, said, 62), 12, at, ink);
    at += 14;
  }
}

/** A branch to each prefill replica, as wide as its share of what leaves them. */
function drawToPrefill(s: Scene, split: SplitLayout, router: { readonly x: number; readonly y: number }): void {
  const { pen, p } = s;
  const loads = s.replicas.map((r, i) => (split.cards[i]?.side === 'prefill' ? r.in_flight : 0));
  const all = Math.max(
    1,
    loads.reduce((a, b) => a + b, 0),
  );
  split.cards.forEach((card, i) => {
    if (card.side !== 'prefill') return;
    const focus = s.focus !== undefined && s.replicas[i]?.id === s.focus;
    pen.strokeStyle = focus ? p.accent : p.lineStrong;
    pen.globalAlpha = focus ? 0.7 : 0.4;
    pen.lineWidth = 1 + (14 * (loads[i] ?? 0)) / all;
    pen.beginPath();
    pen.moveTo(router.x + 4, router.y);
    pen.bezierCurveTo(router.x + 22, router.y, router.x + 8, card.port.across, card.box.x, card.port.across);
    pen.stroke();
    pen.globalAlpha = 1;
  });
}

/** The way of requests that are prefilled at home, below the cards. */
function drawLocal(s: Scene, split: SplitLayout, router: { readonly x: number; readonly y: number }): void {
  const { pen, p, written } = s;
  const y = split.localY;
  if (y === undefined) return;
  const end = split.decode.x - 8;
  pen.strokeStyle = p.lineStrong;
  pen.globalAlpha = 0.5;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.moveTo(router.x, router.y + 8);
  pen.lineTo(router.x, y - 8);
  pen.quadraticCurveTo(router.x, y, router.x + 8, y);
  pen.lineTo(end - 8, y);
  pen.quadraticCurveTo(end, y, end, y - 8);
  pen.stroke();
  pen.globalAlpha = 1;
  pen.fillStyle = p.lineStrong;
  pen.beginPath();
  pen.moveTo(end - 5, y - 7);
  pen.lineTo(end + 5, y - 7);
  pen.lineTo(end, y - 14);
  pen.fill();
  const rate = text(ratePerS(written.split?.decided.local_per_s ?? 0));
  pen.font = font(p, 11);
  const x = split.prefill.x + 24;
  const room = end - 24 - x;
  const words = [`${rate} local, prefilled at home`, `${rate} local`].find((w) => pen.measureText(w).width + 8 <= room);
  if (words !== undefined) {
    pen.fillStyle = p.surface;
    pen.fillRect(x - 4, y - 8, pen.measureText(words).width + 8, 16);
    label(pen, words, x, y + 4, p.ink3);
  }
  drawFullness(s, split.decode.x + 4, split.decode.x + split.decode.w, y + 4);
}

function drawSplitCard(s: Scene, card: Card, r: ReplicaFrame, vertical: boolean): void {
  const { pen, p } = s;
  const written = writtenOf(s.written, r);
  // Both ends of the chosen transfer are in focus.
  const sends = s.frame.split?.transfers.some((t) => t.request === s.request && t.from === r.id) ?? false;
  drawCard(sends ? { ...s, focus: r.id } : s, card.box, r);
  pen.font = font(p, card.size === 'small' ? 12 : 14, 600);
  const x = card.box.x + (vertical ? 6 : 10);
  label(pen, `r${r.id}`, x, card.titleY, p.ink);
  drawRole(s, card);
  if (isStarting(r)) {
    drawStarting(s, card, r);
    return;
  }
  drawMarks(s, card, r);
  if (vertical) drawPhoneWords(s, card, written);
  else if (card.side === 'prefill') drawPrefillWords(s, card, written);
  else drawDecodeWords(s, card, written);
}

/** The place at which the role is changed: three dots beside the name. */
function drawRole(s: Scene, { role }: Card): void {
  const { pen, p } = s;
  pen.fillStyle = p.ink3;
  const [x, y] = [role.x + role.w / 2, role.y + role.h / 2];
  for (const dx of [-4, 0, 4]) pen.fillRect(Math.round(x + dx) - 1, Math.round(y) - 1, 2, 2);
}

function drawStarting(s: Scene, card: Card, r: ReplicaFrame): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const { box, role, right } = card;
  const from = role.x + role.w + 4;
  label(pen, fitted(pen, startWords(s.frame, r), Math.max(0, right - from)), from, card.titleY, p.ink3);
  if (box.h < 50) return;
  const y = card.titleY + 16;
  label(pen, fitted(pen, servesAt(s.frame, r), right - box.x - 10), box.x + 10, y, p.ink2);
  shareBar(pen, p, box.x + 10, y + 6, right - box.x - 10, 4, startShare(s.frame, r), p.ink3);
}

/** Waiting chips, bars of the batch and cells, without words. */
function drawMarks(s: Scene, card: Card, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { wait, batch, kv } = card;
  if (wait.w > 0 && r.queue.length > 0) drawWaiting(s, wait, r);
  const base = batch.y + batch.h;
  pen.fillStyle = p.line;
  pen.fillRect(batch.x, base - 1, batch.w, 1);
  const { pitch, bar, shown } = cardBars(card, r.batch.requests.length);
  for (let i = 0; i < shown; i++) drawBar(s, r.batch, i, { x: batch.x + i * pitch, w: bar, h: batch.h }, base);
  drawKv(s, kv, r);
}

function drawPrefillWords(s: Scene, card: Card, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { box, right, titleY, role } = card;
  const kv = text(percent(kvShare(r)));
  pen.font = font(p, 11);
  if (card.size === 'small') {
    label(pen, kv, right, titleY, p.ink, 'right');
    const waiting = count(r.waiting);
    labelFrom(pen, waiting, role.x + role.w - 6, card.batch.x - 6, titleY, r.waiting > 0 ? p.ink : p.ink3);
    return;
  }
  const said = `${kv} KV`;
  label(pen, said, right, titleY, p.ink, 'right');
  const end = right - pen.measureText(said).width - 8;
  const busy = r.serving ? `${text(percent(r.busy))} busy` : 'leaving';
  const from = role.x + role.w + 2;
  if (from + pen.measureText(busy).width <= end) label(pen, busy, from, titleY, r.serving ? p.ink3 : p.warnText);
  if (card.size !== 'tall') return;
  figure(pen, p, [count(r.waiting), 'waiting'], box.x + 10, box.y + 39, card.kv.x - 4);
  pen.font = font(p, 11, 600);
  label(pen, count(r.running), box.x + 10, card.batch.y + card.batch.h, p.ink);
}

function drawDecodeWords(s: Scene, card: Card, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { box, right, titleY, role, batch, kv } = card;
  const itl = r.split?.itl_us ?? 0;
  const said = itl > 0 ? text(durationUs(itl)) : '–';
  const mixed = r.split?.role === 'mixed' ? 'mixed' : '';
  if (card.size === 'small') {
    pen.font = font(p, 11, 600);
    label(pen, said, right, titleY, p.ink, 'right');
    pen.font = font(p, 11);
    labelFrom(pen, count(r.waiting), role.x + role.w - 6, batch.x - 6, titleY, r.waiting > 0 ? p.ink : p.ink3);
    return;
  }
  pen.font = font(p, 11);
  const running = `${count(r.running)} decoding`;
  pen.font = font(p, 11, 600);
  const room = right - pen.measureText(said).width - 6;
  pen.font = font(p, 11);
  const share = text(percent(kvShare(r)));
  const kvSaid = [`${share} KV`, share].find((w) => kv.x + pen.measureText(w).width <= room);
  if (kvSaid) label(pen, kvSaid, kv.x, titleY, p.ink);
  const kinds = mixed ? [`mixed, ${count(r.running)} running`, 'mixed'] : [running, count(r.running)];
  const words = r.serving ? kinds : ['leaving'];
  const fits = words.find((w) => batch.x + pen.measureText(w).width + 8 <= kv.x);
  if (fits) label(pen, fits, batch.x, titleY, r.serving ? p.ink3 : p.warnText);
  pen.font = font(p, 11, 600);
  label(pen, said, right, box.y + 26, p.ink, 'right');
  healthMark(pen, p, itlHealth(itl), right - 5, box.y + 39);
  pen.font = font(p, 11);
  label(pen, 'ITL', right - 14, box.y + 43, p.ink3, 'right');
  drawDecodeQueue(s, card, r);
}

/** Without chips: what waits or comes, in words. */
function drawDecodeQueue(s: Scene, card: Card, r: ReplicaFrame): void {
  const { pen, p } = s;
  const coming = (r.split?.incoming ?? 0) + (r.split?.landed ?? 0);
  const said = coming > 0 ? `${count(coming)} coming` : r.waiting === 0 ? '0 waiting' : '';
  const room = card.batch.x - 6 - card.wait.x;
  const slots = chipSlots(card.wait, card.wait.h);
  const rows = Math.min(slots.rows, Math.ceil(r.queue.length / slots.columns));
  const y = card.wait.y + rows * 14.2 + 11;
  if (said === '' || y > card.box.y + card.box.h - 5 || pen.measureText(said).width > room) return;
  label(pen, said, card.wait.x, y, p.ink3);
}

function drawPhoneHeads(s: Scene, split: SplitLayout): void {
  const { pen, p, written } = s;
  const y = split.prefill.y - 9;
  pen.font = font(p, 13, 600);
  label(pen, 'Prefill', split.prefill.x + 4, y, p.ink);
  const from = split.prefill.x + 10 + pen.measureText('Prefill').width;
  pen.font = font(p, 11);
  if (!written.split) return;
  const busy = `busy ${text(percent(written.split.prefill.busy))}`;
  if (from + pen.measureText(busy).width < split.ratio.x + 40) label(pen, busy, from, y, p.ink3);
}

function drawPhoneWords(s: Scene, card: Card, r: ReplicaFrame): void {
  const { pen, p } = s;
  const { box, right, titleY, role } = card;
  pen.font = font(p, 11);
  const first = card.side === 'prefill' ? r.busy : kvShare(r);
  const kinds =
    card.side === 'prefill' ? [`${text(percent(first))} busy`, text(percent(first))] : [text(percent(first))];
  const fits = kinds.find((w) => role.x + role.w + pen.measureText(w).width <= right);
  if (fits) label(pen, fits, right, titleY, r.serving ? p.ink3 : p.warnText, 'right');
  if (card.side === 'prefill') {
    figure(pen, p, [count(r.waiting), 'waiting'], box.x + 6, box.y + 35, card.batch.x - 4);
    return;
  }
  const itl = r.split?.itl_us ?? 0;
  pen.font = font(p, 11);
  label(pen, fitted(pen, itl > 0 ? text(durationUs(itl)) : '–', box.w - 12), box.x + 6, box.y + box.h - 8, p.ink);
}

/** Below the cards: the state of the decode replicas, a legend, and the chosen decision. */
function drawPhoneFoot(s: Scene, split: SplitLayout): void {
  const { pen, p, written } = s;
  const y = split.decode.y + split.decode.h + 18;
  const x = split.decode.x + 4;
  const right = split.decode.x + split.decode.w;
  pen.font = font(p, 13, 600);
  label(pen, 'Decode', x, y, p.ink);
  let at = x + pen.measureText('Decode').width + 6;
  pen.font = font(p, 11);
  if (written.split) {
    const said = `KV ${text(percent(written.split.decode.kv_used))}${split.servers.length > 0 ? draftsSaid(s) : ''}`;
    label(pen, said, at, y, p.ink3);
    at += pen.measureText(said).width + 14;
  }
  const marks: Swatch[] =
    split.servers.length > 0
      ? [
          ['own part', p.ink3],
          ['waits', p.waitHatch],
        ]
      : [
          ['held', p.prefill],
          ['reserved', 'outlined'],
        ];
  at = legendAt(s, marks, { x: at, right, y, ...WIDE });
  const flying = `${count(written.split?.under_way ?? 0)} under way`;
  labelFrom(pen, flying, at, right, y, p.ink3);
  const d = s.frame.split?.latest.find((one) => one.request === s.request);
  const decided = written.split?.decided;
  const where = d?.prefill === undefined ? 'local' : `remote, r${d.prefill} to r${d.home}`;
  const words = d
    ? `#${d.request} ${count(d.uncached)} of ${count(d.prompt_tokens)} uncached: ${where}`
    : decided
      ? `${text(percent(decided.remote_share))} remote, ${text(percent(decided.local_share))} local (${text(ratePerS(decided.local_per_s))})`
      : '';
  label(pen, fitted(pen, words, right - x), x, y + 20, d ? p.accent : p.ink2);
}
