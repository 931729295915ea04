import { beforeEach, expect, test } from 'vitest';
import { densityOf } from '../../../tests/gallery/syntheticDensity.ts';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import { setBoxes, setTimeWindow } from '../../state/view/closeup.ts';
import { setSpan } from '../../state/view/span.ts';
import { editBefore, filterNow } from './answers.ts';
import { boxWords, cellWords, latencyWords, mapSentence } from './words.ts';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
const BOX = { of: 'ttft', from_us: 106e6, to_us: 131_999_999, least_us: 1_200_000, most_us: 4_199_999 } as const;

beforeEach(() => {
  setBoxes([]);
  setSpan(undefined);
  setTimeWindow(undefined);
});

test('a box is said with its span and its latencies, the unit once', () => {
  expect(plain(boxWords(BOX))).toBe('106 – 132 s, TTFT 1.20 – 4.20 s');
  expect(plain(boxWords({ ...BOX, of: 'itl', least_us: 900_000 }))).toBe('106 – 132 s, TPOT 900 ms – 4.20 s');
  expect(plain(latencyWords(300_000, 340_000))).toBe('300 – 340 ms');
});

test('the map is said in a sentence, and a cell with its count', () => {
  expect(mapSentence(undefined, '')).toBe('No latency is known yet.');
  const map = densityOf('ttft');
  const said = plain(mapSentence(map, '51 selected'));
  expect(said).toMatch(/^TTFT: [\d,]+ requests, at most \d+ in a cell, 2 s × 26 bins, by arrival\./);
  expect(said).toContain('The objective is 1.00 s. 51 selected.');
  expect(plain(mapSentence({ ...map, by_arrival: false, of: 'itl', slo_us: 0 }, ''))).toMatch(/gaps between tokens/);
  const filled = map.counts.findIndex((n) => n > 0);
  const words = plain(cellWords(map, Math.floor(filled / 26), filled % 26));
  expect(words.endsWith(`: ${map.counts[filled]}`)).toBe(true);
});

test('the selected span filters, else the part of the axis on screen, and boxes within it', () => {
  expect(filterNow()).toEqual({ from_us: 0, to_us: 0, measured: false, boxes: [] });
  setTimeWindow({ fromS: 10, toS: 90 });
  setBoxes([BOX]);
  expect(filterNow()).toEqual({ from_us: 10e6, to_us: 90e6, measured: false, boxes: [BOX] });
  setSpan({ fromS: 20, toS: 30.5, of: 'ttft' });
  expect(filterNow()).toMatchObject({ from_us: 20e6, to_us: 30_500_000 });
});

test('the distribution before an edit is that of the latest one in force before now', () => {
  const flag = (atS: number, applied = true, off = false) => ({ at_us: atS * 1e6, label: '', applied, off });
  const frame = trust<Frame>({ now_us: 50e6, flags: [flag(10), flag(20), flag(30, true, true), flag(60, false)] });
  expect(editBefore(frame, 0)).toBe(20e6);
  expect(editBefore(frame, 20e6)).toBeUndefined();
  expect(editBefore(undefined, 0)).toBeUndefined();
});
