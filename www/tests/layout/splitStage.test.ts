// A stage with prefill and decode apart, at every size: no text overlaps another or a border, or is outside.
import { expect, test } from 'vitest';
import type { Frame, ReplicaFrame } from '../../src/generated/boundary.ts';
import { Dots } from '../../src/stage/dots.ts';
import { drawScene } from '../../src/stage/drawStage.ts';
import { Trends } from '../../src/stage/history.ts';
import { layoutFor } from '../../src/stage/layoutFor.ts';
import type { Scene } from '../../src/stage/scene.ts';
import { gatewayOf } from '../gallery/synthetic.ts';
import { splitFrameOf } from '../gallery/syntheticSplit.ts';
import { type Label, onBorder, outside, overprinted, plainPalette, recordingPen } from './pen.ts';

const RATIOS = [
  [1, 1, 0],
  [3, 5, 0],
  [2, 3, 2],
  [8, 8, 0],
  [1, 12, 0],
  [0, 4, 0],
  [4, 0, 2],
] as const;
const WIDTHS = [304, 374, 479, 720, 759, 760, 822, 991, 1302] as const;
const HEIGHTS = [220, 299, 326, 390, 440, 560] as const;

function drawn(frame: Frame, width: number, height: number, request?: number): { labels: Label[]; scene: Scene } {
  const { pen, labels } = recordingPen();
  const layout = layoutFor(width, height, frame, frame.replicas);
  const scene: Scene = {
    pen,
    p: plainPalette(true),
    frame,
    written: frame,
    replicas: frame.replicas,
    layout,
    request,
    focus: undefined,
    scale: 8192,
    trends: new Trends(),
    dots: new Dots(),
    wallMs: 0,
    ribbons: true,
  };
  drawScene(scene);
  return { labels, scene };
}

const starting = (r: ReplicaFrame, i: number): ReplicaFrame =>
  i % 2 === 0
    ? r
    : {
        ...r,
        serving: false,
        life: {
          phase: 'starting',
          step: 'initialising',
          since_us: 100e6,
          step_until_us: 140e6,
          ready_us: 12_345_678_000,
          cold_requests: 0,
        },
      };

for (const [p, d, m] of RATIOS)
  test(`${p} prefill, ${d} decode, ${m} mixed: every text is whole and overlaps no other text or border`, () => {
    for (const rich of [false, true]) {
      const frame = splitFrameOf(p, d, m, rich);
      const young = { ...frame, replicas: frame.replicas.map(starting) };
      const queued = { ...frame, gateway: gatewayOf(3) };
      for (const [kind, one] of Object.entries({ frame, young, queued }))
        for (const request of [undefined, 1071])
          for (const width of WIDTHS)
            for (const height of HEIGHTS) {
              const { labels, scene } = drawn(one, width, height, request);
              const where = `${kind}, ${rich ? 'rich' : 'plain'}, ${request}, in ${width} × ${height}`;
              expect(overprinted(labels), where).toEqual([]);
              expect(outside(labels, scene.layout.width, scene.layout.height), where).toEqual([]);
              expect(onBorder(labels, scene.layout.boxes), where).toEqual([]);
            }
    }
  });

test('the stage says the ratio, the roles, how full each port is and what the chosen request is', () => {
  const { labels } = drawn(splitFrameOf(3, 5), 822, 440, 1071);
  const said = labels.map(({ text }) => text.replaceAll('\u00a0', ' '));
  for (const words of [
    'Prefill',
    'Decode',
    '3 : 5',
    'hint 4 : 4',
    '3 replicas, busy 96 %',
    '5 replicas, KV 58 %',
    'held for a home',
    'reserved for what comes',
    '92 %',
    '1.8 req/s local, prefilled at home',
    'over 90 % full',
    '#1071 61 %',
    'r0',
    'r7',
  ])
    expect(said, words).toContain(words);
});

test('a cluster without roles is drawn in rows', () => {
  const { split: _, ...frame } = splitFrameOf(3, 5);
  expect(layoutFor(822, 440, frame, frame.replicas).split).toBeUndefined();
});
