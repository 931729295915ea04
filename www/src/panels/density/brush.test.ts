import { expect, test } from 'vitest';
import type { RequestRow } from '../../generated/boundary.ts';
import { between, boxOf, cellAt, firstRange, hitOf, keyed, movedBy, rangeOf, sizedBy } from './brush.ts';
import { csvOf } from './csv.ts';

// Ten columns of 2 s from 10 s on; rows from 100 ms up by √2.
const EDGES = [100_000, 141_421.4, 200_000, 282_842.7, 400_000];
const GRID = {
  of: 'ttft',
  from_us: 10_000_000,
  width_us: 2_000_000,
  columns: 10,
  edges_us: EDGES,
  slo_us: 200_000,
  now_us: 25_500_000,
} as const;
const grid = { ...GRID, edges_us: [...EDGES] };

test('a cell is found by instant and latency, and beyond the map the nearest one', () => {
  expect(cellAt(grid, 12_000_000, 141_422)).toEqual({ column: 1, row: 1 });
  expect(cellAt(grid, 0, 1)).toEqual({ column: 0, row: 0 });
  expect(cellAt(grid, 1e12, 1e12)).toEqual({ column: 9, row: 3 });
});

test('a box covers whole cells, and no request lies in two of them', () => {
  const box = boxOf(grid, between({ column: 2, row: 1 }, { column: 1, row: 2 }));
  expect(box).toEqual({ of: 'ttft', from_us: 12_000_000, to_us: 15_999_999, least_us: 141_422, most_us: 282_842 });
  const next = boxOf(grid, between({ column: 3, row: 3 }, { column: 3, row: 3 }));
  expect([next.from_us, next.least_us]).toEqual([box.to_us + 1, box.most_us + 1]);
  expect(rangeOf(grid, box)).toEqual({ from: { column: 1, row: 1 }, to: { column: 2, row: 2 } });
});

test('boxes move and grow by cells and stay on the map', () => {
  const range = between({ column: 7, row: 1 }, { column: 8, row: 2 });
  expect(movedBy(grid, range, 5, 5)).toEqual(between({ column: 8, row: 2 }, { column: 9, row: 3 }));
  expect(movedBy(grid, range, -99, -99)).toEqual(between({ column: 0, row: 0 }, { column: 1, row: 1 }));
  expect(sizedBy(grid, range, 9, -9)).toEqual(between({ column: 7, row: 1 }, { column: 9, row: 1 }));
});

test('B begins over the objective before now; arrows move, with Shift size, Escape clears', () => {
  expect(firstRange(grid)).toEqual(between({ column: 6, row: 3 }, { column: 7, row: 3 }));
  const press = (key: string, shiftKey: boolean, from: ReturnType<typeof keyed>) =>
    keyed(grid, from?.boxes ?? [], from?.active ?? 0, { key, shiftKey });
  const begun = press('b', false, undefined);
  expect(begun?.boxes).toHaveLength(1);
  const moved = press('ArrowLeft', false, begun);
  expect(moved?.boxes[0]?.from_us).toBe(20_000_000);
  const wider = press('ArrowRight', true, moved);
  expect([wider?.boxes[0]?.from_us, wider?.boxes[0]?.to_us]).toEqual([20_000_000, 25_999_999]);
  const second = press('b', false, wider);
  expect([second?.boxes.length, second?.active]).toEqual([2, 1]);
  expect(press('Delete', false, second)).toEqual({ boxes: wider?.boxes, active: 0 });
  expect(press('Escape', false, second)?.boxes).toEqual([]);
  expect(press('Escape', false, undefined)).toBeUndefined();
  expect(press('x', false, second)).toBeUndefined();
});

test('a corner of the active box is taken before a box, and a box before nothing', () => {
  const box = boxOf(grid, between({ column: 2, row: 1 }, { column: 4, row: 2 }));
  const at = { atUs: 16_500_000, us: 200_000 };
  const never = (): boolean => false;
  expect(hitOf(grid, [box], 0, at, never)).toEqual({ on: 'box', index: 0 });
  const upper = hitOf(grid, [box], 0, at, (atUs, us) => atUs === box.to_us && us === box.most_us);
  expect(upper).toEqual({ on: 'corner', anchor: { column: 2, row: 1 } });
  expect(hitOf(grid, [box], 0, { atUs: 0, us: 1 }, never)).toEqual({ on: 'nothing' });
});

test('rows become CSV without formulas, a missing value stays empty', () => {
  const row: RequestRow = {
    request: 7,
    client: 0,
    client_name: '=1+1',
    class: 'a "b", c',
    replica: null,
    state: 'queued',
    arrival_us: 5,
    prompt_tokens: 10,
    cached_tokens: 0,
    output_tokens: 0,
    queue_us: 3,
    prefill_us: 0,
    ttft_us: null,
    ttft_missed: null,
    tpot_us: null,
    e2e_us: null,
    preemptions: 0,
  };
  const [head, line, rest] = csvOf([row]).split('\n');
  expect(head?.split(',')).toHaveLength(15);
  expect(line).toBe(`7,'=1+1,"a ""b"", c",,queued,5,10,0,0,3,0,,,,0`);
  expect(rest).toBe('');
});
