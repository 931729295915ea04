import { expect, test } from 'vitest';
import { placeOf } from './place.ts';

const WINDOW = { width: 1000, height: 800 };
const OWN = { width: 300, height: 200 };
const at = (left: number, top: number) => ({ left, top, right: left + 50, bottom: top + 20 });

test('a popover is below its word, above where there is no room, and beside one at the right edge', () => {
  expect(placeOf(at(100, 100), OWN, WINDOW)).toEqual({ left: 100, top: 128 });
  expect(placeOf(at(100, 700), OWN, WINDOW)).toEqual({ left: 100, top: 492 });
  expect(placeOf(at(680, 100), OWN, WINDOW)).toEqual({ left: 680, top: 128 });
  expect(placeOf(at(800, 100), OWN, WINDOW)).toEqual({ left: 492, top: 76 });
  // It never leaves the window.
  expect(placeOf(at(-20, 10), { width: 300, height: 900 }, WINDOW)).toEqual({ left: 8, top: 8 });
});
