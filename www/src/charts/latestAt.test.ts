import { expect, test } from 'vitest';
import { trust } from '../base/trust.ts';
import type { Frame } from '../generated/boundary.ts';
import { latestAt } from './latestAt.ts';
import { MORE_SPECS } from './moreSpecs.ts';
import { describeLines, valueNow } from './specs.ts';

const data = {
  names: ['t_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'],
  columns: [
    [1, 2, 2.3, 3],
    [10, 20, 23, 30],
    [11, 21, 24, 31],
    [12, 22, 25, Number.NaN],
    [5, 6, 7, 0],
  ].map((column) => Float64Array.from(column)),
};
const at = (nowUs: number): Frame =>
  trust<Frame>({ now_us: nowUs, key: { window_s: 30, itl: { count: 3, p50_us: 9000, p90_us: 9500, p99_us: 9900 } } });
const spec = (view: string) => {
  const found = MORE_SPECS.find((one) => one.view === view);
  if (!found) throw new Error(`no chart ${view}`);
  return found;
};

test('the row of an instant is the latest one up to it', () => {
  expect(latestAt(data, 2_300_000)).toEqual({ count: 7, p50_us: 23_000, p90_us: 24_000, p99_us: 25_000 });
  expect(latestAt(data, 2_299_000)?.p50_us).toBe(20_000);
  expect(latestAt(data, 999_999)).toBeUndefined();
  expect(latestAt(undefined, 5)).toBeUndefined();
});

test('waits have their present values from that row, gaps from the key figures, and both their number', () => {
  const wait = spec('wait-over-time');
  const [p50, , p99] = wait.lines(data);
  if (!p50 || !p99) throw new Error('three lines');
  expect(valueNow(wait, p50, at(2_300_000), data)).toBe(23);
  expect(valueNow(wait, p99, at(3_000_000), data)).toBeNaN();
  expect(wait.samples?.(at(2_300_000), data)).toBe(7);
  expect(describeLines(wait, data, at(2_300_000))).toMatch(/^Waiting time over time, last 30 s: p50 23/);
  const itl = spec('itl-over-time');
  expect(valueNow(itl, p50, at(2_300_000), data)).toBe(9);
  expect(itl.samples?.(at(2_300_000), data)).toBe(3);
});
