// A chart over time: its axis, its shaded times, bands and lines, and the names at the ends of lines.
import { areScheduled, isFew } from '../base/view.ts';
import type { Palette } from '../draw/inks.ts';
import { DASHES } from '../draw/looks.ts';
import { font, label, lineOf, plate } from '../draw/marks.ts';
import type { Pen } from '../draw/pen.ts';
import { drawLaneNames, drawReplicaLanes } from './drawReplicaLanes.ts';
import { pennants } from './flags.ts';
import { endLabels, indexAt, lastFinite, spreadLabels } from './scales.ts';
import {
  type Box,
  type DrawnLine,
  EDGE,
  type Ghost,
  isPlotted,
  LANE,
  type OverLine,
  placesIn,
  plotBox,
  type TimePicture,
} from './timePicture.ts';

export type TimeScene = Omit<TimePicture, 'of'> & {
  readonly pen: Pen;
  readonly p: Palette;
  readonly width: number;
  readonly height: number;
};

/** A scene with the positions of its plot. */
type Plot = TimeScene & ReturnType<typeof placesIn> & { readonly box: Box };

/** Distance between the base lines of two names, and the margin of the first and last one within the plot. */
const GAP = 11;
const LEAST = 2.5;

export function drawTime(scene: TimeScene): void {
  const { pen, p, box } = { ...scene, box: plotBox(scene.width, scene.height, scene.first) };
  const s: Plot = { ...scene, box, ...placesIn(box, scene) };
  pen.textBaseline = 'alphabetic';
  drawGround(s);
  drawAxis(s);
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y - 1, box.w, box.h + 2);
  pen.clip();
  const lanes = s.lanes && { ...s, lanes: s.lanes, doneS: Math.max(s.nowS, s.times.at(-1) ?? 0) };
  if (lanes) drawReplicaLanes(lanes);
  drawGhosts(s);
  drawLines(s);
  pen.restore();
  const sloY = drawObjective(s);
  if (s.over) drawOver(s, s.over);
  if (lanes) drawLaneNames(lanes);
  drawEnds(s, sloY, s.plain ? (s.ghosts ?? []) : drawGhostNames(s));
  drawAhead(s);
  drawMark(s);
  drawEdits(s);
  if (s.empty === undefined) return;
  pen.font = font(p, 11);
  plate(pen, p, s.empty, box.x + box.w / 2, box.y + box.h / 2 + 4);
}

/** The background: the warm-up, the time of anomalies, and the time not simulated yet. */
function drawGround(s: Plot): void {
  const { pen, p, box } = s;
  if (s.warmUpS > (s.startS ?? 0)) {
    const end = s.x(s.warmUpS);
    pen.fillStyle = p.shade;
    pen.fillRect(box.x, box.y, end - box.x, box.h);
    pen.fillStyle = p.line;
    pen.fillRect(end, box.y, 1, box.h);
  }
  // Faint, because charts only shade the time of an anomaly; its mark is on the timeline.
  pen.globalAlpha = 0.1;
  pen.fillStyle = p.warn;
  for (const [from, to] of s.shaded) {
    const left = s.x(from);
    pen.fillRect(left, box.y, Math.max(1, s.x(to) - left), box.h);
  }
  pen.globalAlpha = 1;
  if (s.plain) return;
  const done = doneX(s);
  pen.fillStyle = p.voidHatch;
  pen.fillRect(done, box.y, box.x + box.w - done, box.h);
}

function drawAxis(s: Plot): void {
  const { pen, p, box } = s;
  pen.font = font(p, 11);
  for (const { value, text } of s.ticks) {
    const y = s.y(value);
    pen.fillStyle = p.line;
    pen.fillRect(box.x, Math.round(y), box.w, 1);
    label(pen, text, box.x - 5, y + 3.5, p.ink3, 'right');
  }
}

/** Half the width of an isolated value. */
const ALONE = 1.5;

/**
 * Traverses a line from left to right, without a list of its points. A bucket without a value, in which nothing
 * happened, is a gap. An isolated value is a short stroke, since a line needs two. `few`: only the stretches with an end
 * of few values, or only the others.
 */
function goAlong(s: Plot, line: Pick<DrawnLine, 'values' | 'counts'>, few: boolean | undefined): void {
  const { pen, times, log } = s;
  const valueAt = (i: number): number => line.values[i] ?? Number.NaN;
  const has = (i: number): boolean => i >= 0 && isPlotted(valueAt(i), log);
  const fits = (i: number, j: number): boolean =>
    few === undefined || few === [i, j].some((k) => isFew(line.counts?.[k] ?? 0));
  const x = (i: number): number => s.along(times[i] ?? 0);
  let penAt = -1;
  for (let i = 0; i < times.length; i++) {
    if (!has(i)) continue;
    const y = s.y(valueAt(i));
    if (!has(i - 1)) {
      if (has(i + 1) || !fits(i, i)) continue;
      pen.moveTo(x(i) - ALONE, y);
      pen.lineTo(x(i) + ALONE, y);
      continue;
    }
    if (!fits(i - 1, i)) continue;
    const before = s.y(valueAt(i - 1));
    if (penAt !== i - 1) pen.moveTo(x(i - 1), before);
    if (s.stepped) pen.lineTo(x(i), before);
    pen.lineTo(x(i), y);
    penAt = i;
  }
}

/** Traces the upper line and back along the lower one, for each stretch in which both have values. */
function fillBetween(s: Plot, upper: Float64Array, lower: Float64Array): void {
  const { pen, times, log } = s;
  const has = (i: number): boolean => i < times.length && isPlotted(upper[i], log) && isPlotted(lower[i], log);
  pen.beginPath();
  for (let from = 0; from < times.length; from++) {
    if (!has(from)) continue;
    let end = from;
    while (has(end)) end += 1;
    for (let i = from; i < end; i++) pen.lineTo(s.along(times[i] ?? 0), s.y(upper[i] ?? 0));
    for (let i = end - 1; i >= from; i--) pen.lineTo(s.along(times[i] ?? 0), s.y(lower[i] ?? 0));
    pen.closePath();
    // The next stretch is a new shape.
    pen.fill();
    pen.beginPath();
    from = end;
  }
}

function drawLines(s: Plot): void {
  const { pen } = s;
  for (const { upper, lower, ink, alpha } of s.bands) {
    const [above, below] = [s.lines[upper], s.lines[lower]];
    pen.fillStyle = ink;
    pen.globalAlpha = alpha;
    if (above && below) fillBetween(s, above.values, below.values);
  }
  pen.globalAlpha = 1;
  pen.lineJoin = 'round';
  for (const line of s.lines) {
    for (const isFewNow of line.counts ? [false, true] : [undefined]) {
      pen.strokeStyle = isFewNow ? s.p.ink3 : line.ink;
      pen.lineWidth = isFewNow ? 1 : line.width;
      pen.setLineDash(isFewNow ? DASHES.few : line.dash);
      pen.beginPath();
      goAlong(s, line, isFewNow);
      pen.stroke();
    }
  }
  pen.setLineDash(DASHES.solid);
  pen.lineJoin = 'miter';
}

/** The run without the last edit, below the lines of this one. */
function drawGhosts(s: Plot): void {
  const { pen, p } = s;
  pen.strokeStyle = p.ink3;
  pen.lineWidth = 1.25;
  pen.setLineDash(DASHES.before);
  for (const { times, values } of s.ghosts ?? []) {
    pen.beginPath();
    goAlong({ ...s, times }, { values }, undefined);
    pen.stroke();
  }
  pen.setLineDash(DASHES.solid);
}

/** Names at the ends of these lines, where the plot has room for them; returns the others. */
function drawGhostNames(s: Plot): readonly Ghost[] {
  const { pen, p, box } = s;
  pen.font = font(p, 11);
  return (s.ghosts ?? []).filter((ghost) => {
    const at = lastIndex(s, ghost);
    if (at < 0 || ghost.name === '') return false;
    const x = s.along(ghost.times[at] ?? 0) + 6;
    if (x < box.x || x + pen.measureText(ghost.name).width > box.x + box.w - 2) return true;
    label(pen, ghost.name, x, placeOf(s, ghost.values[at] ?? 0), p.ink3);
    return false;
  });
}

function lastIndex(s: Plot, { values }: Ghost): number {
  return values.findLastIndex((value) => isPlotted(value, s.log));
}

/** The base line of a text beside a value, within the plot. */
const placeOf = (s: Plot, value: number): number =>
  Math.min(s.box.y + s.box.h + 4 - LEAST, Math.max(s.box.y + 9, s.y(Math.min(s.high, Math.max(s.low, value))) + 4));

/** The line of the objective; returns its y. */
function drawObjective(s: Plot): number | undefined {
  const { pen, p, box } = s;
  if (!(s.slo > 0) || s.slo < s.low || s.slo > s.high) return undefined;
  const y = s.y(s.slo);
  lineOf(pen, p, 'objective', { from: [box.x, y], to: [box.x + box.w, y] });
  return y;
}

/** The line of a law, and its name. */
function drawOver(s: Plot, { name, pieces, strokes, at }: OverLine): void {
  const { pen, p, box } = s;
  const [first] = pieces;
  if (!first) return;
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y - 2, box.w, box.h + 4);
  pen.clip();
  pen.strokeStyle = p.ink;
  pen.lineWidth = 1.5;
  pen.setLineDash(DASHES.law);
  for (const violated of [false, true]) {
    pen.globalAlpha = violated ? 0.55 : 1;
    pen.beginPath();
    for (const piece of pieces) {
      if (piece.violated !== violated) continue;
      pen.moveTo(...piece.from);
      pen.lineTo(...piece.to);
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
  pen.setLineDash(DASHES.solid);
  pen.strokeStyle = p.ink2;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [x, y] of strokes) {
    pen.moveTo(x - 2.5, y + 4);
    pen.lineTo(x + 2.5, y - 4);
  }
  pen.stroke();
  pen.restore();
  pen.font = font(p, 11);
  if (at) label(pen, name, ...at, p.ink);
}

/** Where the time begins that is not simulated yet. */
const doneX = (s: Plot): number => s.x(Math.max(s.nowS, s.times.at(-1) ?? 0));

/** Room that the names of lines need within the plot. */
const NAMES = 72;

/** Names at the ends of the lines, kept apart. */
function drawEnds(s: Plot, sloY: number | undefined, ghosts: readonly Ghost[]): void {
  const { pen, p, box } = s;
  if (s.plain && doneX(s) + NAMES < box.x + box.w) {
    drawNamesWithin(s, ghosts);
    if (sloY !== undefined) {
      pen.font = font(p, 11);
      label(pen, 'SLO', box.x + box.w + 4, sloY + 4, p.missText);
    }
    return;
  }
  const names: string[] = [];
  const places: number[] = [];
  const alone: boolean[] = [];
  for (const line of s.lines) {
    const v = lastFinite(line.values, indexAt(s.times, s.endS));
    if (!isPlotted(v, s.log)) continue;
    names.push(line.name);
    places.push(s.y(Math.min(s.high, Math.max(s.low, v))) + 4);
    alone.push(line.chosen);
  }
  for (const ghost of ghosts) {
    names.push('without');
    places.push(placeOf(s, ghost.values[lastIndex(s, ghost)] ?? 0));
    alone.push(false);
  }
  const slo = sloY === undefined ? -1 : names.length;
  if (sloY !== undefined) {
    names.push('SLO');
    places.push(sloY + 4);
    alone.push(true);
  }
  const labels = endLabels(names, places, alone, Math.floor((box.h - LEAST) / GAP) + 1);
  const spots = spreadLabels(
    labels.map((l) => l.place),
    GAP,
    box.y + 4,
    // Descenders must end above the edge of the canvas.
    box.y + box.h + 4 - LEAST,
  );
  labels.forEach(({ text, lines }, k) => {
    const chosen = lines.length === 1 && lines[0] !== slo && alone[lines[0] ?? 0] === true;
    pen.font = font(p, 11, chosen ? 600 : 400);
    const ink = lines.includes(slo) ? p.missText : chosen ? p.ink : p.ink3;
    const said = lines.length === 1 || pen.measureText(text).width <= EDGE.right - 4 ? text : 'others';
    const gap = Math.max(1, Math.min(4, EDGE.right - pen.measureText(said).width));
    label(pen, said, box.x + box.w + gap, spots[k] ?? 0, ink);
  });
}

/** The names beside the last values, where the time to come leaves them room; the heavy line's is bold. */
function drawNamesWithin(s: Plot, ghosts: readonly Ghost[]): void {
  const { pen, p, box } = s;
  const names = [
    ...s.lines.map(({ name, values, width }) => ({ name, value: lastFinite(values, indexAt(s.times, s.endS)), width })),
    ...ghosts.map((ghost) => ({ name: ghost.name, value: ghost.values[lastIndex(s, ghost)] ?? Number.NaN, width: 0 })),
  ]
    .filter(({ name, value }) => name !== '' && isPlotted(value, s.log))
    .map((one) => ({ ...one, place: placeOf(s, one.value) }))
    .sort((a, b) => a.place - b.place);
  const spots = spreadLabels(
    names.map(({ place }) => place),
    GAP,
    box.y + 9,
    box.y + box.h + 4 - LEAST,
  );
  // The playhead runs ahead of the picture.
  const x = doneX(s) + 14;
  names.forEach(({ name, width }, k) => {
    pen.font = font(p, 11, width >= 2 ? 600 : 400);
    const said = x + pen.measureText(name).width < box.x + box.w ? name : name.split(' ')[0];
    label(pen, said ?? name, x, spots[k] ?? 0, width >= 2 ? p.ink : p.ink3);
  });
}

/** The selected request: a hollow dot in the ink of the user's hand. */
function drawMark(s: Plot): void {
  const { pen, p, mark } = s;
  if (!mark || mark.atS < (s.startS ?? 0) || mark.atS > s.endS || !isPlotted(mark.value, s.log)) return;
  pen.lineWidth = 2;
  pen.strokeStyle = p.accent;
  pen.fillStyle = p.surface;
  pen.beginPath();
  pen.arc(s.x(mark.atS), s.y(Math.min(s.high, Math.max(s.low, mark.value))), 4, 0, Math.PI * 2);
  pen.fill();
  pen.stroke();
}

/** Values computed beyond the playhead are drawn at 38 %. */
function drawAhead(s: Plot): void {
  const { pen, box } = s;
  const [from, to] = [s.x(s.nowS), s.x(s.times.at(-1) ?? 0)];
  if (to - from < 1) return;
  pen.globalAlpha = 0.62;
  pen.fillStyle = s.p.surface;
  pen.fillRect(from, box.y - 2, to - from, box.h + 4);
  pen.globalAlpha = 1;
}

/** Distance between the word for the warm-up and its neighbours. */
const CLEAR = 6;

/** A pole at each edit; above the first chart their pennants and the word for the warm-up. */
function drawEdits(s: Plot): void {
  const { pen, p, box } = s;
  const flags = s.flags.filter((f) => f.at_us / 1e6 >= (s.startS ?? 0) && f.at_us / 1e6 <= s.endS);
  for (const flag of flags) {
    const x = Math.round(s.x(flag.at_us / 1e6)) + 0.5;
    pen.globalAlpha = flag.applied ? 0.9 : 0.4;
    lineOf(pen, p, areScheduled([flag]) ? 'scheduled' : 'edit', { from: [x, box.y], to: [x, box.y + box.h] });
  }
  pen.globalAlpha = 1;
  if (!s.first) return;
  const applied = flags.filter((f) => f.applied);
  const places = applied.map((f) => Math.round(s.x(f.at_us / 1e6)));
  const y = box.y - LANE - 2;
  const edges = { left: box.x, right: box.x + box.w + EDGE.right - 4, playhead: s.x(s.nowS), knob: 0 };
  const drawn = pennants(pen, p, applied, places, y, edges);
  if (s.warmUpS <= (s.startS ?? 0)) return;
  pen.font = font(p, 11);
  const { width } = pen.measureText('warm-up');
  // Right of the playhead, if that would cross the word.
  const from = edges.playhead < box.x + width + CLEAR ? edges.playhead + CLEAR : box.x;
  if (drawn.every((d) => (d.side === 'right' ? d.x : d.x - d.width) > from + width + CLEAR))
    label(pen, 'warm-up', from, y + 10.5, p.ink3);
}
