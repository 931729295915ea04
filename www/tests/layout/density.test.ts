// The pictures of the view of density at every size: no text overlaps another or is outside.
import { expect, test } from 'vitest';
import { drawHeat } from '../../src/closeup/drawHeat.ts';
import { drawSpread, drawSteps } from '../../src/closeup/drawSpread.ts';
import type { HeatPart } from '../../src/closeup/heatPicture.ts';
import type { Flag, LatencyBox, RequestFilter } from '../../src/generated/boundary.ts';
import { densityOf, ecdfOf, pointsOf } from '../gallery/syntheticDensity.ts';
import { outside, overprinted, plainPalette, recordingPen } from './pen.ts';

const SIZES = [
  [320, 180],
  [360, 220],
  [560, 160],
  [560, 320],
  [844, 260],
  [1200, 420],
] as const;
const FLAGS: readonly Flag[] = [
  { at_us: 31e6, label: 'arrivals 9.0 → 9.6', applied: true, off: false },
  { at_us: 96e6, label: 'prefix weight 3 → 5', applied: true, off: false },
  { at_us: 168e6, label: 'queue weight 2 → 4', applied: false, off: false },
];
const box = (fromS: number, toS: number, least: number, most: number): LatencyBox => ({
  of: 'ttft',
  from_us: fromS * 1e6,
  to_us: toS * 1e6,
  least_us: least,
  most_us: most,
});
const BOXES = [
  [],
  [box(106, 131, 1.1e6, 4.2e6)],
  [box(0, 12, 70_000, 300_000)],
  [box(0, 240, 65_536, 5e6)],
  [box(20, 40, 2e5, 4e5), box(200, 239, 3e6, 5e6)],
];

test('axes, names of edits and the number of selected requests of a heat map do not overlap at any size', () => {
  for (const [width, height] of SIZES) {
    for (const boxes of BOXES) {
      for (const [startS, endS] of [
        [0, 240],
        [90, 140],
      ] as const) {
        const part: HeatPart = {
          part: 'heat',
          map: densityOf('ttft'),
          startS,
          endS,
          nowS: 131.25,
          warmUpS: 20,
          flags: FLAGS,
          boxes,
          active: boxes.length - 1,
          selected: boxes.length > 0 ? '51 selected' : '',
          mark: undefined,
          empty: '',
        };
        const { pen, labels } = recordingPen();
        drawHeat(pen, plainPalette(true), width, height, part);
        const where = `${width} × ${height}, ${boxes.length} boxes, ${startS} – ${endS} s`;
        expect(labels.length, where).toBeGreaterThan(5);
        expect(overprinted(labels), where).toEqual([]);
        expect(outside(labels, width, height), where).toEqual([]);
      }
    }
  }
});

const ALL: RequestFilter = { from_us: 0, to_us: 0, measured: true, boxes: [] };

test('percentiles of a distribution and ticks of steps do not overlap at any size', () => {
  for (const [width, height] of [
    [264, 90],
    [264, 140],
    [264, 260],
    [390, 220],
  ] as const) {
    for (const of of ['ttft', 'itl', 'e2e'] as const) {
      const { pen, labels } = recordingPen();
      drawSpread(pen, plainPalette(true), width, height, {
        part: 'spread',
        visible: ecdfOf(of, ALL),
        before: ecdfOf(of, { ...ALL, to_us: 96e6 }),
        sloMs: of === 'ttft' ? 1000 : 0,
        brush: [1100, 4200],
        empty: '',
      });
      const where = `${of} on ${width} × ${height}`;
      // Where there is no room at all, the table has it.
      expect(height < 140 || labels.some((l) => l.text.startsWith('p99')), where).toBe(true);
      expect(overprinted(labels), where).toEqual([]);
      expect(outside(labels, width, height), where).toEqual([]);
    }
    const { pen, labels } = recordingPen();
    drawSteps(pen, plainPalette(true), width, height, { part: 'steps', points: pointsOf(), empty: '' });
    expect(overprinted(labels), `steps on ${width} × ${height}`).toEqual([]);
    expect(outside(labels, width, height), `steps on ${width} × ${height}`).toEqual([]);
  }
});

test('an empty picture says why', () => {
  const texts = (draw: (pen: ReturnType<typeof recordingPen>['pen']) => void): readonly string[] => {
    const { pen, labels } = recordingPen();
    draw(pen);
    return labels.map((l) => l.text);
  };
  const none = { ms: [], percent: [], count: 0, percentiles_ms: [null, null, null], within: null } as const;
  const visible = { ...none, ms: [], percent: [], percentiles_ms: [null, null, null] as [null, null, null] };
  const part = { part: 'spread', visible, before: undefined, sloMs: 0, brush: undefined, empty: 'no request' } as const;
  expect(texts((pen) => drawSpread(pen, plainPalette(true), 264, 140, part))).toEqual(['no request']);
  const steps = { part: 'steps', points: undefined, empty: 'no step' } as const;
  expect(texts((pen) => drawSteps(pen, plainPalette(true), 264, 140, steps))).toEqual(['no step']);
});
