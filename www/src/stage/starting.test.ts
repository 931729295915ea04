// What a card says of a replica that is down, and of one with which something is wrong.
import { expect, test } from 'vitest';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { agoWords, faultWords, hitWords, servesAt, startShare, startWords } from './starting.ts';

const now = { now_us: 118_000_000 };
const replica = (more: Partial<ReplicaFrame>): ReplicaFrame => ({ id: 2, ...more }) as ReplicaFrame;
const down = replica({
  life: { phase: 'down', since_us: 98_000_000, ready_us: 156_000_000, step: '' } as NonNullable<ReplicaFrame['life']>,
  crash: { inside: 4, broken: 28, lost: 6, planned: false },
});
const plain = (said: string): string => said.replaceAll('\u00a0', ' ');

test('a replica that is down says since when, what was hit, and how long it still is', () => {
  expect(plain(agoWords(now, down))).toBe('20 s ago');
  expect(hitWords(down)).toEqual(['28 hit', '22 go on, 6 lost']);
  expect(plain(servesAt(now, down))).toBe('38 s left');
  expect(startShare(now, down)).toBeCloseTo(20 / 58);
  expect(plain(startWords(now, down))).toBe('crashed 20 s ago, cache empty');
});

test('one that stays down says so, and an idle one that nothing was hit', () => {
  const forGood = replica({ life: { ...down.life, ready_us: 0 } as NonNullable<ReplicaFrame['life']> });
  expect(servesAt(now, forGood)).toBe('does not come back');
  expect(hitWords(forGood)).toEqual(['nothing was hit', '']);
  const planned = replica({ ...down, crash: { inside: 0, broken: 0, lost: 0, planned: true } });
  expect(plain(startWords(now, planned))).toBe('stopped 20 s ago, cache empty');
});

test('a fault has its kind, its factor and what is left of it', () => {
  const slow = replica({ faults: [{ kind: 'slow', short: 'slow', factor: 3, until_us: 138_000_000 }] });
  expect(faultWords(now, slow)?.map(plain)).toEqual(['slow ×3', '20 s left']);
  const late = replica({ faults: [{ kind: 'transfer-link', short: 'thin link', factor: 1 }] });
  expect(faultWords(now, late)).toEqual(['thin link', 'until the end']);
  const life = { phase: 'ejected' } as NonNullable<ReplicaFrame['life']>;
  expect(faultWords(now, { ...late, life })).toEqual(['thin link', 'ejected']);
  expect(faultWords(now, replica({}))).toBeUndefined();
});
