// The map of blocks at every size: no text overlaps another or is outside.
import { expect, test } from 'vitest';
import { drawKv } from '../../src/closeup/drawKv.ts';
import { type KvPicture, kvLayout, rowsOf } from '../../src/closeup/kvPicture.ts';
import { outside, overprinted, plainPalette, recordingPen } from './pen.ts';

function picture(width: number, blocks: number, first: number): KvPicture {
  const looks = Uint8Array.from({ length: blocks }, (_, i) => i % 40);
  return {
    of: 'kv',
    layout: kvLayout(width, rowsOf(blocks), first + blocks),
    first,
    page: 3,
    pages: 7,
    strip: Array.from({ length: 420 }, (_, i) => [i % 5, i % 3, i % 7, 1]),
    bytes: looks,
    lit: [0, 1, 64, 65, 130],
    pinned: 64,
    pointed: 1,
    marks: [
      { index: 3, kind: 'hit' },
      { index: 4, kind: 'evicted' },
      { index: 5, kind: 'preempted' },
    ],
    markedUntil: Date.now() + 1000,
  };
}

for (const width of [320, 390, 460, 520, 768, 1200])
  for (const [blocks, first] of [
    [4096, 0],
    [4096, 4_190_208],
    [70, 16_384],
  ] as const)
    test(`${width} px, ${blocks} blocks from ${first}`, () => {
      const { pen, labels } = recordingPen();
      const drawn = picture(width, blocks, first);
      expect(drawKv(pen, plainPalette(true), drawn)).toBe(true);
      const { layout } = drawn;
      expect(layout.left + layout.width).toBeLessThanOrEqual(width);
      expect(overprinted(labels)).toEqual([]);
      expect(outside(labels, width, layout.height)).toEqual([]);
      expect(labels.length).toBe(layout.left === 0 ? 0 : Math.ceil(rowsOf(blocks) / 8));
    });

test('marks go, and then nothing moves', () => {
  const { pen } = recordingPen();
  expect(drawKv(pen, plainPalette(true), { ...picture(520, 4096, 0), markedUntil: Date.now() - 1 })).toBe(false);
});
