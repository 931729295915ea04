import { expect, test } from 'vitest';
import type { PauseCell } from '../../generated/boundary.ts';
import { heatCells, nextCell } from './heatLayout.ts';

const cell = (column: number, row: number): PauseCell => ({
  column,
  row,
  returns: 1,
  known_tokens: 10,
  again_tokens: 1,
  again_share: 0.1,
  request: column * 10 + row,
  most_tokens: 1,
});

test('columns are as wide as the picture allows, the longest pauses above', () => {
  const map = { columns: 10, edges_us: [0, 125_000, 250_000], cells: [cell(0, 0), cell(9, 1)] };
  const plan = heatCells(map, 228);
  expect(plan.cells.map(({ x, y, w }) => [x, y, w])).toEqual([
    [56, 26, 9],
    [146, 8, 9],
  ]);
  expect(plan.edges.map(({ y }) => y)).toEqual([44, 26, 8]);
});

test('arrows go to the nearest cell, in line before beside', () => {
  const cells = [cell(0, 0), cell(1, 3), cell(4, 0), cell(4, 2)];
  const [first, , right, above] = cells;
  expect(nextCell(cells, undefined, 'ArrowLeft')).toBe(first);
  expect(nextCell(cells, first, 'ArrowRight')).toBe(right);
  expect(nextCell(cells, right, 'ArrowUp')).toBe(above);
  expect(nextCell(cells, right, 'ArrowDown')).toBe(right);
  expect(nextCell(cells, first, 'End')).toBe(above);
  expect(nextCell(cells, first, 'a')).toBeUndefined();
});
