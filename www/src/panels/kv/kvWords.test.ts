import { expect, test } from 'vitest';
import type { BlockEvent } from '../../generated/boundary.ts';
import {
  beliefSaid,
  differs,
  EVENT_KINDS,
  eventWords,
  filterName,
  isOf,
  memorySaid,
  stateName,
  terms,
} from './kvWords.ts';

const event = (kind: string, blocks: number | null): BlockEvent => ({ at_us: 1, kind, request: 1, blocks, text: '' });

test('the sum has the blocks used, cached and free', () => {
  expect(terms({ own: 3, shared: 2, cached: 4, free: 1 })).toEqual([
    { name: 'used', blocks: 5 },
    { name: 'cached', blocks: 4 },
    { name: 'free', blocks: 1 },
  ]);
});

test('events are filtered by kind, both directions of the CPU tier together', () => {
  const all = ['hit', 'evicted', 'preempted', 'to-cpu', 'from-cpu'].map((kind) => event(kind, 2));
  const of = (filter: Parameters<typeof isOf>[1]): string[] => all.filter((e) => isOf(e, filter)).map((e) => e.kind);
  expect(of('all')).toHaveLength(5);
  expect(of('cpu')).toEqual(['to-cpu', 'from-cpu']);
  expect(of('evicted')).toEqual(['evicted']);
  expect(EVENT_KINDS.map(filterName)).toEqual(['Hits', 'Evicted', 'Preempted', 'CPU tier']);
});

test('an event says how many blocks, or a dash where that is not recorded', () => {
  expect(eventWords(event('hit', 1))).toBe('1 block found in the cache');
  expect(eventWords(event('evicted', 1200))).toBe('1,200 blocks evicted');
  expect(eventWords(event('to-cpu', null))).toBe('– written to the CPU tier');
});

test('a belief is beside the truth only where the router keeps one', () => {
  const group = { name: 'chat prefix', blocks: 32, cached: 30, refs: 2 };
  expect(beliefSaid({ ...group, believed: null })).toBe('30 of 32 cached');
  expect(beliefSaid({ ...group, believed: 32 })).toBe('believed 32 of 32, cached 30 of 32');
  expect([differs({ believed: 32, cached: 30 }), differs({ believed: null, cached: 30 })]).toEqual([true, false]);
});

test('memory is said in binary units, and a letter as a state', () => {
  expect(memorySaid(2 * 2 ** 20)).toBe('2.00\u00a0MiB');
  expect(memorySaid(6.66 * 2 ** 30)).toBe('6.66\u00a0GiB');
  expect([stateName('h'), stateName('?')]).toEqual(['held for a hand-over', 'free']);
});
