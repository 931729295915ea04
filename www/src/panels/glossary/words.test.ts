import { expect, test } from 'vitest';
import { DASH } from '../../base/units.ts';
import { inFormula, withUnit } from './numbers.ts';
import { ENTRIES, entryOf, expressionsOf, parted, rightSide, searched } from './words.ts';

test('labels of the page lead to words', () => {
  expect(entryOf('TTFT p99')?.word).toBe('TTFT');
  expect(entryOf('Cache hits')?.word).toBe('hit rate');
  expect(entryOf('Jain’s index of tenants')?.word).toBe("Jain's index");
  expect(entryOf('Objectives met, of those finished, refused or dropped')?.word).toBe('objectives met');
  expect(entryOf('push')?.word).toBe('pull, push');
  expect(entryOf('Utilisation')?.word).toBe('utilisation');
  expect(entryOf('replica')?.word).toBe('replica');
  expect(entryOf('no such word')).toBeUndefined();
  expect(entryOf('')).toBeUndefined();
});

test('a search finds words by the letters of their names, then by their meanings', () => {
  expect(searched('util')[0]?.word).toBe('utilisation');
  expect(searched('time to first')[0]?.word).toBe('TTFT');
  const gpus = searched('gpu').map((entry) => entry.word);
  expect(gpus).toContain('replica');
  expect(searched('')).toHaveLength(ENTRIES.length);
  expect(searched('zzz')).toEqual([]);
});

test('the right side of a formula has its signs, and the expressions are asked for once', () => {
  const law = entryOf("Little's law");
  if (!law) throw new Error('no law');
  expect(rightSide(law).flatMap((piece) => piece.sign?.sign ?? [])).toEqual(['λ', 'W']);
  const asked = expressionsOf(law);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toContain('report.throughput.arrived_per_s');
  expect(expressionsOf({ word: 'a', meaning: 'b', source: 'c' })).toEqual([]);
});

test('a sign has its subscript apart', () => {
  expect(parted('W_q')).toEqual(['W', 'q']);
  expect(parted('λ')).toEqual(['λ', '']);
});

test('numbers keep the unit of the formula, and a missing one is a dash', () => {
  expect(inFormula(3888.4907, 'ms')).toBe('3,888');
  expect(withUnit(3888.4907, 'ms')).toBe('3.89\u00a0s');
  expect(inFormula(0.2298, '%')).toBe('23.0\u00a0%');
  expect(withUnit(1736, 'requests')).toBe('1,736\u00a0requests');
  expect(withUnit(0.40693, '$')).toBe('$0.41');
  expect(inFormula(0.00002345, '')).toBe('0.0000235');
  for (const missing of [null, undefined, Number.NaN]) expect(withUnit(missing, 'ms')).toBe(DASH);
});
