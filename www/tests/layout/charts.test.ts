// The timeline, charts over time and distributions at every size: no text overlaps another or is outside.
import { beforeAll, expect, test } from 'vitest';
import { clusters } from '../../src/base/anomalies.ts';
import { trust } from '../../src/base/trust.ts';
import { plain } from '../../src/base/units.ts';
import { cornersOf, drawEcdf, placeMark } from '../../src/charts/drawEcdf.ts';
import { besideMark, drawScrubber } from '../../src/charts/drawScrubber.ts';
import { drawStrip } from '../../src/charts/drawStrip.ts';
import { drawTime } from '../../src/charts/drawTime.ts';
import { ecdfRange } from '../../src/charts/ecdfPicture.ts';
import { MORE_SPECS } from '../../src/charts/moreSpecs.ts';
import { HeldRange } from '../../src/charts/scales.ts';
import { TIME_SPECS } from '../../src/charts/specs.ts';
import { stripRange, stripTicks, tableOf } from '../../src/charts/stripPicture.ts';
import { pictureOf, shownOf } from '../../src/charts/timeContent.ts';
import { placeOn } from '../../src/charts/timeline.ts';
import { placesIn, plotBox } from '../../src/charts/timePicture.ts';
import type { AnomalyMark, Frame } from '../../src/generated/boundary.ts';
import { dataOf, densityOf, frameOf } from '../gallery/synthetic.ts';
import { outside, overprinted, plainPalette, recordingPen } from './pen.ts';

beforeAll(() => {
  // Shapes of anomalies are paths that only browsers support; their positions are not checked here.
  globalThis.Path2D ??= trust<typeof Path2D>(class {});
});

const SPECS = [...TIME_SPECS, ...MORE_SPECS];
const WIDTHS = [320, 360, 390, 720, 768, 844, 1024, 1280, 1440, 1920] as const;

function withEdits(atS: readonly number[], nowS: number): Frame {
  const frame = frameOf(4, nowS);
  const anomalies = atS.map(
    (s, i): AnomalyMark => ({
      kind: 'kv-thrashing',
      at_us: s * 1e6,
      end_us: (s + 3) * 1e6,
      label: `no. ${i}`,
      replica: 0,
    }),
  );
  const flags = atS.map((s, i) => ({
    at_us: s * 1e6,
    label: `prefix weight ${i} → ${i + 1}`,
    applied: s <= nowS,
    off: false,
  }));
  return { ...frame, flags, anomalies };
}

test('labels of edits and anomalies on a timeline never overlap, at any distance', () => {
  const data = dataOf(4, 131.25).health;
  for (const atS of [
    [],
    [120],
    [10, 11, 12, 13],
    [0, 0.5, 60, 61, 120, 121, 238, 239.5],
    [3, 30, 33, 90, 130, 132],
    [112, 113, 119, 120, 126, 127, 130, 131],
  ]) {
    for (const nowS of [0, 31, 131.25, 240]) {
      const frame = withEdits(atS, nowS);
      for (const width of WIDTHS) {
        const { pen, labels } = recordingPen();
        const marks = clusters(frame.anomalies, placeOn(frame, width), width < 720 ? 44 : 36);
        const scene = {
          pen,
          p: plainPalette(true),
          frame,
          data,
          warmUpS: 20,
          anomalies: marks,
          pointed: -1,
          width,
          carried: undefined,
        };
        drawScrubber(scene);
        const where = `edits at ${atS.join(', ')}, ${nowS} s, ${width} px`;
        expect(overprinted(labels), where).toEqual([]);
        expect(outside(labels, width, 54), where).toEqual([]);
      }
    }
  }
});

test.each(SPECS.map((spec) => [spec.title, spec] as const))(
  'the axis of %s over time, the names at the ends of its lines and the labels of edits do not overlap',
  (_, spec) => {
    const p = plainPalette(true);
    for (const n of [1, 2, 8, 12, 64, 256]) {
      for (const nowS of [0, 31, 131.25]) {
        const frame = withEdits([3, 30, 33, 90, 130], nowS);
        const data = nowS > 0 ? dataOf(n, nowS)[spec.view] : undefined;
        const lines = data ? spec.lines(data) : [];
        const shown = shownOf(spec, data, lines, spec.slo(frame), new HeldRange());
        const content = { spec, data, lines, shown, frame, endS: 240, palette: p, warmUpS: 20, over: undefined };
        for (const first of [true, false]) {
          for (const focus of [undefined, 0]) {
            for (const width of [320, 540, 1100]) {
              for (const height of [first ? 44 : 34, 80, 130]) {
                const { pen, labels } = recordingPen();
                drawTime({ ...pictureOf({ ...content, first, focus }, width, height), pen, p, width, height });
                const where = `${spec.title} of ${n} at ${nowS} s, ${width} × ${height}, focus ${focus}`;
                expect(overprinted(labels), where).toEqual([]);
                expect(outside(labels, width, height), where).toEqual([]);
              }
            }
          }
        }
      }
    }
  },
);

test('the axis of the heat map and its objective do not overlap, at every size and in a window', () => {
  const p = plainPalette(true);
  for (const cells of [undefined, densityOf(131)]) {
    for (const slo of [0, 320, 1000, 9000]) {
      for (const [startS, endS] of [
        [0, 240],
        [96.2, 96.9],
      ] as const) {
        for (const [width, height] of [
          [320, 44],
          [540, 60],
          [1100, 130],
        ] as const) {
          const { pen, labels } = recordingPen();
          const { low, high } = stripRange(cells, slo, new HeldRange());
          const ticks = stripTicks(low, high, height).map((value) => ({ value, text: plain(value / 1000) }));
          const empty = cells ? undefined : 'after the first seconds';
          const axes = { startS, endS, low, high, log: true, first: false, ticks, nowS: 131, warmUpS: 20 };
          drawStrip({ ...axes, flags: [], cells, slo, mark: undefined, empty, pen, p, width, height });
          const where = `objective ${slo}, ${startS} to ${endS} s, ${width} × ${height}`;
          expect(overprinted(labels), where).toEqual([]);
          expect(outside(labels, width, height), where).toEqual([]);
        }
      }
    }
  }
});

test('the table of the heat map has a row for each filled cell, and their requests are all', () => {
  const cells = densityOf(131);
  const table = tableOf(cells);
  expect(table.names).toEqual(['t_s', 'from_ms', 'to_ms', 'requests']);
  expect(table.columns[3]?.reduce((a, b) => a + b, 0)).toBe(cells.total);
  expect(table.columns[3]?.every((n) => n > 0)).toBe(true);
});

test('only values beyond the playhead are dimmed on a chart over time', () => {
  const p = plainPalette(true);
  const [width, height, atS] = [900, 120, 131.25];
  for (const nowS of [60, atS]) {
    const frame = frameOf(4, nowS);
    for (const spec of SPECS) {
      const data = dataOf(4, atS)[spec.view];
      const lines = spec.lines(data);
      const shown = shownOf(spec, data, lines, spec.slo(frame), new HeldRange());
      const content = { spec, data, lines, shown, frame, endS: 240, palette: p, warmUpS: 20, over: undefined };
      const picture = pictureOf({ ...content, first: true, focus: undefined }, width, height);
      const dimmed: number[][] = [];
      let alpha = 1;
      const pen = new Proxy(recordingPen().pen, {
        get: (on, name) => {
          if (name !== 'fillRect') return Reflect.get(on, name);
          return (...box: number[]) => alpha === 0.62 && dimmed.push(box);
        },
        set: (on, name, value) => {
          if (name === 'globalAlpha') alpha = Number(value);
          return Reflect.set(on, name, value);
        },
      });
      drawTime({ ...picture, pen, p, width, height });
      const box = plotBox(width, height, true);
      const { x } = placesIn(box, { endS: 240, low: shown.low, high: shown.high, log: spec.log });
      const lastS = data.columns[0]?.at(-1) ?? 0;
      const sides = dimmed.map(([left = 0, , w = 0]) => [left, left + w].map(Math.round));
      expect(sides, spec.title).toEqual(lastS - nowS > 1 ? [[x(nowS), x(lastS)].map(Math.round)] : []);
    }
  }
});

test('the percentiles of a distribution, its objective and its axes do not overlap', () => {
  const shapes: readonly (readonly [number, number, number])[] = [
    [20, 36, 58],
    [200, 210, 220],
    [10, 900, 12_000],
    [1900, 4600, 9500],
    [1, 1.2, 90_000],
  ];
  for (const [p50, p90, p99] of shapes) {
    for (const sloMs of [0, p50, p90, p99 * 0.9, p99 * 1.4]) {
      for (const width of [220, 246, 264, 374]) {
        for (const height of [96, 124, 160, 184]) {
          const { pen, labels } = recordingPen();
          const values = Float64Array.of(p50 * 0.6, p50, p90, p99, p99 * 1.05);
          const percents = Float64Array.of(10, 50, 90, 99, 100);
          const range = ecdfRange(p50 * 0.6, Math.max(p99, sloMs * 1.1));
          const marks = [
            [50, p50],
            [90, p90],
            [99, p99],
          ] as const;
          const shape = { values, percents, marks, sloMs, few: false };
          const scene = { pen, p: plainPalette(true), width, height, ...shape, stroke: 'a', empty: '' };
          drawEcdf({ ...scene, ...range });
          const where = `${p50} ${p90} ${p99} ms, objective ${sloMs}, ${width} × ${height}`;
          expect(overprinted(labels), where).toEqual([]);
          expect(outside(labels, width, height), where).toEqual([]);
        }
      }
    }
  }
});

test('the label of a percentile avoids the curve if there is room beside it', () => {
  const mark = { x: 150, y: 60, w: 50, last: false };
  const within = { left: 30, right: 300, bottom: 150 };
  const nowhere = (): boolean => false;
  expect(placeMark(mark, within, [], nowhere)).toEqual({ x: 157, y: 73, w: 50 });
  const atTheRight = (_: number, to: number): boolean => to > 150;
  expect(placeMark(mark, within, [], atTheRight)).toEqual({ x: 93, y: 64, w: 50 });
  expect(placeMark(mark, within, [], () => true)).toBeUndefined();
  // Left of the objective's line, if that is in the way.
  const acrossLine = (from: number, to: number): boolean => (from <= 130 && to >= 130) || to > 140;
  expect(placeMark(mark, { ...within, line: 130 }, [], acrossLine)).toEqual({ x: 75, y: 64, w: 50 });
});

test('the label of an anomaly avoids the playhead: it is shorter, or left of the mark', () => {
  const six = (text: string): number => text.length * 6;
  const edges = { taken: 0, next: 500, right: 500, playhead: 300 };
  expect(besideMark(['2 × livelock', '×2'], 100, edges, six)).toEqual({ words: '2 × livelock', x: 112 });
  expect(besideMark(['2 × livelock', '×2'], 240, edges, six)).toEqual({ words: '×2', x: 252 });
  expect(besideMark(['2 × livelock', '×2'], 290, edges, six)).toEqual({ words: '×2', x: 275 });
  expect(besideMark(['2 × livelock', '×2'], 490, edges, six)).toEqual({ words: '×2', x: 475 });
  expect(besideMark(['livelock'], 290, edges, six)).toBeUndefined();
  expect(besideMark(['2 × livelock', '×2'], 290, { ...edges, taken: 280 }, six)).toBeUndefined();
});

test('a curve of few values has steps, so that every percentile lies on it', () => {
  const corners = cornersOf(Float64Array.of(100, 400), Float64Array.of(50, 100));
  expect(corners).toEqual([
    [100, 0],
    [100, 50],
    [400, 50],
    [400, 100],
  ]);
  const many = Float64Array.from({ length: 200 }, (_, i) => i + 1);
  expect(cornersOf(many, many).slice(0, 3)).toEqual([
    [1, 0],
    [1, 1],
    [2, 2],
  ]);
});

/** A distribution of 200 latencies with this median, in milliseconds. */
function curveOf(p50: number, spreadBy: number) {
  const percents = Float64Array.from({ length: 200 }, (_, i) => (i + 1) / 2);
  const values = percents.map((q) => p50 * Math.exp(spreadBy * Math.log(q / 100 / (1.005 - q / 100))));
  return { values, percents, p99: values[197] ?? 0 };
}

test('two curves before and after an edit leave room for the percentiles of the second', () => {
  const p = plainPalette(true);
  for (const [of, times] of [
    ['TTFT', 1],
    ['E2E', 30],
  ] as const) {
    const p50 = 420 * times;
    const [before, after] = [curveOf(240 * times, 0.15), curveOf(p50, 0.35)];
    for (const sloMs of [0, 500, 9000]) {
      for (const [width, height] of [
        [220, 110],
        [264, 150],
        [640, 360],
      ] as const) {
        const { pen, labels } = recordingPen();
        const range = ecdfRange(p50 / 20, after.p99 * 2);
        const marks = [
          [50, p50],
          [99, after.p99],
        ] as const;
        const look = { sloMs, stroke: p.prefill, empty: '', marks, few: false, ...range };
        drawEcdf({ ...look, ...after, before, pen, p, width, height });
        const where = `${of}, objective ${sloMs}, ${width} × ${height}`;
        expect(overprinted(labels), where).toEqual([]);
        expect(outside(labels, width, height), where).toEqual([]);
      }
    }
  }
});
