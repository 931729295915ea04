import { expect, test } from 'vitest';
import { byLetter, grouped, matching, roomFor, stepIn } from './longLists.ts';

const option = (tag: string, group: string, description = '') => ({ tag, label: tag, group, description });
const LIST = [
  option('random', 'No signals'),
  option('least-loaded', 'Load', 'The smallest load.'),
  option('kv-cost', 'Cache', 'Blocks to prefill and load.'),
  option('power-of-d', 'Load'),
];

test('a search finds words of label, group and description, labels first', () => {
  expect(matching(LIST, '')).toBe(LIST);
  expect(matching(LIST, 'LOAD').map((o) => o.tag)).toEqual(['least-loaded', 'kv-cost', 'power-of-d']);
  expect(matching(LIST, 'load small').map((o) => o.tag)).toEqual(['least-loaded']);
  expect(matching(LIST, 'nothing')).toEqual([]);
});

test('keys go through the options in the order on screen, group by group, and stop at both ends', () => {
  expect(grouped(LIST).map(([group, of]) => [group, of.length])).toEqual([
    ['No signals', 1],
    ['Load', 2],
    ['Cache', 1],
  ]);
  expect(stepIn(LIST, 'least-loaded', 'ArrowDown')).toBe('power-of-d');
  expect(stepIn(LIST, 'power-of-d', 'ArrowDown')).toBe('kv-cost');
  expect(stepIn(LIST, 'kv-cost', 'ArrowDown')).toBe('kv-cost');
  expect(stepIn(LIST, 'random', 'ArrowUp')).toBe('random');
  expect(stepIn(LIST, 'random', 'End')).toBe('kv-cost');
  expect(stepIn(LIST, 'random', 'x')).toBeUndefined();
  expect(stepIn([], '', 'End')).toBeUndefined();
});

test('a list is inside the window wherever it is opened', () => {
  for (const [left, top] of [
    [100, 50],
    [100, 880],
    [1400, 400],
    [2, 2],
  ] as const) {
    const room = roomFor({ left, top, bottom: top + 24 }, { width: 1440, height: 900 });
    expect(room.top).toBeGreaterThanOrEqual(8);
    expect(room.top + room.maxHeight).toBeLessThanOrEqual(892);
    expect(room.left + 300).toBeLessThanOrEqual(1432);
  }
  expect(roomFor({ left: 0, top: 40, bottom: 64 }, { width: 390, height: 300 }).maxHeight).toBe(284);
});

test('a letter leads to the next option that begins with it, and around', () => {
  const options = ['Least loaded', 'Random', 'Least waiting'].map((label) => ({
    tag: label,
    label,
    group: '',
    description: '',
  }));
  expect(byLetter(options, 'Random', 'l')).toBe('Least waiting');
  expect(byLetter(options, 'Least waiting', 'L')).toBe('Least loaded');
  expect(byLetter(options, 'Random', 'x')).toBeUndefined();
  expect(byLetter(options, 'Random', 'Enter')).toBeUndefined();
});
