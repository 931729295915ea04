// The lanes at every size: no text overlaps another or is outside, whatever they show.
import { expect, test } from 'vitest';
import { drawLanes } from '../../src/closeup/drawLanes.ts';
import { lanesLayout } from '../../src/closeup/lanesLayout.ts';
import type { LanesView } from '../../src/closeup/lanesPicture.ts';
import { lanesOf } from '../gallery/syntheticLanes.ts';
import { outside, overprinted, plainPalette, recordingPen } from './pen.ts';

const SIZES = [
  [340, 420],
  [390, 560],
  [700, 360],
  [824, 352],
  [824, 652],
  [1300, 900],
] as const;
const VIEW: LanesView = {
  ...{ endUs: 240e6, open: 2, scroll: 0, cursorUs: undefined, span: undefined, step: undefined, request: undefined },
  groups: [],
};

test.each([
  ['four replicas, fifty-five requests', 4, 2, 55, 0],
  ['one replica without a request', 1, 0, 0, 0],
  ['an idle replica', 4, 1, 12, 2],
  ['sixty-four replicas', 64, 2, 30, 4],
  ['a crowd drawn as density', 8, 2, 400, 0],
  ['none open', 6, undefined, 0, 1],
] as const)('%s: texts stand apart and inside', (_, n, open, rows, still) => {
  const lanes = lanesOf(n, open, rows, still);
  const cursors = [undefined, lanes.from_us, lanes.now_us - 20_000, lanes.to_us];
  for (const [width, height] of SIZES)
    for (const cursorUs of cursors)
      for (const scroll of n > 8 ? [0, 90, 10_000] : [0, 10_000])
        for (const request of [undefined, 1185]) {
          const view = { ...VIEW, open, cursorUs, scroll, request, step: { replica: 0, seq: 5702 } };
          const { pen, labels } = recordingPen();
          drawLanes(pen, plainPalette(true), lanes, view, { width, height });
          const where = `${width} × ${height}, cursor ${cursorUs}, scrolled ${scroll}, request ${request}`;
          // What is scrolled out is clipped.
          const { area } = lanesLayout(width, height, { replicas: n, open, rows, scroll });
          const seen = labels.filter((l) =>
            l.y1 > area.y - 2 && l.y0 < area.y + area.h + 2 ? l.y0 >= area.y - 2 && l.y1 <= area.y + area.h + 2 : true,
          );
          expect(overprinted(seen), where).toEqual([]);
          expect(outside(seen, width, height), where).toEqual([]);
        }
});
