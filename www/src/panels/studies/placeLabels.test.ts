import { expect, test } from 'vitest';
import { type Named, placeLabels } from './placeLabels.ts';

const WITHIN = { left: 50, right: 400, top: 4, bottom: 110 };
const boxOf = (p: Named, at: { x: number; y: number }) => ({
  x0: at.x,
  x1: at.x + p.width,
  y0: at.y - 9,
  y1: at.y + 3,
});

test('labels of close points do not overlap each other or a point', () => {
  const points: Named[] = [
    { x: 200, y: 20, width: 40 },
    { x: 203, y: 20, width: 40 },
    { x: 210, y: 22, width: 130 },
    { x: 150, y: 90, width: 60 },
  ];
  const boxes = placeLabels(points, WITHIN).map((at, i) => boxOf(points[i] ?? { x: 0, y: 0, width: 0 }, at));
  boxes.forEach((a, i) => {
    boxes.slice(i + 1).forEach((b) => {
      expect(a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1).toBe(false);
    });
    for (const p of points) expect(p.x > a.x0 && p.x < a.x1 && p.y > a.y0 && p.y < a.y1).toBe(false);
  });
});

test('the label of a point at the right edge is left of it', () => {
  const [at] = placeLabels([{ x: 390, y: 60, width: 80 }], WITHIN);
  expect(at?.x).toBeLessThan(390 - 80);
});
