import { expect, test } from 'vitest';
import type { BlockEvent, BlockPage, Blocks } from '../generated/boundary.ts';
import { ageOf, changesOf, kvLayout, LOOK, looksOf, placeAt, rowsOf, runBeside, togetherWith } from './kvPicture.ts';

const PAGE: BlockPage = {
  first: 4096,
  states: 'ussc.hrx',
  owner: [3, 3, 4, -1, -1, 7, 8, -1],
  refs: [1, 2, 9, 0, 0, 1, 1, 0],
  group: [0, 0, -1, 1, -1, 0, -1, -1],
  node: [1, 0, 0, 2, -1, 3, -1, -1],
  idle_ms: [0, 0, 0, 1000, -1, 0, 0, -1],
  order: [-1, -1, -1, 5, -1, -1, -1, -1],
  counts: [5, 1, 1],
};

function answer(now_us: number, page: Partial<BlockPage>, more: Partial<Blocks> = {}): Blocks {
  return {
    now_us,
    replica: 0,
    block_tokens: 16,
    total: 8,
    own: 0,
    shared: 0,
    cached: 0,
    free: 0,
    percent: [0, 0, 0],
    conserved: true,
    checked: 1,
    hidden: '',
    caching: true,
    pages: 1,
    strip: [],
    page: 0,
    grid: { ...PAGE, ...page },
    tree: [],
    more: 0,
    picture: '',
    groups: [],
    cpu: null,
    next: null,
    evictions: 0,
    hits: 0,
    happened: [],
    over_time: [[], []],
    ...more,
  };
}

test('a block looks by its state, and in the other colourings by its group, age or holders', () => {
  const { used, shared, cached, free, handedOver, setAside, out, held, groups, quarters, ages } = LOOK;
  expect([...looksOf(PAGE, 'owner')]).toEqual([used, shared, shared, cached, free, handedOver, setAside, out]);
  expect([...looksOf(PAGE, 'group')]).toEqual([
    groups,
    groups,
    groups + 12,
    groups + 3,
    free,
    groups,
    groups + 12,
    out,
  ]);
  expect([...looksOf(PAGE, 'references')].slice(0, 4)).toEqual([quarters, quarters + 1, quarters + 3, cached]);
  expect([...looksOf(PAGE, 'age')].slice(0, 5)).toEqual([held, held, held, ages + 2, free]);
});

test('each class of age is twice as long as the one before', () => {
  expect([0, 249, 250, 749, 750, 1e9].map(ageOf)).toEqual([0, 0, 1, 1, 2, 15]);
});

test('a point of the map is a block of the grid or a page of the strip', () => {
  const l = kvLayout(512, rowsOf(200), 200);
  expect([l.left, l.pitch, l.height]).toEqual([46, 7, 34 + 4 * 7 + 2]);
  expect(placeAt(l, l.left + 1, l.gridTop + 1, 200, 3)).toEqual({ kind: 'block', index: 0 });
  expect(placeAt(l, l.left + 63 * 7 + 3, l.gridTop + 8, 200, 3)).toEqual({ kind: 'block', index: 127 });
  // Beyond the last block, between strip and grid, left of both.
  expect(placeAt(l, l.left + 60 * 7, l.gridTop + 3 * 7 + 1, 200, 3)).toBeUndefined();
  expect(placeAt(l, l.left + 1, l.stripHeight + 2, 200, 3)).toBeUndefined();
  expect(placeAt(l, 3, l.gridTop + 1, 200, 3)).toBeUndefined();
  expect(placeAt(l, l.left + l.width - 1, 5, 200, 3)).toEqual({ kind: 'page', page: 2 });
  expect(kvLayout(390, 64, 4096).left).toBe(0);
});

test('blocks belong together by their run, else by their request', () => {
  expect(togetherWith(PAGE, 1)).toEqual([1, 2]);
  expect(togetherWith(PAGE, 6)).toEqual([6]);
  expect(togetherWith(PAGE, 4)).toEqual([4]);
  expect([runBeside(PAGE, 0, 1), runBeside(PAGE, 7, 1), runBeside(PAGE, 0, -1)]).toEqual([1, 7, 0]);
});

test('what changed between two answers is marked as what it was', () => {
  const before = answer(1e6, { states: 'ucccu...', order: [-1, 0, 1, 2, -1, -1, -1, -1] });
  const gone: BlockEvent = { at_us: 1.5e6, kind: 'preempted', request: 3, blocks: null, text: '' };
  const page = { states: 'suuc....', owner: [3, 9, 9, -1, -1, -1, -1, -1] };
  const before2 = { ...before, grid: { ...before.grid, owner: [3, -1, -1, -1, 3, -1, -1, -1] } };
  const now = answer(2e6, page, { evictions: 1, happened: [gone] });
  expect(changesOf(before2, now)).toEqual([
    { index: 0, kind: 'hit' },
    { index: 1, kind: 'evicted' },
    { index: 2, kind: 'hit' },
    { index: 4, kind: 'preempted' },
  ]);
});

test('answers far apart, of other pages or of earlier instants are not compared', () => {
  const before = answer(1e6, { states: 'cccccccc' });
  const changed = { states: 'uuuuuuuu' };
  expect(changesOf(undefined, answer(2e6, changed))).toEqual([]);
  expect(changesOf(before, answer(9e6, changed))).toEqual([]);
  expect(changesOf(before, answer(5e5, changed))).toEqual([]);
  expect(changesOf(before, answer(2e6, changed, { replica: 1 }))).toEqual([]);
  expect(changesOf(before, answer(2e6, changed))).toHaveLength(8);
});
