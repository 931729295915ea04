// The line of a law in pieces; pieces with a violated assumption have strokes across them.
import type { Over } from '../../charts/timeContent.ts';
import type { Box, Piece, Point } from '../../charts/timePicture.ts';
import type { Place } from './StudyFigure.tsx';

/** Pixels between strokes. */
const STEP = 7;

/** The pieces of a line between known values. Its ends extend half a stretch, to the edges of their buckets. */
export function pieces(
  t: readonly number[],
  values: readonly (number | null)[],
  violated: readonly boolean[],
): readonly Piece[] {
  const half = t[0] ?? 0;
  const all: Piece[] = [];
  t.forEach((at, i) => {
    const v = values[i];
    if (v === null || v === undefined) return;
    const here = violated[i] ?? false;
    const before = values[i - 1];
    if (i === 0) all.push({ from: [0, v], to: [at, v], violated: here });
    else if (before !== null && before !== undefined) {
      all.push({ from: [t[i - 1] ?? 0, before], to: [at, v], violated: here || (violated[i - 1] ?? false) });
    }
    if (i === t.length - 1) all.push({ from: [at, v], to: [at + half, v], violated: here });
  });
  return all;
}

/** The side of a range on which all pieces are; undefined if one is within, or if there is none. */
export function outside(all: readonly Piece[], [low, high]: readonly [number, number]): 'below' | 'above' | undefined {
  if (all.length === 0) return undefined;
  if (all.every((p) => Math.max(p.from[1], p.to[1]) < low)) return 'below';
  return all.every((p) => Math.min(p.from[1], p.to[1]) > high) ? 'above' : undefined;
}

/** The pieces at one value: the edge of a range that none is within. */
export function atEdge(all: readonly Piece[], edge: number): readonly Piece[] {
  return all.map(({ from, to, violated }) => ({ from: [from[0], edge], to: [to[0], edge], violated }));
}

/** The pieces within a range, in pixels. */
export function placed(
  all: readonly Piece[],
  [low, high]: readonly [number, number],
  x: Place,
  y: Place,
): readonly Piece[] {
  const within = ([, v]: Point): boolean => v >= low && v <= high;
  const at = ([t, v]: Point): Point => [x(t), y(v)];
  return all
    .filter((p) => within(p.from) && within(p.to))
    .map((p) => ({ from: at(p.from), to: at(p.to), violated: p.violated }));
}

/** The positions of strokes across violated pieces. */
export function strokes(all: readonly Piece[]): readonly Point[] {
  return all
    .filter((p) => p.violated)
    .flatMap(({ from, to }) => {
      const found: Point[] = [];
      for (let x = Math.ceil(from[0] / STEP) * STEP; x <= to[0]; x += STEP) {
        const share = to[0] > from[0] ? (x - from[0]) / (to[0] - from[0]) : 0;
        found.push([x, from[1] + share * (to[1] - from[1])]);
      }
      return found;
    });
}

/** The kept pieces, the violated pieces, and the strokes across them, as SVG paths. */
export function paths(all: readonly Piece[]): {
  readonly kept: string;
  readonly violated: string;
  readonly across: string;
} {
  const at = ([x, y]: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const of = (some: readonly Piece[]): string => some.map((p) => `M${at(p.from)}L${at(p.to)}`).join('');
  return {
    kept: of(all.filter((p) => !p.violated)),
    violated: of(all.filter((p) => p.violated)),
    across: strokes(all)
      .map(([x, y]) => `M${at([x - 2.5, y + 4])}L${at([x + 2.5, y - 4])}`)
      .join(''),
  };
}

/** From point to point. */
type Stretch = readonly [from: Point, to: Point];

/** All lines of a chart: those of the run, the objective and the law. */
export function stretches(
  { box, times, values, slo, x, y, range }: Parameters<Over>[0],
  law: readonly Piece[],
): Stretch[] {
  const out: Stretch[] = law.map((piece) => [piece.from, piece.to]);
  if (slo > 0)
    out.push([
      [box.x, y(slo)],
      [box.x + box.w, y(slo)],
    ]);
  for (const line of values) {
    let before: Point | undefined;
    times.forEach((t, i) => {
      const v = line[i] ?? Number.NaN;
      // There is no line below the axis or without a value.
      const here: Point | undefined = v >= range[0] ? [x(t), y(v)] : undefined;
      if (here) out.push([before ?? here, here]);
      before = here;
    });
  }
  return out;
}

/**
 * A position for a name of a width where it overlaps no line: along the upper edge or the lower one, from the left.
 * Undefined if there is none.
 */
export function quietPlace(box: Box, width: number, lines: readonly Stretch[]): Point | undefined {
  for (const y of [box.y + 9, box.y + box.h - 3]) {
    for (let x = box.x + 4; x + width + 4 <= box.x + box.w; x += 24) {
      const crossed = lines.some(
        ([[x0, y0], [x1, y1]]) =>
          Math.max(x0, x1) >= x - 2 &&
          Math.min(x0, x1) <= x + width + 2 &&
          Math.max(y0, y1) >= y - 10 &&
          Math.min(y0, y1) <= y + 3,
      );
      if (!crossed) return [x, y];
    }
  }
  return undefined;
}
