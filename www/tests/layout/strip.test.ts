// The stage as a strip above a close-up: at every size and with every number of replicas.
import { expect, test } from 'vitest';
import { Dots } from '../../src/stage/dots.ts';
import { drawScene } from '../../src/stage/drawStage.ts';
import { Trends } from '../../src/stage/history.ts';
import { hitTest } from '../../src/stage/layout.ts';
import { layoutFor } from '../../src/stage/layoutFor.ts';
import { STRIP_HEIGHT, stripChip, stripChips } from '../../src/stage/strip.ts';
import { frameOf } from '../gallery/synthetic.ts';
import { onBorder, outside, overprinted, plainPalette, recordingPen } from './pen.ts';

const WIDTHS = [480, 720, 822, 1302, 1631] as const;
const REPLICAS = [1, 2, 4, 8, 12, 33, 64, 256, 1024] as const;

function drawn(replicas: number, width: number) {
  const { pen, labels } = recordingPen();
  const frame = frameOf(replicas, 131.25, 1, { pools: false, tier: false, bands: 0 });
  const layout = layoutFor(width, STRIP_HEIGHT, frame, frame.replicas);
  const rest = { request: undefined, focus: 0, menu: true, scale: 4096, wallMs: 0, ribbons: true };
  const kept = { trends: new Trends(), dots: new Dots() };
  drawScene({
    ...{ pen, p: plainPalette(true), frame, written: frame, replicas: frame.replicas, layout },
    ...rest,
    ...kept,
  });
  return { labels, layout };
}

for (const n of REPLICAS) {
  test(`a strip of ${n} replicas has a box for each within it, and its texts stand apart`, () => {
    for (const width of WIDTHS) {
      const { labels, layout } = drawn(n, width);
      expect(layout.boxes).toHaveLength(n);
      expect(layout.height).toBe(STRIP_HEIGHT);
      for (const { x, y, w, h } of layout.boxes) {
        expect(x >= 0 && y >= 0 && x + w <= width && y + h <= STRIP_HEIGHT, `${width}: ${x} ${y} ${w} ${h}`).toBe(true);
      }
      expect(overprinted(labels), `${width}`).toEqual([]);
      expect(outside(labels, width, STRIP_HEIGHT), `${width}`).toEqual([]);
      expect(onBorder(labels, layout.boxes), `${width}`).toEqual([]);
    }
  });
}

test('a click on a box of the strip hits its replica, one on a mark hits its request', () => {
  const { layout } = drawn(4, 822);
  const marks = layout.strip?.marks;
  const box = layout.boxes[2];
  if (!marks || !box) throw new Error('no marks');
  const hit = (x: number, y: number) => hitTest(layout, x, y, () => 20);
  expect(hit(box.x + 12, box.y + 20)).toEqual({ replica: 2, chip: -1, bar: -1 });
  for (let i = 0; i < stripChips(marks); i++) {
    const at = stripChip(marks, box, i);
    expect(hit(at.x + 5, at.y + 5), `chip ${i}`).toEqual({ replica: 2, chip: i, bar: -1 });
  }
  expect(hit(box.x + marks.bars.x + 3.5 * marks.bars.pitch, box.y + 40)).toEqual({ replica: 2, chip: -1, bar: 3 });
  expect(hit(3, 30)).toBeUndefined();
});

test('a higher stage is no strip', () => {
  const frame = frameOf(4);
  expect(layoutFor(822, STRIP_HEIGHT + 1, frame, frame.replicas).strip).toBeUndefined();
});
