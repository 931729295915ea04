// Ranks of servers on every stage and in the lanes: no text overlaps another or a border, or is outside.
import { expect, test } from 'vitest';
import { drawLanes } from '../../src/closeup/drawLanes.ts';
import type { LanesView } from '../../src/closeup/lanesPicture.ts';
import type { Frame } from '../../src/generated/boundary.ts';
import { Dots } from '../../src/stage/dots.ts';
import { drawScene } from '../../src/stage/drawStage.ts';
import { Trends } from '../../src/stage/history.ts';
import { layoutFor } from '../../src/stage/layoutFor.ts';
import type { Scene } from '../../src/stage/scene.ts';
import { frameOf } from '../gallery/synthetic.ts';
import { lanesOf } from '../gallery/syntheticLanes.ts';
import { withServers } from '../gallery/syntheticRanks.ts';
import { splitFrameOf } from '../gallery/syntheticSplit.ts';
import { type Label, onBorder, outside, overprinted, plainPalette, recordingPen } from './pen.ts';

const WIDTHS = [304, 374, 479, 759, 760, 822, 991, 1302] as const;
const HEIGHTS = [220, 299, 326, 440, 560] as const;

function drawn(frame: Frame, width: number, height: number): { labels: Label[]; scene: Scene } {
  const { pen, labels } = recordingPen();
  const scene: Scene = {
    ...{ pen, p: plainPalette(true), frame, written: frame, replicas: frame.replicas, scale: 8192, wallMs: 0 },
    ...{ layout: layoutFor(width, height, frame, frame.replicas), request: undefined, focus: 2, ribbons: true },
    ...{ trends: new Trends(), dots: new Dots() },
  };
  drawScene(scene);
  return { labels, scene };
}

const STAGES: readonly (readonly [string, (rich: boolean) => Frame])[] = [
  [
    'two prefill servers of 8 and a decode server of 16',
    (rich) => withServers(splitFrameOf(16, 16, 0, rich), [8, 8, 16], rich),
  ],
  [
    'two prefill replicas and a decode server of 8',
    (rich) => withServers(splitFrameOf(2, 8, 0, rich), [1, 1, 8], rich),
  ],
  ['a prefill server of 2 and a decode server of 4', (rich) => withServers(splitFrameOf(2, 4, 0, rich), [2, 4], rich)],
  ['two servers of 4 in rows', (rich) => withServers(frameOf(8, 60, 3), [4, 4], rich)],
  ['four servers of 8 as cards', (rich) => withServers(frameOf(32, 60, 3), [8, 8, 8, 8], rich)],
];

for (const [name, make] of STAGES)
  test(`${name}: every text is whole and overlaps no other text or border`, () => {
    for (const rich of [false, true])
      for (const width of WIDTHS)
        for (const height of HEIGHTS) {
          const { labels, scene } = drawn(make(rich), width, height);
          const where = `${rich ? 'rich' : 'plain'}, in ${width} × ${height}`;
          expect(overprinted(labels), where).toEqual([]);
          expect(outside(labels, scene.layout.width, scene.layout.height), where).toEqual([]);
          const boxes = scene.layout.split?.servers.map(({ box }) => box) ?? scene.layout.boxes;
          expect(onBorder(labels, boxes), where).toEqual([]);
        }
  });

test('a stage of prefill and decode servers says whom their ranks wait for', () => {
  const { labels, scene } = drawn(withServers(splitFrameOf(16, 16), [8, 8, 16]), 1302, 560);
  const said = labels.map(({ text }) => text.replaceAll('\u00a0', ' '));
  expect(scene.layout.split?.servers.map(({ ranks }) => ranks.length)).toEqual([8, 8, 16]);
  expect(said.filter((words) => words.includes('slowest r')).length).toBe(3);
  for (const words of ['s0', 's1', 's2', 'r0', 'r31', 'waits for the slowest', 'no work'])
    expect(said, words).toContain(words);
});

test('lanes of ranks stand below the name of their server', () => {
  const lanes = lanesOf(6, 2, 20, 0);
  for (const lane of lanes.lanes) lane.steps.wait_us = lane.steps.busy_us.map((us, i) => (i % 3) * 0.3 * us);
  const groups = [
    { words: 's0, decode: 3 ranks in lock step', replicas: [0, 2, 4] },
    { words: 's1, decode: 2 ranks in lock step', replicas: [1, 3] },
  ];
  const view: LanesView = {
    ...{ endUs: 240e6, open: 2, scroll: 0, cursorUs: undefined, span: undefined, step: undefined, request: undefined },
    groups,
  };
  for (const [width, height] of [
    [390, 560],
    [824, 652],
    [1300, 900],
  ] as const) {
    const { pen, labels } = recordingPen();
    drawLanes(pen, plainPalette(true), lanes, view, { width, height });
    expect(overprinted(labels), `${width} × ${height}`).toEqual([]);
    expect(outside(labels, width, height), `${width} × ${height}`).toEqual([]);
    const said = labels.map(({ text }) => text);
    const order = said.filter((words) => /^(s\d|r\d$)/.test(words)).map((words) => words.slice(0, 2));
    if (height > 800) expect(order).toEqual(['s0', 's1', 'r0', 'r2', 'r4', 'r1', 'r3', 'r5']);
  }
});
