import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { RequestDetail } from '../../generated/boundary.ts';
import { area } from './blockCells.ts';
import { aheadOf, aheadSaid, rowName } from './transferWords.ts';

/** A request whose KV is on its way from r1 to r4, at 1.2 s. */
const DETAIL = trust<RequestDetail>({
  until_us: 1_200_000,
  handover: {
    home: 4,
    prefill: 1,
    ahead: [
      { kind: 'transfer', to_us: 1_388_000 },
      { kind: 'join', to_us: 1_400_000 },
    ],
  },
});

test('what is to come follows one after the other from now on', () => {
  expect(aheadOf(DETAIL)).toEqual([
    { kind: 'transfer', fromUs: 1_200_000, toUs: 1_388_000 },
    { kind: 'join', fromUs: 1_388_000, toUs: 1_400_000 },
  ]);
  expect(aheadOf(trust<RequestDetail>({ until_us: 5 }))).toEqual([]);
});

test('a part under way says what has passed of its whole time, a later one its expected time', () => {
  const [transfer, join] = aheadOf(DETAIL);
  expect(transfer && aheadSaid(transfer, 212_000)).toBe('212\u00a0ms of 400\u00a0ms');
  expect(join && aheadSaid(join, 0)).toBe('~12.0\u00a0ms');
});

test('rows of a request prefilled elsewhere name the replica of their part', () => {
  expect(
    ['queue', 'prefill', 'room', 'transfer', 'join', 'decode'].map((kind) => rowName(DETAIL, trust(kind))),
  ).toEqual(['Queue r1', 'Prefill r1', 'Room r4', 'Transfer', 'Join r4', 'Decode']);
  expect(rowName(trust<RequestDetail>({}), 'prefill')).toBe('Prefill');
});

test('cells fill rows of 48, one state after the other', () => {
  expect(area(0, 0)).toBe('');
  expect(area(0, 2)).toBe('M0 0h12v6h-12Z');
  expect(area(46, 50)).toBe('M276 0h12v6h-12ZM0 6h12v6h-12Z');
});
