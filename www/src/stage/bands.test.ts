import { expect, test } from 'vitest';
import { frameOf, gatewayOf } from '../../tests/gallery/synthetic.ts';
import type { Frame } from '../generated/boundary.ts';
import { cellsOf } from './BandTable.tsx';
import { bandHit, bandMarks } from './bands.ts';
import { bandTitle, describeGateway, describeStage } from './facts.ts';
import { stageLayout, stageNeeds } from './layout.ts';

const SIZES = [
  [822, 326],
  [1302, 506],
  [700, 326],
  [374, 600],
] as const;

test('bands fill the vessel from the most urgent on, and their marks are within them', () => {
  for (const [width, height] of SIZES) {
    for (const n of [1, 2, 3, 5]) {
      const { queue, boxes } = stageLayout(width, height, 4, { bands: n });
      if (!queue) throw new Error('no queue');
      expect(queue.bands.length).toBe(n);
      queue.bands.forEach((box, i) => {
        expect(box.y).toBe(queue.vessel.y + i * box.h);
        const marks = bandMarks(box, queue.wide);
        expect(marks.x + marks.columns * 14.2 - 1.2).toBeLessThanOrEqual(box.x + box.w);
        expect(marks.y + marks.rows * 14.2 - 1.2).toBeLessThanOrEqual(box.y + box.h - 6);
      });
      // Beside the replicas, or above them.
      const [first] = boxes;
      const { vessel } = queue;
      const beside = vessel.x + vessel.w <= (first?.x ?? 0);
      expect(beside || vessel.y + vessel.h <= (first?.y ?? 0), `${n} bands in ${width}`).toBe(true);
    }
  }
});

test('without flow control there is no queue, and all is where it was', () => {
  expect(stageLayout(822, 326, 4, { bands: 0 })).toEqual(stageLayout(822, 326, 4));
  expect([stageLayout(822, 326, 4).queue, stageLayout(822, 326, 4).flow]).toEqual([undefined, 262]);
  expect(stageLayout(822, 326, 4, { bands: 3 }).boxes[0]?.h).toBe(50);
});

test('on a phone the queue is above the replicas, and the page is higher by it', () => {
  expect(stageNeeds(374, 4, 3) - stageNeeds(374, 4)).toBe(22 + 3 * 44 + 8);
  expect(stageLayout(374, 600, 4, { bands: 3 }).queue?.wide).toBe(true);
});

test('a click finds the mark drawn there', () => {
  const layout = stageLayout(822, 326, 4, { bands: 3 });
  const box = layout.queue?.bands[1];
  if (!box) throw new Error('no second band');
  const marks = bandMarks(box, false);
  const at = (column: number, row: number) => bandHit(layout, marks.x + 14.2 * column + 5, marks.y + 14.2 * row + 5);
  expect([at(0, 0), at(2, 1)]).toEqual([
    { band: 1, mark: 0 },
    { band: 1, mark: marks.columns + 2 },
  ]);
  expect([bandHit(layout, marks.x + 5, box.y + 4), bandHit(layout, 20, 20)]).toEqual([undefined, undefined]);
});

test('the queue in words: its classes, who waits and for how long, and which bands send nothing on', () => {
  expect(describeGateway(gatewayOf(3, 0.8))).toBe(
    'Gateway queue at saturation 80\u00a0%: critical (100): 0 waiting; standard (0): 3 waiting, the longest for 420\u00a0ms; ' +
      'sheddable (−10): 19 waiting, the longest for 2.34\u00a0s, held back.',
  );
  expect(describeGateway({ saturation: 20.7, bands: [] })).toBe('Gateway queue at saturation 2,070\u00a0%: no band.');
  const frame: Frame = { ...frameOf(2), gateway: gatewayOf(1) };
  expect(describeStage(frame)).toContain('Gateway queue at saturation 96\u00a0%');
  const [band] = gatewayOf(1).bands;
  expect(band && bandTitle({ ...band, classes: [], priority: -7 })).toBe('band −7');
});

test('a band without requests has a dash for its longest wait', () => {
  const [urgent, standard] = gatewayOf(2).bands;
  expect([cellsOf(0.9, urgent), cellsOf(0.9, standard)]).toEqual([
    ['0', '–', '0', '100\u00a0%', 'yes'],
    ['3', '420\u00a0ms', '2,700', '88\u00a0%', 'no'],
  ]);
});
