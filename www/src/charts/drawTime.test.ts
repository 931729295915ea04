import { expect, test } from 'vitest';
import { plainPalette, recordingPen } from '../../tests/layout/pen.ts';
import { trust } from '../base/trust.ts';
import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import { drawTime } from './drawTime.ts';
import { placesIn, plotBox, type TimePicture } from './timePicture.ts';

const NAN = Number.NaN;
const SIZE = { width: 424, height: 109 } as const;
const AXES = { endS: 100, low: 1, high: 1000, log: true } as const;

function picture(values: readonly (readonly number[])[], stepped = false): TimePicture {
  const line = { name: '', ink: 'ink', width: 1, dash: [], chosen: false };
  return {
    of: 'time',
    ...AXES,
    first: false,
    stepped,
    times: Float64Array.from(values[0] ?? [], (_, i) => 10 * i),
    lines: values.map((of) => ({ ...line, values: Float64Array.from(of) })),
    bands: values.length > 1 ? [{ upper: 1, lower: 0, ink: 'band', alpha: 1 }] : [],
    ticks: [],
    nowS: 100,
    warmUpS: 0,
    shaded: [],
    flags: [],
    slo: 0,
    over: undefined,
    empty: undefined,
  };
}

/** The stretches drawn, each from its first to its last instant: strokes, and filled shapes. */
function drawn(of: TimePicture): { readonly lines: number[][]; readonly bands: number[][] } {
  const { x } = placesIn(plotBox(SIZE.width, SIZE.height, false), AXES);
  const paths: number[][] = [];
  const found = { lines: [] as number[][], bands: [] as number[][] };
  const ends = (all: number[][]): number[][] =>
    all.map((xs) => [Math.min(...xs), Math.max(...xs)].map((at) => Math.round((at - x(0)) / (x(1) - x(0)))));
  const known: Record<string, unknown> = {
    measureText: () => ({ width: 10 }),
    beginPath: () => paths.splice(0),
    moveTo: (at: number) => paths.push([at]),
    lineTo: (at: number) => (paths.at(-1) ?? paths[paths.push([]) - 1])?.push(at),
    stroke: () => found.lines.push(...paths.map((p) => [...p])),
    fill: () => found.bands.push(...paths.map((p) => [...p])),
  };
  const pen = trust<Pen>(
    new Proxy(known, { get: (_, name) => known[String(name)] ?? ((): void => undefined), set: () => true }),
  );
  const p = trust<Palette>(new Proxy({}, { get: () => 'a' }));
  drawTime({ ...of, pen, p, ...SIZE });
  return { lines: ends(found.lines), bands: ends(found.bands) };
}

test('a line has a gap where nothing happened, on a log axis too', () => {
  expect(drawn(picture([[5, 6, NAN, NAN, 7, 8, 9]])).lines).toEqual([
    [0, 10],
    [40, 60],
  ]);
  // Zero has no position on a log axis.
  expect(drawn(picture([[5, 6, 0, 7, 8]], true)).lines).toEqual([
    [0, 10],
    [30, 40],
  ]);
});

test('an isolated value is visible', () => {
  expect(drawn(picture([[NAN, NAN, 7, NAN, 5, 6]])).lines).toEqual([
    [20, 20],
    [40, 50],
  ]);
});

test('a band has the gaps of its lines', () => {
  const { bands } = drawn(
    picture([
      [5, 6, NAN, 7, 8, 9],
      [50, 60, 70, NAN, 80, 90],
    ]),
  );
  expect(bands).toEqual([
    [0, 10],
    [40, 50],
  ]);
});

test('in the first view names stand beside the last values, and at the edge where the run leaves them no room', () => {
  const names = (nowS: number): readonly (readonly [string, boolean])[] => {
    const { pen, labels } = recordingPen();
    const one = picture([[5, 6, 7, 8, 9]]);
    const lines = one.lines.map((line) => ({ ...line, name: 'p99' }));
    const times = Float64Array.of(0, 1, 2, 3, nowS);
    drawTime({ ...one, lines, times, nowS, plain: true, slo: 100, pen, p: plainPalette(true), ...SIZE });
    const { x, w } = plotBox(SIZE.width, SIZE.height, false);
    return labels.map((l) => [l.text, l.x0 < x + w]);
  };
  expect(names(40)).toEqual([
    ['p99', true],
    ['SLO', false],
  ]);
  expect(names(99)).toEqual([
    ['SLO', false],
    ['p99', false],
  ]);
});
