import { expect, test } from 'vitest';
import { byKey, byWheel, followed, moved, zoomed } from './zoom.ts';

const ALL = { fromS: 0, toS: 240 } as const;

test('zooming keeps the instant under the pointer where it is', () => {
  expect(zoomed(ALL, 240, 60, 2)).toEqual({ fromS: 30, toS: 150 });
  expect(zoomed({ fromS: 30, toS: 150 }, 240, 60, 4)).toEqual({ fromS: 52.5, toS: 82.5 });
  // At an edge of the axis the window stays within it.
  expect(zoomed({ fromS: 0, toS: 30 }, 240, 30, 0.5)).toEqual({ fromS: 0, toS: 60 });
});

test('a window is never shorter than 20 ms, and one of the whole axis is none', () => {
  expect(zoomed({ fromS: 10, toS: 10.03 }, 240, 10, 100)).toEqual({ fromS: 10, toS: 10.02 });
  expect(zoomed({ fromS: 10, toS: 200 }, 240, 100, 0.1)).toBeUndefined();
});

test('a moved window stays within the axis', () => {
  expect(moved({ fromS: 30, toS: 60 }, 240, -100)).toEqual({ fromS: 0, toS: 30 });
  expect(moved({ fromS: 30, toS: 60 }, 240, 1000)).toEqual({ fromS: 210, toS: 240 });
});

test('keys zoom around the playhead, or around the middle if that is not on screen; arrows pan only a zoomed window', () => {
  expect(byKey('+', ALL, 240, 60)).toEqual({ window: { fromS: 20, toS: 180 } });
  expect(byKey('+', { fromS: 100, toS: 160 }, 240, 60)).toEqual({ window: { fromS: 110, toS: 150 } });
  expect(byKey('0', { fromS: 100, toS: 160 }, 240, 60)).toEqual({ window: undefined });
  expect(byKey('ArrowRight', { fromS: 100, toS: 150 }, 240, 60)).toEqual({ window: { fromS: 110, toS: 160 } });
  expect(byKey('ArrowRight', ALL, 240, 60)).toBeUndefined();
  expect(byKey('x', ALL, 240, 60)).toBeUndefined();
});

test('the wheel zooms with Ctrl and pans with Shift', () => {
  const zoom = { dx: 0, dy: -300 * Math.LN2, zooms: true };
  expect(byWheel(zoom, ALL, 240, 60)).toEqual({ fromS: 30, toS: 150 });
  const pan = { dx: 0, dy: 500, zooms: false };
  expect(byWheel(pan, ALL, 240, 60)).toBeUndefined();
  expect(byWheel(pan, { fromS: 0, toS: 60 }, 240, 60)).toEqual({ fromS: 30, toS: 90 });
});

test('a window follows a run that plays out of it, but not one that is elsewhere', () => {
  expect(followed({ fromS: 40, toS: 60 }, 240, 59.9, 60.1)).toEqual({ fromS: 58.1, toS: 78.1 });
  expect(followed({ fromS: 40, toS: 60 }, 240, 50, 51)).toBeUndefined();
  expect(followed({ fromS: 40, toS: 60 }, 240, 100, 101)).toBeUndefined();
  expect(followed({ fromS: 220, toS: 240 }, 240, 239.9, 240.1)).toBeUndefined();
});
