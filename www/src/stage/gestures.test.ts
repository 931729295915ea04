import { expect, test } from 'vitest';
import { trust } from '../base/trust.ts';
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { travelOf } from './facts.ts';
import { GESTURE_MS, Gestures, type Seen } from './gestures.ts';

const replica = (id: number, down = false): ReplicaFrame =>
  trust<ReplicaFrame>({ id, ...(down ? { life: { phase: 'down' } } : {}) });
const seen = (nowUs: number, replicas: readonly ReplicaFrame[], router = 'round-robin'): Seen => ({
  nowUs,
  replicas,
  router,
});
const two = [replica(0), replica(1)];
const kindsAfter = (next: Seen, still = false, first = seen(1e6, two)): string[] => {
  const gestures = new Gestures();
  gestures.take(first, 0, still);
  gestures.take(next, 16, still);
  return gestures.under(16).map(({ of, replica: id }) => (id < 0 ? of : `${of} ${id}`));
};

test('a crash, a replica that comes and another router are a gesture each, and a frame like the one before is none', () => {
  expect(kindsAfter(seen(1.1e6, two))).toEqual([]);
  expect(kindsAfter(seen(1.1e6, [replica(0, true), replica(1)]))).toEqual(['crash 0']);
  expect(kindsAfter(seen(1.1e6, [...two, replica(2)]))).toEqual(['come 2']);
  expect(kindsAfter(seen(1e6, two, 'least-loaded'))).toEqual(['switch']);
});

test('a gesture is over in less than 400 ms', () => {
  expect(GESTURE_MS).toBeLessThan(400);
  const gestures = new Gestures();
  gestures.take(seen(1e6, two), 0, false);
  gestures.take(seen(1.1e6, [replica(0, true), replica(1)]), 100, false);
  expect(gestures.under(100 + GESTURE_MS - 1).length).toBe(1);
  expect(gestures.under(100 + GESTURE_MS)).toEqual([]);
});

test('with reduced motion states change without any', () => {
  expect(kindsAfter(seen(1.1e6, [replica(0, true), replica(1), replica(2)], 'least-loaded'), true)).toEqual([]);
});

test('a jump along the run, back or far ahead, is not watched', () => {
  expect(kindsAfter(seen(0.5e6, [replica(0, true), replica(1)]))).toEqual([]);
  expect(kindsAfter(seen(9e6, [replica(0, true), replica(1)]))).toEqual([]);
});

test('requests travel as dots while at most 60 a second pass on the screen, else their ribbons flow', () => {
  const frame = (perS: number): Frame => trust<Frame>({ key: { offered_per_s: perS } });
  const moves = { reduced: false, playing: true };
  expect(travelOf(frame(26), 1, moves)).toBe('dots');
  expect(travelOf(frame(60), 1, moves)).toBe('dots');
  expect(travelOf(frame(26), 2.3, moves)).toBe('dots');
  expect(travelOf(frame(26), 2.4, moves)).toBe('flow');
  expect(travelOf(frame(600), 0.1, moves)).toBe('dots');
  expect(travelOf(frame(1), Number.POSITIVE_INFINITY, moves)).toBe('flow');
});

test('nothing travels with reduced motion, and no ribbon flows while the run stands', () => {
  const frame = trust<Frame>({ key: { offered_per_s: 26 } });
  expect(travelOf(frame, 1, { reduced: true, playing: true })).toBe('still');
  expect(travelOf(frame, 10, { reduced: true, playing: true })).toBe('still');
  expect(travelOf(frame, 10, { reduced: false, playing: false })).toBe('still');
  expect(travelOf(undefined, 1, { reduced: false, playing: true })).toBe('still');
});
