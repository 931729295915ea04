import { createRoot } from 'solid-js';
import { beforeEach, expect, test } from 'vitest';
import { setTimeWindow, timeWindow } from '../../state/view/closeup.ts';
import { laneAction } from './laneKeys.ts';
import { createLanesWindow, following, type LanesWindow, nextLength } from './lanesWindow.ts';

beforeEach(() => void setTimeWindow(undefined));

const windowAt = (nowS: number, endS: number): LanesWindow =>
  createRoot(() =>
    createLanesWindow(
      () => nowS,
      () => endS,
    ),
  );

test('a window that follows the playhead keeps it near its right edge, within the run', () => {
  expect(following(100, 2, 240)).toEqual({ fromS: 98.24, toS: 100.24 });
  expect(following(0.5, 2, 240)).toEqual({ fromS: 0, toS: 2 });
  expect(following(240, 2, 240)).toEqual({ fromS: 238, toS: 240 });
  expect(following(1, 2, 1.5)).toEqual({ fromS: 0, toS: 1.5 });
});

test('its length stays within limits', () => {
  expect(nextLength(2, 1.5, 240)).toBeCloseTo(4 / 3);
  expect([nextLength(2, 1e9, 240), nextLength(2, 1e-9, 240), nextLength(2, 1e-9, 5000)]).toEqual([0.02, 240, 600]);
});

test('zooming keeps following, panning and zooming at the pointer do not', () => {
  const w = windowAt(100, 240);
  w.zoom(2, undefined);
  expect([w.follows(), w.shown().toS - w.shown().fromS]).toEqual([true, expect.closeTo(1, 3)]);
  w.zoom(0.5, undefined);
  w.pan(-0.5);
  expect([w.follows(), timeWindow()]).toEqual([false, { fromS: 97.24, toS: 99.24 }]);
  w.zoom(2, 98.24);
  expect(timeWindow()).toEqual({ fromS: 97.74, toS: 98.74 });
  w.reveal(98);
  expect(timeWindow()).toEqual({ fromS: 97.74, toS: 98.74 });
  w.reveal(99.74);
  expect(timeWindow()?.toS).toBeCloseTo(99.84, 3);
  w.fit();
  expect(timeWindow()).toEqual({ fromS: 0, toS: 240 });
  w.follow();
  expect(w.follows()).toBe(true);
});

test('keys act, but not with Ctrl, and unknown ones are left to the page', () => {
  const key = (name: string, more = {}) =>
    laneAction({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  expect(['w', 'W', ',', '.', 'f', 'Enter', '['].map((k) => key(k))).toEqual([
    ...['zoom-in', 'zoom-in', 'step-back', 'step-on', 'fit', 'open', 'replica-back'],
  ]);
  expect([key('s', { ctrlKey: true }), key('W', { shiftKey: true }), key('x'), key(' ')]).toEqual(
    Array(4).fill(undefined),
  );
});
