import { expect, test } from 'vitest';
import { frameOf } from '../../tests/gallery/synthetic.ts';
import { withServers } from '../../tests/gallery/syntheticRanks.ts';
import { splitFrameOf } from '../../tests/gallery/syntheticSplit.ts';
import { describeServer, rankOf, serversOf, serverWords } from '../base/servers.ts';
import { edgesOf } from './grips.ts';
import { hitTest } from './layout.ts';
import { layoutFor } from './layoutFor.ts';
import { columnOfUnits, unitsOf } from './rankLayout.ts';
import { rankCells } from './replicaCells.ts';

test('ranks stand in the box of their server, in as few columns as there is height for', () => {
  const units = unitsOf([0, 1, 2, 3, 4], [7, 7, undefined, 7, undefined]);
  expect(units).toEqual([
    { server: 7, places: [0, 1, 3] },
    { server: undefined, places: [2] },
    { server: undefined, places: [4] },
  ]);
  const area = { x: 10, y: 50, w: 300, h: 200 };
  const columns = (n: number): number | undefined => {
    const [server] = columnOfUnits(area, unitsOf([...Array(n).keys()], Array(n).fill(0))) ?? [];
    return server && new Set(server.cells.map(({ x }) => x)).size;
  };
  expect([4, 13, 16, 26].map(columns)).toEqual([1, 1, 2, 2]);
  expect(columns(200)).toBeUndefined();
});

test('cells lie inside their server, none on another, and their ports along its edge', () => {
  const frame = withServers(splitFrameOf(16, 16), [8, 8, 16]);
  for (const [width, height] of [
    [822, 440],
    [1302, 326],
    [374, 300],
  ] as const) {
    const { split } = layoutFor(width, height, frame, frame.replicas);
    expect(split?.servers.map(({ id, side }) => [id, side])).toEqual([
      [0, 'prefill'],
      [1, 'prefill'],
      [2, 'decode'],
    ]);
    for (const { box, ranks } of split?.servers ?? [])
      ranks.forEach((at, i) => {
        const card = split?.cards[at];
        const cell = card?.box;
        if (!card || !cell) throw new Error('no cell');
        expect(cell.x >= box.x && cell.x + cell.w <= box.x + box.w).toBe(true);
        expect(cell.y >= box.y + 18 && cell.y + cell.h <= box.y + box.h).toBe(true);
        const before = split.cards[ranks[i - 1] ?? -1];
        if (before) expect(card.port.across).toBeGreaterThan(before.port.across);
        expect(card.port.along).toBe(split.cards[ranks[0] ?? -1]?.port.along);
      });
  }
});

test('a click on a cell finds its rank', () => {
  const frame = withServers(splitFrameOf(16, 16), [8, 8, 16]);
  const layout = layoutFor(822, 440, frame, frame.replicas);
  layout.boxes.forEach((box, replica) => {
    expect(hitTest(layout, box.x + 4, box.y + box.h / 2, () => 0)?.replica).toBe(replica);
  });
});

test('cells of ranks have no edge to take', () => {
  const frame = withServers(splitFrameOf(2, 8), [1, 1, 8]);
  const layout = layoutFor(822, 440, frame, frame.replicas);
  const kv = edgesOf(layout, frame.replicas, 1).filter(({ on }) => on === 'kv');
  expect(kv).toEqual([]);
  const plain = splitFrameOf(2, 8);
  const taken = edgesOf(layoutFor(822, 440, plain, plain.replicas), plain.replicas, 1).filter(({ on }) => on === 'kv');
  expect(taken.length).toBe(10);
});

test('a rank is found with its server, in words and in the table', () => {
  const frame = withServers(frameOf(8, 60, 3), [4]);
  expect(serversOf(frame, frame.replicas)).toEqual([0, 0, 0, 0, ...Array(4).fill(undefined)]);
  expect(rankOf(frame, 5)).toBeUndefined();
  const found = rankOf(frame, 3);
  if (!found) throw new Error('no rank');
  expect(found.rank.own_us).toBe(0);
  expect(serverWords(found.server).slice(0, 3)).toEqual([
    'slowest r1, 31.2\u00a0ms',
    'waited 35\u00a0% so far',
    '4 ranks',
  ]);
  expect(describeServer(found.server)).toContain('all wait for r1; so far they waited 35\u00a0% of the time');
  expect(rankCells(frame, 1)).toEqual(['s0', '31.2\u00a0ms', '0\u00a0ms', 'yes', '35\u00a0%', '40']);
});
