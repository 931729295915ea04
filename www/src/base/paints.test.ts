import { afterEach, expect, test, vi } from 'vitest';
import { atPaint, joinPaint, paintApart } from './paints.ts';

afterEach(() => vi.unstubAllGlobals());

/** Display frames made by hand. */
function frames() {
  const waiting: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => waiting.push(callback));
  return (nowMs: number) => {
    for (const callback of waiting.splice(0)) callback(nowMs);
  };
}

test('work requested while a frame is processed is drawn once in the same display frame', () => {
  const next = frames();
  const drawn: number[] = [];
  const paint = (nowMs: number): void => void drawn.push(nowMs);
  atPaint(() => {
    expect([joinPaint(paint), joinPaint(paint)]).toEqual([true, true]);
    expect(drawn).toEqual([]);
  });
  next(16);
  expect(drawn).toEqual([16]);
  expect(joinPaint(paint)).toBe(false);
  next(32);
  expect(drawn).toEqual([16]);
});

test('a failure while a frame is processed does not leave the round open', () => {
  const next = frames();
  atPaint(() => {
    throw new Error('made by the test');
  });
  expect(() => next(16)).toThrow('made by the test');
  expect(joinPaint(() => {})).toBe(false);
});

test('deferrable work gets display frames of its own, one each, and waits for at most two', () => {
  const next = frames();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) paintApart(() => done.push(name));
  atPaint(() => done.push('frame'));
  next(16);
  expect(done).toEqual(['frame']);
  next(32);
  expect(done).toEqual(['frame', 'a']);
  for (const nowMs of [48, 64, 80]) {
    atPaint(() => done.push('frame'));
    next(nowMs);
  }
  expect(done.slice(2).toSorted()).toEqual(['b', 'frame', 'frame', 'frame']);
  next(96);
  expect(done.at(-1)).toBe('c');
  next(112);
  expect(done.length).toBe(7);
});
