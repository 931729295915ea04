// Draws the lanes: the run in small, the ruler, routing decisions, the steps of every replica, the requests of one of them, its batch.

import { durationUs, NBSP, plain, sig3 } from '../base/units.ts';
import { isFew } from '../base/view.ts';
import { timeTicks } from '../charts/scales.ts';
import type { Palette } from '../draw/inks.ts';
import { DASHES, REQUESTS, type RequestLook } from '../draw/looks.ts';
import { fitted, font, label, labelFrom, lineOf, tenant } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { Lane, Lanes, OpenLane } from '../generated/boundary.ts';
import { drawBatch } from './drawLaneBatch.ts';
import { drawRequests } from './drawLaneRequests.ts';
import { type Ends, type LaneBand, type LaneGroup, type LanesLayout, lanesLayout, xOf } from './lanesLayout.ts';
import type { LanesView } from './lanesPicture.ts';

/** Distance between the middles of two times on the ruler that do not touch. */
const CHIPS_APART = 58;

/** What every part of the drawing needs. */
export type LaneScene = {
  readonly pen: Pen;
  readonly p: Palette;
  readonly lanes: Lanes;
  readonly view: LanesView;
  readonly layout: LanesLayout;
  readonly ends: Ends;
  readonly width: number;
  /** The position of an instant; those beyond the window are at its edges. */
  readonly x: (us: number) => number;
};

type Size = { readonly width: number; readonly height: number };

export function drawLanes(pen: Pen, p: Palette, lanes: Lanes, view: LanesView, { width, height }: Size): void {
  const open = view.open !== undefined && lanes.open?.replica === view.open ? view.open : undefined;
  const layout = lanesLayout(width, height, {
    replicas: lanes.lanes.length,
    groups: view.groups,
    open,
    rows: lanes.open?.rows ?? 0,
    scroll: view.scroll,
  });
  const ends = { fromUs: lanes.from_us, toUs: lanes.to_us };
  const { plot } = layout;
  const x = (us: number): number => Math.min(plot.x + plot.w, Math.max(plot.x, xOf(plot, ends, us)));
  const scene: LaneScene = { pen, p, lanes, view, layout, ends, width, x };
  drawMinimap(scene);
  drawRuler(scene);
  drawRouter(scene);
  pen.save();
  pen.beginPath();
  pen.rect(0, layout.area.y - 2, width, layout.area.h + 4);
  pen.clip();
  drawServerNames(scene);
  const steps = serverSteps(scene);
  for (const band of layout.lanes) {
    const lane = lanes.lanes[band.replica];
    if (lane) drawLane(scene, lane, band, steps.get(band.replica) ?? []);
  }
  const { requests, area } = layout;
  const seen = requests && requests.y + requests.h > area.y && requests.y < area.y + area.h;
  if (seen && lanes.open) drawRequests(scene, lanes.open, requests);
  pen.restore();
  if (layout.batch && lanes.open) drawBatch(scene, lanes.open, layout.batch);
  drawOver(scene);
  drawLegend(scene);
}

/** The whole run: prompt tokens a second above tokens produced a second, and the window on it. */
function drawMinimap({ pen, p, lanes, view, layout }: LaneScene): void {
  const { minimap: m, plot, ruler } = layout;
  pen.font = font(p, 11);
  label(pen, 'Run', 4, m.y + m.h / 2 + 4, p.ink3);
  const [start = [], prompt = [], output = []] = lanes.overview;
  const end = Math.max(1, view.endUs / 1e6);
  const at = (s: number): number => plot.x + plot.w * Math.min(1, s / end);
  const tops = [Math.max(1, ...prompt), Math.max(1, ...output)];
  const heights = [0.55 * m.h, 0.4 * m.h];
  const nowX = at(lanes.now_us / 1e6);
  [prompt, output].forEach((rates, i) => {
    pen.fillStyle = i === 0 ? p.prefill : p.decode;
    const base = i === 0 ? m.y + 0.6 * m.h : m.y + m.h;
    rates.forEach((rate, k) => {
      const [x0, x1] = [at(start[k] ?? 0), Math.min(nowX, at(start[k + 1] ?? lanes.now_us / 1e6))];
      const h = ((heights[i] ?? 0) * rate) / (tops[i] ?? 1);
      pen.fillRect(x0, base - h, Math.max(0.5, x1 - x0), h);
    });
  });
  pen.fillStyle = p.voidHatch;
  pen.fillRect(nowX, m.y, plot.x + plot.w - nowX, m.h);
  const [x0, x1] = [at(lanes.from_us / 1e6), at(lanes.to_us / 1e6)];
  const w = Math.max(3, x1 - x0);
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(x0 - 0.5, m.y - 2, w + 1, m.h + 4);
  pen.strokeStyle = p.lineStrong;
  pen.lineWidth = 1;
  pen.globalAlpha = 0.6;
  pen.beginPath();
  pen.moveTo(x0, m.y + m.h + 2);
  pen.lineTo(plot.x, ruler.y);
  pen.moveTo(x0 + w, m.y + m.h + 2);
  pen.lineTo(plot.x + plot.w, ruler.y);
  pen.stroke();
  pen.globalAlpha = 1;
  const right = plot.x + plot.w + 6;
  label(pen, `${sig3((lanes.to_us - lanes.from_us) / 1e6)}${NBSP}s`, right, m.y + 10, p.ink2);
  label(pen, `of ${plain(Math.round(end))}`, right, m.y + 23, p.ink3);
}

/** From where to where lines over the whole height go: the head of the batch has text, and no line crosses it. */
function stretches({ layout }: LaneScene): readonly (readonly [number, number])[] {
  const { ruler, area, batch } = layout;
  const top = ruler.y + 15;
  if (!batch) return [[top, area.y + area.h]];
  return [
    [top, batch.y],
    [batch.y + 18, batch.y + batch.h],
  ];
}

/** The middles of the times on the ruler: the playhead's, and the cursor's beside it. */
function chipsOf({ lanes, view, x }: LaneScene): {
  readonly now: number | undefined;
  readonly cursor: number | undefined;
} {
  const seen = (us: number | undefined): us is number => us !== undefined && us >= lanes.from_us && us <= lanes.to_us;
  const now = seen(lanes.now_us) ? x(lanes.now_us) : undefined;
  if (!seen(view.cursorUs)) return { now, cursor: undefined };
  const at = x(view.cursorUs);
  const covered = now !== undefined && Math.abs(now - at) < CHIPS_APART;
  return { now, cursor: covered ? now + (at < now ? -CHIPS_APART : CHIPS_APART) : at };
}

function drawRuler(scene: LaneScene): void {
  const { pen, p, lanes, layout, x } = scene;
  const { plot, ruler } = layout;
  const [fromS, toS] = [lanes.from_us / 1e6, lanes.to_us / 1e6];
  const chips = Object.values(chipsOf(scene)).filter((x) => x !== undefined);
  pen.font = font(p, 11);
  for (const s of timeTicks(toS, plot.w, 64, fromS)) {
    const at = x(s * 1e6);
    pen.fillStyle = p.line;
    for (const [y0, y1] of stretches(scene)) pen.fillRect(Math.round(at), y0, 1, y1 - y0);
    const text = s >= 1000 ? plain(Math.round(s * 100) / 100) : String(s);
    if (chips.every((chip) => Math.abs(chip - at) > CHIPS_APART)) label(pen, text, at, ruler.y + 11, p.ink3, 'center');
  }
}

/** Routing decisions as the shapes of their tenants; in ink those to the open replica. */
function drawRouter({ pen, p, lanes, view, layout, x }: LaneScene): void {
  const { router, plot } = layout;
  const y = router.y + router.h / 2;
  pen.font = font(p, 11);
  label(pen, 'Router', 4, y + 4, p.ink3);
  pen.fillStyle = p.line;
  pen.fillRect(plot.x, Math.round(y), plot.w, 1);
  for (const own of [false, true])
    for (const mark of lanes.marks) {
      if ((mark.replica === view.open) !== own || mark.at_us < lanes.from_us || mark.at_us > lanes.to_us) continue;
      const fill = mark.request === view.request ? p.accent : own ? p.ink : p.ink3;
      tenant(pen, p, mark.client, x(mark.at_us), y, 3.2, fill);
    }
  pen.font = font(p, 11);
  label(pen, 'p50', plot.x + plot.w + 6, router.y + 4, p.ink3);
  label(pen, `p99${NBSP}ms`, plot.x + plot.w + 6, router.y + 16, p.ink3);
}

/** The name of each server above the lanes of its ranks, unless it is scrolled out. */
function drawServerNames({ pen, p, layout, width }: LaneScene): void {
  pen.font = font(p, 11);
  for (const { y, words } of layout.heads) label(pen, fitted(pen, words, width - 12), 4, y + 11, p.ink2);
}

/** The steps of a replica: width is time, blue is for prompts, green for the rest, hatched what a rank waits. */
function drawLane(scene: LaneScene, lane: Lane, band: LaneBand, server: readonly Stretch[]): void {
  const { pen, p, lanes, view, layout, x } = scene;
  const { plot } = layout;
  const { at_us, span_us, busy_us, prefill_us, steps, seq, wait_us } = lane.steps;
  pen.fillStyle = p.raised;
  pen.fillRect(plot.x, band.y, plot.w, band.h);
  pen.fillStyle = p.waitHatch;
  for (const [from, to] of server) pen.fillRect(from, band.y, to - from, band.h);
  let chosen: readonly [number, number] | undefined;
  for (let i = 0; i < at_us.length; i++) {
    const [at = 0, span = 0, busy = 0] = [at_us[i], span_us[i], busy_us[i]];
    const [x0, x1] = [x(at), x(at + span)];
    const gap = x1 - x0 > 3 ? 1 : 0;
    const w = Math.max(0.5, x1 - x0 - gap);
    const share = busy > 0 ? Math.min(1, (prefill_us[i] ?? 0) / busy) : 0;
    // Merged steps that leave time between them are lower by that share.
    const h = band.h * (span > 0 ? Math.max(0.15, busy / span) : 1);
    const top = band.y + band.h - h;
    if (server.length > 0) {
      pen.fillStyle = p.raised;
      pen.fillRect(x0, band.y, x1 - x0, band.h);
    }
    pen.globalAlpha = at + span > lanes.now_us ? 0.38 : 1;
    const waits = busy > 0 ? Math.min(1, (wait_us?.[i] ?? 0) / busy) : 0;
    const ends = steps[i] === 1 ? x(at + span * (1 - waits)) : undefined;
    const own = drawWait(scene, { x: x0, y: top, w, h }, waits, ends);
    // The share of the rank's own part.
    const prompts = waits < 1 ? Math.min(1, share / (1 - waits)) : 0;
    pen.fillStyle = p.prefill;
    pen.fillRect(own.x, own.y, own.w, own.h * prompts);
    pen.fillStyle = p.decode;
    pen.fillRect(own.x, own.y + own.h * prompts, own.w, own.h * (1 - prompts));
    const { step } = view;
    const first = seq[i] ?? 0;
    const holds = step !== undefined && step.seq >= first && step.seq < first + (steps[i] ?? 1);
    if (step?.replica === lane.replica && holds) chosen = [x0, w];
  }
  pen.globalAlpha = 1;
  drawName(scene, lane, band);
  if (at_us.length === 0 && server.length === 0) idle(scene, lane, band);
  if (chosen) {
    pen.strokeStyle = p.accent;
    pen.lineWidth = 2;
    pen.strokeRect(chosen[0] - 1, band.y - 2, Math.max(3, chosen[1] + 2), band.h + 4);
  }
}

/** Where something begins and ends, in pixels. */
type Stretch = readonly [number, number];

/** By rank: where its server has a step, whether or not the rank has work in it. Of steps that are merged nothing is said. */
function serverSteps({ lanes, view, x }: LaneScene): ReadonlyMap<number, readonly Stretch[]> {
  const found = new Map<number, readonly Stretch[]>();
  for (const { replicas } of view.groups) {
    const all = replicas.flatMap((replica): Stretch[] => {
      const { at_us = [], span_us = [], steps = [] } = lanes.lanes[replica]?.steps ?? {};
      return at_us.flatMap((at, i): Stretch[] => (steps[i] === 1 ? [[x(at), x(at + (span_us[i] ?? 0))]] : []));
    });
    const joined: [number, number][] = [];
    for (const [from, to] of all.toSorted((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (last && from <= last[1]) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    for (const replica of replicas) found.set(replica, joined);
  }
  return found;
}

/** Slices of at least this width have the wait at their end; in others it is their upper part. */
const WIDE_SLICE = 6;

/** Hatches the share of a slice in which its rank waits, of a single step from `ends` on; returns what is left for its own part. */
function drawWait({ pen, p }: LaneScene, slice: Box, share: number, ends: number | undefined): Box {
  if (share <= 0) return slice;
  const { x, y, w, h } = slice;
  pen.fillStyle = p.waitHatch;
  if (ends !== undefined && w >= WIDE_SLICE) {
    const own = Math.max(0, Math.min(w, ends - x));
    pen.fillRect(x + own, y, w - own, h);
    return { x, y, w: own, h };
  }
  pen.fillRect(x, y, w, h * share);
  return { x, y: y + h * share, w, h: h * (1 - share) };
}

type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

/** The name of a replica and the figures of its steps, unless they are scrolled out. */
function drawName(scene: LaneScene, lane: Lane, band: LaneBand): void {
  const { pen, p, view, layout } = scene;
  const middle = band.y + band.h / 2;
  if (middle < layout.area.y + 10 || middle > layout.area.y + layout.area.h - 10) return;
  const isOpen = lane.replica === view.open;
  pen.font = font(p, 12, isOpen ? 600 : 400);
  drawCaret(pen, p, middle, isOpen);
  label(pen, `r${lane.replica}`, 18, middle + 4, isOpen ? p.ink : p.ink2);
  drawPercentiles(scene, lane, band);
}

function drawCaret(pen: Pen, p: Palette, y: number, open: boolean): void {
  pen.strokeStyle = p.ink3;
  pen.lineWidth = 1.25;
  pen.beginPath();
  if (open) {
    pen.moveTo(5, y - 1.5);
    pen.lineTo(8.5, y + 2);
    pen.lineTo(12, y - 1.5);
  } else {
    pen.moveTo(7, y - 3.5);
    pen.lineTo(10.5, y);
    pen.lineTo(7, y + 3.5);
  }
  pen.stroke();
}

/** The median and the 99th percentile of the steps in the window, in milliseconds. */
function drawPercentiles({ pen, p, layout }: LaneScene, { totals }: Lane, band: LaneBand): void {
  const x = layout.plot.x + layout.plot.w + 6;
  const [p50, p99] = [totals.p50_us, totals.p99_us];
  if (p50 === null || p99 === null) return;
  const few = isFew(totals.steps);
  pen.font = font(p, 11);
  if (band.h >= 24) {
    label(pen, sig3(p50 / 1000), x, band.y + band.h / 2 - 1, p.ink2);
    label(pen, sig3(p99 / 1000), x, band.y + band.h / 2 + 11, few ? p.ink3 : p.ink2);
  } else label(pen, sig3(p50 / 1000), x, band.y + band.h / 2 + 4, p.ink2);
}

function idle({ pen, p, lanes, layout, x }: LaneScene, lane: Lane, band: LaneBand): void {
  if (lanes.kept_from_us >= Math.min(lanes.to_us, lanes.now_us) && lane.totals.steps === 0) return;
  pen.font = font(p, 11);
  const left = layout.plot.x + 6;
  labelFrom(pen, 'idle', left - 40, Math.max(left + 22, x(lanes.from_us) + 30), band.y + band.h / 2 + 4, p.ink3);
}

/** What lies over everything: the brushed span, the time not simulated yet, the playhead and the crosshair. */
function drawOver(scene: LaneScene): void {
  const { pen, p, lanes, view, layout, x } = scene;
  const { ruler, area, plot } = layout;
  if (view.span && view.span.toUs > lanes.from_us && view.span.fromUs < lanes.to_us) {
    const [x0, x1] = [x(view.span.fromUs), x(view.span.toUs)];
    pen.fillStyle = p.accent;
    pen.globalAlpha = 0.14;
    for (const [y0, y1] of stretches(scene)) pen.fillRect(x0, y0, x1 - x0, y1 - y0);
    pen.globalAlpha = 1;
    for (const edge of [x0, x1]) {
      for (const [y0, y1] of stretches(scene)) pen.fillRect(edge - 0.5, y0, 1, y1 - y0);
      pen.fillRect(edge - 2.5, ruler.y + 8, 5, 8);
    }
  }
  if (lanes.kept_from_us > lanes.from_us) {
    pen.fillStyle = p.voidHatch;
    pen.fillRect(plot.x, area.y, x(lanes.kept_from_us) - plot.x, area.h);
  }
  const line = (us: number, kind: 'playhead' | 'cursor'): void => {
    const pieces = stretches(scene).map(([y0, y1]) => ({ from: [x(us), y0], to: [x(us), y1] }) as const);
    lineOf(pen, p, kind, ...pieces);
  };
  const { now, cursor } = chipsOf(scene);
  if (now !== undefined) {
    line(lanes.now_us, 'playhead');
    chipAt(scene, now, (lanes.now_us / 1e6).toFixed(3), true);
  }
  if (cursor !== undefined && view.cursorUs !== undefined) {
    line(view.cursorUs, 'cursor');
    chipAt(scene, cursor, (view.cursorUs / 1e6).toFixed(3), false);
  }
}

/** A time on the ruler. */
function chipAt({ pen, p, layout, width }: LaneScene, x: number, text: string, isNow: boolean): void {
  pen.font = font(p, 11, 600);
  const w = pen.measureText(text).width + 8;
  const left = Math.max(0, Math.min(width - w, x - w / 2));
  pen.fillStyle = isNow ? p.accent : p.line;
  pen.beginPath();
  pen.roundRect(left, layout.ruler.y - 1, w, 16, 3);
  pen.fill();
  label(pen, text, left + 4, layout.ruler.y + 11, isNow ? p.onAccent : p.ink);
}

function drawLegend({ pen, p, layout, width, view }: LaneScene): void {
  const y = layout.legend.y + 13;
  const entries = { queued: 'waiting', prefill: 'prefill', decode: 'decode', preempted: 'preempted' } as const;
  pen.font = font(p, 11);
  let x = layout.plot.x;
  for (const [name, look] of Object.entries(entries)) {
    swatch(pen, p, look, x, y - 8);
    label(pen, name, x + 13, y, p.ink2);
    x += 13 + pen.measureText(name).width + 12;
  }
  const waits = ['waits for the slowest rank', 'waits'].find((w) => x + 19 + pen.measureText(w).width < width);
  if (view.groups.length > 0 && waits) {
    pen.fillStyle = p.waitHatch;
    pen.fillRect(x, y - 8, 9, 9);
    pen.strokeStyle = p.lineStrong;
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y - 7.5, 8, 8);
    label(pen, waits, x + 13, y, p.ink2);
    x += 13 + pen.measureText(waits).width + 12;
  }
  const remark = 'width of a slice: its time; blue: its share for prompts';
  labelFrom(pen, remark, x, width - 6, y, p.ink3);
}

function swatch(pen: Pen, p: Palette, look: RequestLook, x: number, y: number): void {
  const { ink, hollow, dash } = REQUESTS[look];
  if (!hollow) {
    pen.fillStyle = p[ink];
    pen.fillRect(x, y, 9, 9);
    return;
  }
  // The strong line of a waiting request is too faint beside words.
  pen.strokeStyle = look === 'waiting' ? p.ink3 : p[ink];
  pen.lineWidth = 1;
  pen.setLineDash(dash);
  pen.strokeRect(x + 0.5, y + 0.5, 8, 8);
  pen.setLineDash(DASHES.solid);
}

/** The lanes in one sentence. */
export function describeLanes(
  lanes: Lanes | undefined,
  open: OpenLane | null | undefined,
  groups: readonly LaneGroup[] = [],
): string {
  if (!lanes) return 'Lanes: nothing is known yet.';
  const { steps, p50_us, p99_us } = lanes.totals;
  const of = (us: number | null): string => {
    const { value, unit } = durationUs(us ?? Number.NaN);
    return unit === '' ? value : `${value} ${unit}`;
  };
  const figures =
    steps === 0
      ? 'no step began'
      : `${steps} steps began, half of them within ${of(p50_us)}, 99 % within ${of(p99_us)}`;
  const own = open ? `; r${open.replica} has ${open.count} requests there` : '';
  const [from, to] = [lanes.from_us, lanes.to_us].map((us) => (us / 1e6).toFixed(2));
  const servers = groups.map(({ words }) => ` Server ${words}.`).join('');
  return `Lanes of ${lanes.lanes.length} ${lanes.lanes.length === 1 ? 'replica' : 'replicas'} from ${from} to ${to} s: ${figures}${own}.${servers}`;
}
