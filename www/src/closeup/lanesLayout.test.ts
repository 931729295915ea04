import { expect, test } from 'vitest';
import type { LaneSteps } from '../generated/boundary.ts';
import { hitLanes, lanesLayout, scrolledTo, sliceAt, usAt, xOf } from './lanesLayout.ts';

const counts = { replicas: 4, open: 2, rows: 10, scroll: 0 };

test('parts follow each other from top to bottom and fill the height', () => {
  const l = lanesLayout(800, 600, counts);
  expect([l.plot.x, l.plot.w]).toEqual([48, 700]);
  const bands = [l.minimap, l.ruler, l.router, l.area, l.batch ?? l.legend, l.legend];
  for (const [i, band] of bands.entries()) {
    const next = bands[i + 1];
    if (next && next !== band) expect(band.y + band.h).toBeLessThanOrEqual(next.y);
  }
  expect(l.legend.y + l.legend.h).toBe(600);
  expect(l.lanes.map((lane) => lane.replica)).toEqual([0, 1, 2, 3]);
  // The requests lie below the open lane and above the next one.
  const [, , open, next] = l.lanes;
  expect(l.requests?.y).toBeGreaterThan((open?.y ?? 0) + (open?.h ?? 0));
  expect((l.requests?.y ?? 0) + (l.requests?.h ?? 0)).toBeLessThanOrEqual(next?.y ?? 0);
  expect(l.requests?.row).toBe(7);
});

test('many rows get lower, and a crowd becomes a strip', () => {
  const rows = (n: number): number | undefined => lanesLayout(800, 600, { ...counts, rows: n }).requests?.row;
  expect(rows(60)).toBeLessThan(7);
  expect(rows(60)).toBeGreaterThanOrEqual(2);
  expect(rows(91)).toBe(0);
  expect(lanesLayout(800, 600, { ...counts, open: undefined }).requests).toBeUndefined();
});

test('what does not fit scrolls, and a replica can be scrolled to', () => {
  const many = { replicas: 64, open: 50, rows: 20, scroll: 0 };
  const top = lanesLayout(800, 500, many);
  expect(top.mostScroll).toBeGreaterThan(500);
  expect(top.lanes[0]?.replica).toBe(0);
  const scroll = scrolledTo(800, 500, many, 50);
  const there = lanesLayout(800, 500, { ...many, scroll });
  expect(there.lanes.some((lane) => lane.replica === 50)).toBe(true);
  const end = lanesLayout(800, 500, { ...many, scroll: 1e9 });
  expect(end.scroll).toBe(end.mostScroll);
  expect(end.lanes.at(-1)?.replica).toBe(63);
});

test('places and what lies there belong together', () => {
  const l = lanesLayout(800, 600, counts);
  expect(hitLanes(l, l.ruler.y + 2)).toEqual({ on: 'ruler' });
  for (const lane of l.lanes) expect(hitLanes(l, lane.y + 1)).toEqual({ on: 'lane', replica: lane.replica });
  const { requests } = l;
  expect(hitLanes(l, (requests?.y ?? 0) + 3 * 7 + 1)).toEqual({ on: 'requests', row: 3 });
  expect(hitLanes(l, 599)).toEqual({ on: 'none' });
});

test('instants and pixels are inverse to each other within the plot', () => {
  const { plot } = lanesLayout(800, 600, counts);
  const ends = { fromUs: 1_000_000, toUs: 3_000_000 };
  expect(xOf(plot, ends, 2_000_000)).toBe(48 + 350);
  expect(usAt(plot, ends, 48 + 350)).toBe(2_000_000);
  expect([usAt(plot, ends, 0), usAt(plot, ends, 800)]).toEqual([1_000_000, 3_000_000]);
});

test('the slice at an instant is found, or the nearest within reach', () => {
  const list = (...values: number[]): number[] => values;
  const steps: LaneSteps = {
    ...{ seq: list(0, 1, 2), steps: list(1, 1, 1), at_us: list(10, 20, 50), span_us: list(10, 10, 5) },
    ...{ busy_us: [], prefill_us: [], prompt_tokens: [], decode: [] },
  };
  expect([10, 19, 20, 29, 52].map((us) => sliceAt(steps, us, 0))).toEqual([0, 0, 1, 1, 2]);
  expect([5, 33, 47, 60].map((us) => sliceAt(steps, us, 4))).toEqual([-1, 1, 2, -1]);
  expect(sliceAt(steps, 7, 4)).toBe(0);
});

test('lanes of ranks stand together below the name of their server, which is seen with the first of them', () => {
  const groups = [{ words: 's0', replicas: [1, 3] }];
  const of = (scroll: number) =>
    lanesLayout(800, 420, { ...counts, replicas: 20, open: undefined, rows: 0, groups, scroll });
  const top = of(0);
  expect(top.lanes.slice(0, 4).map((lane) => lane.replica)).toEqual([0, 1, 3, 2]);
  expect(top.heads.map(({ words }) => words)).toEqual(['s0']);
  expect(top.heads[0]?.y).toBeLessThan(top.lanes[1]?.y ?? 0);
  const asked = { ...counts, replicas: 20, open: undefined, rows: 0, groups, scroll: 1e9 };
  expect(of(scrolledTo(800, 420, asked, 1)).heads.length).toBe(1);
});
