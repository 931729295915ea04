// The words on the chart of a guess: each in the first of its places where it covers no line and no other word. Pure, in pixels.
import { axisText, placeText, unitText } from '../../../base/lessonUnits.ts';
import { sig3 } from '../../../base/units.ts';
import type { DrawQuestion, StepVerdict } from '../../../generated/boundary.ts';
import type { Points } from '../../../state/lessons/lessonGuess.ts';
import { type Apart, type Box, heightAt, type Plot, type Truth } from './guessScale.ts';

export type Label = {
  readonly class: string;
  readonly text: string;
  readonly x: number;
  /** The line that the text stands on. */
  readonly y: number;
  readonly anchor: 'start' | 'end' | 'middle';
};
type Spot = Pick<Label, 'x' | 'y' | 'anchor'>;
type Rect = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
type Pixel = readonly [x: number, y: number];

/** The width of a digit or letter of 11 px, on average. */
const LETTER = 6;
const [ASCENT, DESCENT] = [10, 4];

function rectOf(text: string, { x, y, anchor }: Spot): Rect {
  const width = text.length * LETTER;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - ASCENT, bottom: y + DESCENT };
}

/** How bad a place is: points of lines under the text, other texts under it, and what is beyond the chart. */
function cost(rect: Rect, points: readonly Pixel[], taken: readonly Rect[], box: Box): number {
  const on = points.filter(
    ([x, y]) => x > rect.left && x < rect.right && y > rect.top - 2 && y < rect.bottom + 2,
  ).length;
  const over = taken.filter(
    (other) =>
      rect.left < other.right + 4 && other.left < rect.right + 4 && rect.top < other.bottom && other.top < rect.bottom,
  ).length;
  const out = rect.left < box.left - 6 || rect.right > box.right + 18 || rect.top < 0 || rect.bottom > box.bottom + 2;
  return on + over * 40 + (out ? 200 : 0);
}

/** The first of the places with the least cost. */
export function placed(
  text: string,
  spots: readonly Spot[],
  around: { readonly points: readonly Pixel[]; readonly taken: readonly Rect[]; readonly box: Box },
): Spot | undefined {
  let best: Spot | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const spot of spots) {
    const now = cost(rectOf(text, spot), around.points, around.taken, around.box);
    if (now < least) [best, least] = [spot, now];
  }
  return best;
}

/** Places around a point, the nearest first. */
function around(x: number, y: number, near = 10): readonly Spot[] {
  return [
    { x: x + near, y: y + 16, anchor: 'start' },
    { x: x - near, y: y - 8, anchor: 'end' },
    { x: x + near, y: y - 8, anchor: 'start' },
    { x: x - near, y: y + 16, anchor: 'end' },
    { x: x + near, y: y + 32, anchor: 'start' },
    { x: x - near, y: y - 24, anchor: 'end' },
    { x: x - near, y: y + 32, anchor: 'end' },
    { x: x + near, y: y - 24, anchor: 'start' },
  ];
}

/** Pixels along a line, each 5 px. */
function along(line: readonly Pixel[]): readonly Pixel[] {
  return line.flatMap(([x, y], i): readonly Pixel[] => {
    const before = line[i - 1];
    if (!before) return [[x, y]];
    const steps = Math.max(1, Math.ceil(Math.hypot(x - before[0], y - before[1]) / 5));
    return Array.from({ length: steps }, (_, k): Pixel => {
      const share = (k + 1) / steps;
      return [before[0] + share * (x - before[0]), before[1] + share * (y - before[1])];
    });
  });
}

export type Labelled = {
  readonly plot: Plot;
  readonly ask: DrawQuestion;
  readonly line: Points;
  /** The name of the guess; empty while it is drawn. */
  readonly guessName: string;
  readonly slo: { readonly y: number; readonly text: string } | undefined;
  readonly now: number | undefined;
  readonly verdict: StepVerdict | undefined;
  readonly truth: Truth | undefined;
  readonly knee: { readonly px: number; readonly py: number; readonly knee: number } | undefined;
  readonly apart: Apart | undefined;
};

/** All words: those of the engine first, which have the fewest places. */
export function labelsOf(of: Labelled): readonly Label[] {
  const { plot, ask, truth, knee, apart } = of;
  const { box, x, y } = plot;
  const lines = obstacles(of);
  const out: Label[] = [];
  const taken: Rect[] = [];
  const add = (name: string, text: string, spots: readonly Spot[]): void => {
    const spot = placed(text, spots, { points: lines, taken, box });
    if (!spot) return;
    taken.push(rectOf(text, spot));
    out.push({ ...spot, class: name, text });
  };
  if (truth?.leaves) {
    const { px } = truth.leaves;
    const text = `${unitText(truth.leaves.y, ask.y.unit)} at ${placeText(truth.leaves.x, ask.x.unit)}`;
    add('truth-name', `engine ${text}`, [
      { x: px - 12, y: box.top + 6, anchor: 'end' },
      { x: px + 12, y: box.top + 6, anchor: 'start' },
      { x: px - 12, y: box.top + 22, anchor: 'end' },
      { x: px + 12, y: box.top + 22, anchor: 'start' },
    ]);
  }
  if (apart) add('truth-name', `${sig3(of.verdict?.guess?.factor ?? Number.NaN)} × your guess`, apartSpots(apart));
  if (knee) {
    const text = `knee ${axisText(Number(knee.knee.toPrecision(3)), ask.x.unit)}`;
    add('truth-name', text, around(knee.px, knee.py));
  }
  const last = truth?.leaves ? undefined : truth?.points.at(-1);
  if (last) add('truth-name', 'engine', around(last.x, last.y));
  if (of.guessName !== '' && of.line.length > 0) {
    const spots = [0.02, 0.3, 0.55].flatMap((share): Spot[] => {
      const px = box.left + share * (box.right - box.left);
      const heights = [0, 40, 80, 120, 160].flatMap((d) => heightAt(of.line, x.of(px + d)) ?? []).map(y.at);
      const [top, bottom] = [Math.min(...heights, box.bottom), Math.max(...heights, box.top)];
      return [
        { x: px, y: top - 8, anchor: 'start' },
        { x: px, y: bottom + 16, anchor: 'start' },
      ];
    });
    add('guess-name', of.guessName, spots);
  }
  if (of.slo) {
    add('guess-slo-name', of.slo.text, [
      { x: box.left + 6, y: of.slo.y - 4, anchor: 'start' },
      { x: box.right - 4, y: of.slo.y - 4, anchor: 'end' },
      { x: box.left + 6, y: of.slo.y + 13, anchor: 'start' },
      { x: box.right - 4, y: of.slo.y + 13, anchor: 'end' },
      { x: (box.left + box.right) / 2, y: of.slo.y - 4, anchor: 'middle' },
    ]);
  }
  return out;
}

/** On the other side of the guess than the engine first; then beside the dimension line. */
function apartSpots({ x, guess, engine }: Apart): readonly Spot[] {
  const beyond = engine < guess ? guess + 20 : guess - 12;
  const middle = (guess + engine) / 2 + 4;
  return [
    { x: x - 16, y: middle, anchor: 'end' },
    { x: x + 16, y: middle, anchor: 'start' },
    { x: x - 4, y: beyond, anchor: 'start' },
    { x: x + 4, y: beyond, anchor: 'end' },
    ...around(x, engine, 14),
  ];
}

/** What words must not cover: the lines, the bars and the marks. */
function obstacles({ plot, line, truth, slo, now, knee, apart }: Labelled): readonly Pixel[] {
  const { box, x, y } = plot;
  const vertical = (px: number, from: number, to: number): readonly Pixel[] =>
    along([
      [px, from],
      [px, to],
    ]);
  const truthLine = (truth?.points ?? []).map((p): Pixel => [p.x, p.y]);
  if (truth?.leaves) truthLine.push([truth.leaves.px, box.top]);
  return [
    ...along(line.map(([a, b]): Pixel => [x.at(a), y.at(b)])),
    ...along(truthLine),
    ...(truth?.points ?? []).flatMap((p) => vertical(p.x, p.low ?? p.y, p.high ?? p.y)),
    ...(slo
      ? along([
          [box.left, slo.y],
          [box.right, slo.y],
        ])
      : []),
    ...(now === undefined ? [] : vertical(x.at(now), box.top, box.bottom)),
    ...(knee ? vertical(knee.px, knee.py - 7, knee.py + 7) : []),
    ...(apart ? vertical(apart.x + apart.side, apart.guess, apart.engine) : []),
  ];
}
