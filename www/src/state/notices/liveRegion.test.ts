import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import { sinceEdit, Watcher } from './liveRegion.ts';

const frame = (s: number, ttftUs: number, goodput = 50): Frame =>
  trust<Frame>({
    now_us: s * 1e6,
    key: { window_s: 30, ttft: { count: 9, p99_us: ttftUs }, e2e: { count: 9, p99_us: 1e6 }, goodput_per_s: goodput },
  });

test('changes since an edit are announced with both values, and unchanged figures are left out', () => {
  expect(sinceEdit(frame(60, 300_000), frame(90, 1_900_000, 20))).toMatch(
    /^Since the edit: p99 TTFT up from 300\s?ms to 1.90\s?s, goodput down from 50\.0 requests a second to 20\.0 requests a second\.$/,
  );
  expect(sinceEdit(frame(60, 300_000), frame(90, 301_000))).toContain('are unchanged');
});

test('an edit is announced once, when the window of the figures is after it', () => {
  const watcher = new Watcher();
  const said = [
    [59, 0],
    [61, 1],
    [80, 1],
    [92, 1],
    [99, 1],
  ].map(([s = 0, passed = 0]) => watcher.take(frame(s, s < 61 ? 300_000 : 900_000), passed) !== undefined);
  expect(said).toEqual([false, false, false, true, false]);
});

test('going back before an edit forgets it', () => {
  const watcher = new Watcher();
  watcher.take(frame(59, 1), 0);
  watcher.take(frame(61, 1), 1);
  watcher.take(frame(20, 1), 0);
  expect(watcher.take(frame(99, 1), 0)).toBeUndefined();
});
