import { expect, test } from 'vitest';
import { Dots, LEG_MS } from './dots.ts';
import { Trend } from './history.ts';

test('a dot runs from arrival to router, on to its replica, and is gone', () => {
  const dots = new Dots();
  dots.take([{ at_us: 1000, kind: 'arrive', request: 7, client: 1 }], 1000, 0, 1);
  expect(dots.settle(LEG_MS / 2)).toBe(true);
  dots.take([{ at_us: 2000, kind: 'route', request: 7, client: 1, replica: 3 }], 2000, 16, 1);
  const dot = dots.pool.find((d) => d.live);
  expect(dot?.replica).toBe(3);
  // It reaches the router before it leaves, even if the decision was earlier.
  expect(dot?.leaveMs).toBeGreaterThanOrEqual((dot?.startMs ?? 0) + LEG_MS);
  expect(dots.settle(LEG_MS * 2 + 300)).toBe(false);
});

test('going back in time clears the stage of dots', () => {
  const dots = new Dots();
  dots.take([{ at_us: 5000, kind: 'arrive', request: 1, client: 0 }], 5000, 0, 1);
  dots.take([], 1000, 16, 1);
  expect(dots.settle(20)).toBe(false);
});

test('a burst reuses the oldest dots instead of growing', () => {
  const dots = new Dots();
  const size = dots.pool.length;
  for (let i = 0; i < 500; i++) dots.take([{ at_us: i, kind: 'arrive', request: i, client: 0 }], i, 0, 1);
  expect(dots.pool.length).toBe(size);
  expect(dots.pool.some((d) => d.request === 499)).toBe(true);
});

test('a request that was routed long before the instant that the run came to has no dot', () => {
  const dots = new Dots();
  const [before, now] = [10e6, 60e6];
  const move = (at_us: number, request: number) => ({ at_us, kind: 'arrive', request, client: 0 }) as const;
  dots.take([move(before, 1), move(now, 2)], now, 0, 1);
  expect(dots.pool.filter((d) => d.live).map((d) => d.request)).toEqual([2]);
  // A run that jumps far on has none of them left.
  dots.take([], 3 * now, 16, 1);
  expect(dots.settle(16)).toBe(false);
});

test('a trend keeps the last minute in order and resets when the clock goes back', () => {
  const trend = new Trend();
  for (let s = 0; s < 120; s++) trend.push(s * 1e6, s);
  const seen: number[] = [];
  trend.each(119e6, (place, value) => {
    expect(place).toBeGreaterThanOrEqual(0);
    seen.push(value);
  });
  expect(seen.length).toBeGreaterThan(20);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  trend.push(3e6, 1);
  expect(trend.length).toBe(1);
});
