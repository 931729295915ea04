// The timeline of the transport: the share of misses of each stretch, the edits, the anomalies, and the time not
// simulated yet.
import { briefly, isBrief, named, shapeOf } from '../base/anomalies.ts';
import { plain } from '../base/units.ts';
import type { Palette } from '../draw/inks.ts';
import { font, label } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import type { AnomalyKind } from '../generated/boundary.ts';
import { drawFaultBars, faultBars } from './faultBars.ts';
import { PENNANT, pennants } from './flags.ts';
import { timeTicks } from './scales.ts';
import { flagPlaces, LOWER, placeOn, scrubberEdges, type TimelinePicture } from './timeline.ts';

// The strip is 54 px high: pennants, anomalies, bars to the base line, ticks.
const TOP = 26;
const BASE = 40;
const TICKS = 52;
const TALLEST = BASE - TOP - 2;
/** The base line of the first of two runs. */
const MIDDLE = 32;
/** Top of the marks of anomalies, and their size. */
export const LANE = { y: 14, size: 9 } as const;

export type ScrubberScene = Omit<TimelinePicture, 'of'> & {
  readonly pen: Pen;
  readonly p: Palette;
  readonly width: number;
};

/** Green under 4 % missed, amber under 15 %, vermilion above; height shows the same. */
export function missClass(percent: number): 'decode' | 'warn' | 'miss' {
  if (percent < 4) return 'decode';
  return percent < 15 ? 'warn' : 'miss';
}

export function drawScrubber(s: ScrubberScene): void {
  const { pen, p, frame, width, few } = s;
  const { left, right } = scrubberEdges(width, few);
  const endS = Math.max(1e-6, frame.axis_end_us / 1e6);
  const nowS = frame.now_us / 1e6;
  const x = placeOn(frame, width, few);
  const times = s.data?.columns[0];
  const doneS = Math.max(nowS, times?.[times.length - 1] ?? 0);
  if (few) pen.translate(0, -LOWER);
  if (s.warmUpS > 0) {
    pen.fillStyle = p.shade;
    pen.fillRect(x(0), TOP, x(s.warmUpS) - x(0), BASE - TOP);
  }
  pen.fillStyle = p.voidHatch;
  pen.fillRect(x(doneS), TOP, right - x(doneS), BASE - TOP);
  pen.fillStyle = p.line;
  pen.fillRect(left, BASE, right - left, 1);
  pen.font = font(p, 11);
  if (!few && right - x(doneS) > 110 && width >= 720)
    label(pen, 'not yet simulated', right - 4, BASE - 4, p.ink3, 'right');
  if (s.beside) {
    drawBars(s, { data: s.data, base: MIDDLE }, x, nowS, doneS);
    drawBars(s, { data: s.beside, base: BASE }, x, nowS, doneS);
    pen.font = font(p, 11, 600);
    label(pen, 'A', 2, MIDDLE - 1, p.ink);
    label(pen, 'B', 2, BASE + 1, p.ink);
  } else drawBars(s, { data: s.data, base: BASE }, x, nowS, doneS);
  if (!few) drawDecisions(s, x, nowS);
  drawTicks(s, x, endS, left, right);
  if (few) {
    pen.translate(0, LOWER);
    return;
  }
  drawFaultBars(pen, p, faultBars(frame, x));
  drawAnomalies(s, x, nowS, right);
  drawFlags(s);
  if (s.carried !== undefined) drawCarried(s, x(s.carried / 1e6), s.carried, right);
}

/** The health of a run, and the base line of its bars. */
type Lane = { readonly data: ScrubberScene['data']; readonly base: number };

function drawBars(s: ScrubberScene, { data, base }: Lane, x: (t: number) => number, nowS: number, doneS: number): void {
  const { pen, p } = s;
  const tallest = s.beside ? MIDDLE - TOP : TALLEST;
  const times = data?.columns[0];
  const missed = data?.columns[1];
  if (!times || !missed) return;
  const outage = data.columns[data.names.indexOf('outage')];
  const stretches: Outage[] = [];
  // Buckets narrower than 3 px are merged by their worst: a bar must be wide enough to show its colour.
  let from = 0;
  while (from < times.length) {
    const x0 = x(times[from] ?? 0);
    let to = from;
    let worst = Number.NaN;
    let isOut = false;
    do {
      const v = missed[to] ?? Number.NaN;
      if (!(worst >= v) && Number.isFinite(v)) worst = v;
      isOut ||= (outage?.[to] ?? 0) > 0;
      to += 1;
    } while (to < times.length && x(times[to] ?? 0) - x0 < 3);
    const start = times[from] ?? 0;
    const x1 = to < times.length ? x(times[to] ?? 0) : Math.max(x0 + 2, x(doneS));
    from = to;
    const ahead = start > nowS;
    if (isOut) {
      const last = stretches.at(-1);
      if (last && last.x1 >= x0 && last.ahead === ahead) last.x1 = x1;
      else stretches.push({ x0, x1, ahead });
    }
    if (isOut || !Number.isFinite(worst)) continue;
    // Full height if at least half of the requests missed.
    const h = (s.beside ? 2 : 3) + Math.min(1, worst / 50) * (tallest - (s.beside ? 2 : 1));
    pen.globalAlpha = ahead ? 0.32 : 1;
    pen.fillStyle = p[missClass(worst)];
    pen.fillRect(x0, base - h, Math.max(1, x1 - x0 - 1), h);
  }
  for (const one of stretches) drawOutage(s, one, base, tallest);
  pen.globalAlpha = 1;
}

/** Half the width of the mark of a decision, and its height. */
const DECISION = { half: 3, high: 5 } as const;

/** Decisions of autoscalers: a pole with a solid mark up for more replicas, a hollow one down for fewer. */
function drawDecisions({ pen, p, decisions = [] }: ScrubberScene, x: (t: number) => number, nowS: number): void {
  pen.lineWidth = 1;
  for (const { us, more } of decisions) {
    const at = Math.round(x(us / 1e6)) + 0.5;
    pen.globalAlpha = us / 1e6 > nowS ? 0.38 : 1;
    pen.fillStyle = p.ink2;
    pen.strokeStyle = p.ink2;
    pen.fillRect(at - 0.5, TOP, 1, BASE - TOP);
    const [tip, foot] = more ? [TOP - DECISION.high, TOP] : [TOP, TOP - DECISION.high];
    pen.beginPath();
    pen.moveTo(at, tip);
    pen.lineTo(at + DECISION.half, foot);
    pen.lineTo(at - DECISION.half, foot);
    pen.closePath();
    if (more) pen.fill();
    else pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** A stretch in which requests waited and none ended. */
type Outage = { x0: number; x1: number; ahead: boolean };
const OUTAGE = ['requests wait, none finishes', 'none finishes'] as const;

/** Hollow, because all wait, in the colour of a miss and of full height, with text if it has room. */
function drawOutage({ pen, p }: ScrubberScene, { x0, x1, ahead }: Outage, base: number, tallest: number): void {
  const w = Math.max(2, x1 - x0 - 1);
  const top = base - tallest - (tallest === TALLEST ? 2 : 0);
  pen.globalAlpha = ahead ? 0.1 : 0.25;
  pen.fillStyle = p.miss;
  pen.fillRect(x0, top, w, base - top);
  pen.globalAlpha = ahead ? 0.32 : 1;
  pen.fillRect(x0, top, w, 1.5);
  pen.fillRect(x0, base - 1.5, w, 1.5);
  if (tallest < TALLEST) return;
  pen.font = font(p, 11);
  const words = OUTAGE.find((said) => pen.measureText(said).width + 8 <= w);
  if (words !== undefined) label(pen, words, x0 + 4, base - 3, p.missText);
}

function drawTicks(s: ScrubberScene, x: (t: number) => number, endS: number, left: number, right: number): void {
  const { pen, p } = s;
  pen.font = font(p, 11);
  const ticks = timeTicks(endS, right - left, s.few ? (right - left) / 3.2 : s.width < 720 ? 70 : 100);
  for (const t of ticks) {
    const last = t > endS * 0.97;
    if (t === 0) label(pen, '0', left, TICKS, p.ink3);
    else label(pen, last ? `${plain(t)} s` : plain(t), last ? right : x(t), TICKS, p.ink3, last ? 'right' : 'center');
  }
}

/** The pole of a dragged flag, and its new time. */
function drawCarried(s: ScrubberScene, x: number, us: number, right: number): void {
  const { pen, p } = s;
  pen.fillStyle = p.accent;
  pen.fillRect(Math.round(x), 0, 1, BASE);
  pen.font = font(p, 11, 600);
  const said = `${plain(Number((us / 1e6).toFixed(2)))} s`;
  const wide = pen.measureText(said).width + 10;
  const at = x + wide > right ? x - wide : x;
  pen.fillRect(at, 0, wide, PENNANT);
  label(pen, said, at + 5, 10, p.onAccent);
}

function drawFlags(s: ScrubberScene): void {
  const { flags, places, edges } = flagPlaces(s.frame, s.width);
  pennants(s.pen, s.p, flags, places, 0, edges);
}

/** Each cluster: the duration of its anomalies, the shape of the first, and their number or, with room, their kinds. */
function drawAnomalies(s: ScrubberScene, x: (t: number) => number, nowS: number, right: number): void {
  const { pen, p } = s;
  let taken = 0;
  s.anomalies.forEach((cluster, i) => {
    const [first] = cluster.marks;
    if (!first) return;
    const ahead = first.at_us / 1e6 > nowS;
    pen.globalAlpha = ahead ? 0.38 : 1;
    pen.fillStyle = first.kind === 'livelock' ? p.miss : p.warn;
    for (const mark of cluster.marks) {
      const from = x(mark.at_us / 1e6);
      const to = x(Math.max(mark.at_us, mark.end_us ?? s.frame.now_us) / 1e6);
      pen.fillRect(from, LANE.y + LANE.size + 1, Math.max(1, to - from), s.pointed === i ? 2 : 1);
    }
    const left = cluster.x - LANE.size / 2;
    ground(s, left - 1, LANE.size + 2);
    pen.fillStyle = first.kind === 'livelock' ? p.miss : p.warn;
    pen.save();
    pen.translate(left, LANE.y);
    pen.fill(pathOf(first.kind));
    pen.restore();
    const next = (s.anomalies[i + 1]?.x ?? right + LANE.size) - LANE.size / 2 - 6;
    const words = s.width >= 720 ? [named(cluster.marks), ...briefly(cluster.marks)] : briefly(cluster.marks);
    pen.font = font(p, 11, s.pointed === i ? 600 : 400);
    const measure = (said: string): number => pen.measureText(said).width;
    const spot = besideMark(words, left, { taken, next, right: s.width - 2, playhead: x(nowS) }, measure);
    taken = cluster.x + LANE.size / 2;
    if (spot) {
      ground(s, spot.x - 1, measure(spot.words) + 2);
      label(pen, spot.words, spot.x, LANE.y + 8.5, p.ink2);
      taken = Math.max(taken, spot.x + measure(spot.words));
    }
    pen.globalAlpha = 1;
  });
}

/** The bars of faults pass below marks and their words. */
function ground({ pen, p, frame }: ScrubberScene, x: number, w: number): void {
  if (!frame.flags.some((flag) => flag.fault) && !frame.faults) return;
  const alpha = pen.globalAlpha;
  pen.globalAlpha = 1;
  pen.fillStyle = p.surface;
  pen.fillRect(x, LANE.y - 0.5, w, LANE.size + 1);
  pen.globalAlpha = alpha;
}

/** Half the width of the playhead's knob. */
const KNOB = 8;

/**
 * The text of a mark that begins at `left`, and its position: the first text with room at the right, else the shortest
 * at the left, if the edge or the playhead is in the way. Undefined if none has room.
 */
export function besideMark(
  words: readonly string[],
  left: number,
  edges: { readonly taken: number; readonly next: number; readonly right: number; readonly playhead: number },
  measure: (text: string) => number,
): { readonly words: string; readonly x: number } | undefined {
  const after = left + LANE.size + 3;
  const clear = (from: number, to: number): boolean => to < edges.playhead - KNOB || from > edges.playhead + KNOB;
  const last = words.length - 1;
  for (const [i, said] of words.entries()) {
    const end = after + measure(said);
    // Marks are far enough apart that the shortest text of one does not reach the next.
    if (end <= (i === last && isBrief(said) ? edges.right : edges.next) && clear(after, end))
      return { words: said, x: after };
  }
  const shortest = words[last] ?? '';
  const before = left - 3 - measure(shortest);
  return isBrief(shortest) && before >= edges.taken + 3 ? { words: shortest, x: before } : undefined;
}

const paths = new Map<AnomalyKind, Path2D>();
function pathOf(kind: AnomalyKind): Path2D {
  // With its text, for pens that write it.
  const d = shapeOf(kind).path;
  const made = paths.get(kind) ?? Object.assign(new Path2D(d), { d });
  paths.set(kind, made);
  return made;
}
