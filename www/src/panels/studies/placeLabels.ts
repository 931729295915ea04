// Positions for the labels of points: beside their point, without overlap of other labels or points.

type Box = { readonly x0: number; readonly x1: number; readonly y0: number; readonly y1: number };

/** A point with the width of its label. */
export type Named = { readonly x: number; readonly y: number; readonly width: number };
type Within = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

/** Height of a label, and its distance from its point. */
const HEIGHT = 12;
const APART = 7;

/**
 * The position of a label: the left end of its base line, and the end of a line from its point if it is further away.
 */
export type Label = { readonly x: number; readonly y: number; readonly lead: readonly [number, number] | undefined };

/** The positions of labels, in the order of the points. */
export function placeLabels(points: readonly Named[], within: Within): readonly Label[] {
  const taken: Box[] = points.map((p) => ({ x0: p.x - 5, x1: p.x + 5, y0: p.y - 5, y1: p.y + 5 }));
  return points.map((p) => {
    const boxes = places(p);
    const fits = (box: Box): boolean =>
      box.x0 >= within.left && box.x1 <= within.right && box.y0 >= within.top && box.y1 <= within.bottom;
    const found = boxes.find((box) => fits(box) && !taken.some((t) => meet(box, t))) ?? boxes.find(fits) ?? boxes[0];
    if (!found) return { x: p.x, y: p.y, lead: undefined };
    taken.push(found);
    const near = (at: number, low: number, high: number): number => Math.min(high, Math.max(low, at));
    const lead = [near(p.x, found.x0, found.x1), near(p.y, found.y0, found.y1)] as const;
    const away = Math.hypot(lead[0] - p.x, lead[1] - p.y) > 2 * APART;
    return { x: found.x0, y: found.y1 - 3, lead: away ? lead : undefined };
  });
}

/** Candidate positions for a label: right and left of its point, then above and below, at growing distance. */
function places({ x, y, width }: Named): readonly Box[] {
  return [0, 1, 2, 3, 4, 5].flatMap((step) =>
    (step === 0 ? [0] : [-step, step]).flatMap((rows) => {
      const y0 = y - HEIGHT / 2 + rows * HEIGHT;
      const at = (x0: number): Box => ({ x0, x1: x0 + width, y0, y1: y0 + HEIGHT });
      return [at(x + APART), at(x - APART - width), ...(rows === 0 ? [] : [at(x - width / 2)])];
    }),
  );
}

const meet = (a: Box, b: Box): boolean => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
