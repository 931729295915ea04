import { expect, test } from 'vitest';
import { frameOf } from '../../tests/gallery/synthetic.ts';
import { plainPalette, recordingPen } from '../../tests/layout/pen.ts';
import type { ViewColumns } from '../base/view.ts';
import { drawScrubber } from './drawScrubber.ts';
import { describeTimeline } from './timeline.ts';

const NAN = Number.NaN;

/** Three stretches of 80 s: requests ended, there were none, requests waited and none ended. */
function health(): ViewColumns {
  const of = (values: readonly number[]): Float64Array =>
    Float64Array.from({ length: 24 }, (_, i) => values[Math.floor(i / 8)] ?? NAN);
  return {
    names: ['t_s', 'missed_percent', 'finished', 'unserved', 'preempted', 'outage'],
    columns: [
      Float64Array.from({ length: 24 }, (_, i) => 10 * i),
      of([30, NAN, NAN]),
      of([9, 0, 0]),
      of([0]),
      of([0]),
      of([0, 0, 1]),
    ],
  };
}

/** The bars above the base line in a palette's ink, as the share of the time axis at their left edge. */
function painted(): {
  readonly bars: readonly (readonly [ink: string, share: number])[];
  readonly said: readonly string[];
} {
  const { pen, labels } = recordingPen();
  const bars: (readonly [string, number])[] = [];
  let ink = '';
  const watched = new Proxy(pen, {
    get: (on, name) =>
      name === 'fillRect'
        ? (x: number, y: number, _w: number, h: number) =>
            y >= 24 && y + h <= 40.5 && h > 1.5 && bars.push([ink, (x - 16) / 1168])
        : Reflect.get(on, name),
    set: (on, name, value) => {
      if (name === 'fillStyle') ink = String(value);
      return Reflect.set(on, name, value);
    },
  });
  const { now_us, axis_end_us, flags } = { ...frameOf(1, 240), flags: [] };
  const rest = { warmUpS: 0, anomalies: [], pointed: -1, carried: undefined, width: 1200 };
  drawScrubber({ ...rest, pen: watched, p: plainPalette(true), frame: { now_us, axis_end_us, flags }, data: health() });
  return { bars, said: labels.map((l) => l.text) };
}

test('an outage is painted as bad and named, and time without traffic stays blank', () => {
  const { bars, said } = painted();
  const inks = (from: number, to: number): string[] => [
    ...new Set(bars.filter(([, at]) => at >= from && at < to - 0.01).map(([ink]) => ink)),
  ];
  expect(inks(0, 1 / 3)).toEqual(['true miss']);
  expect(inks(1 / 3, 2 / 3)).toEqual([]);
  expect(inks(2 / 3, 1)).toEqual(['true miss']);
  expect(said).toContain('requests wait, none finishes');
});

test('the sentence of the timeline distinguishes an outage from time without traffic', () => {
  const said = describeTimeline(frameOf(1, 240), health());
  expect(said).toContain('in 8 of 24 stretches requests waited and none ended');
  expect(said).toContain('in 100 % of the stretches in which requests ended');
});

test('two runs have a lane each: the bars of A end above those of B', () => {
  const { pen, labels } = recordingPen();
  const ends: number[] = [];
  const watched = new Proxy(pen, {
    get: (on, name) =>
      name === 'fillRect'
        ? (_x: number, y: number, w: number, h: number) => y >= 24 && h > 1.5 && w < 60 && ends.push(y + h)
        : Reflect.get(on, name),
  });
  const { now_us, axis_end_us, flags } = { ...frameOf(1, 240), flags: [] };
  const rest = { warmUpS: 0, anomalies: [], pointed: -1, carried: undefined, width: 1200 };
  const scene = { ...rest, p: plainPalette(true), frame: { now_us, axis_end_us, flags }, data: health() };
  drawScrubber({ ...scene, pen: watched, beside: health() });
  expect([...new Set(ends)].toSorted((a, b) => a - b)).toEqual([32, 40]);
  expect(labels.map((l) => l.text)).toEqual(expect.arrayContaining(['A', 'B']));
});
