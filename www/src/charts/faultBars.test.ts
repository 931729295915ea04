// The bars of faults on the timeline: their tracks, their states, and the ends that can be dragged.
import { expect, test } from 'vitest';
import type { Flag, OneFaultPart } from '../generated/boundary.ts';
import { barEndAt, faultBars, TRACKS } from './faultBars.ts';

const flag = (kind: string, at_us: number, until_us: number | undefined, off = false): Flag => ({
  at_us,
  label: kind,
  applied: at_us <= 50e6,
  off,
  fault: { kind, replica: 1, ...(until_us === undefined ? {} : { until_us }) },
});
const frame = (flags: readonly Flag[], faults: readonly Partial<OneFaultPart>[] = []) => ({
  now_us: 50e6,
  axis_end_us: 100e6,
  flags: [...flags],
  faults: faults as OneFaultPart[],
});
const x = (s: number): number => 10 * s;

test('a bar is as long as its fault; one without an end reaches the right edge', () => {
  const bars = faultBars(
    frame([
      flag('slow', 10e6, 30e6),
      flag('crash', 40e6, 60e6),
      flag('stuck', 70e6, undefined),
      flag('slow', 1e6, 2e6, true),
    ]),
    x,
  );
  expect(bars.map(({ index, crash, from, to, state }) => [index, crash, from, to, state])).toEqual([
    [0, false, 100, 300, 'over'],
    [1, true, 400, 600, 'now'],
    [2, false, 700, 1000, 'ahead'],
  ]);
});

test('a fault that was drawn at random has a bar too, one of an edit no second one', () => {
  const bars = faultBars(
    frame(
      [flag('crash', 40e6, 60e6)],
      [
        { kind: 'crash', at_us: 40e6, replica: 1, back_us: 60e6 },
        { kind: 'crash', at_us: 45e6, replica: 0, back_us: 55e6 },
      ],
    ),
    x,
  );
  expect(bars.map(({ index, from }) => [index, from])).toEqual([
    [0, 400],
    [-1, 450],
  ]);
  // Only an edit can be made longer.
  expect(barEndAt(bars, 550, TRACKS.crash)).toBeUndefined();
});

test('the end of a bar is taken in its own track', () => {
  const bars = faultBars(frame([flag('slow', 10e6, 60e6), flag('crash', 40e6, 60e6)]), x);
  expect(barEndAt(bars, 597, TRACKS.crash + 1)?.index).toBe(1);
  expect(barEndAt(bars, 603, TRACKS.other + 1)?.index).toBe(0);
  expect(barEndAt(bars, 580, TRACKS.crash + 1)).toBeUndefined();
  expect(barEndAt(bars, 600, 30)).toBeUndefined();
});
