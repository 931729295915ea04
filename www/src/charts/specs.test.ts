import { expect, test } from 'vitest';
import { dataOf, frameOf, gatewayOf } from '../../tests/gallery/synthetic.ts';
import type { ViewColumns } from '../base/view.ts';
import type { Frame } from '../generated/boundary.ts';
import { MORE_SPECS } from './moreSpecs.ts';
import { describeLines, TIME_SPECS, type TimeSpec, valueNow } from './specs.ts';

const SPECS = [...TIME_SPECS, ...MORE_SPECS];
const specOf = (view: string): TimeSpec => {
  const found = SPECS.find((spec) => spec.view === view);
  if (!found) throw new Error(`no chart ${view}`);
  return found;
};
const columnsOf = (n: number, view: string): ViewColumns => {
  const found = dataOf(n, 131.25)[view];
  if (!found) throw new Error(`no columns ${view}`);
  return found;
};
const nothing = { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 };

test('without events in the span there is no value, even if there was one before', () => {
  const frame = frameOf(2);
  const idle: Frame = { ...frame, key: { ...frame.key, ttft: nothing, e2e: nothing } };
  for (const view of ['ttft-over-time', 'e2e-over-time']) {
    const [spec, data] = [specOf(view), columnsOf(2, view)];
    for (const line of spec.lines(data)) {
      expect(valueNow(spec, line, idle)).toBeNaN();
      expect(valueNow(spec, line, frame)).toBeGreaterThan(0);
    }
    expect(describeLines(spec, data, idle)).toContain('last 30 s: p50 none, p90 none, p99 none.');
  }
});

test('of many replicas the least, the median and the most are those of the frame', () => {
  const frame = frameOf(64);
  const spec = specOf('queue-depth');
  const waiting = frame.replicas.map((r) => r.waiting).toSorted((a, b) => a - b);
  const told = spec.lines(columnsOf(64, 'queue-depth')).map((line) => valueNow(spec, line, frame));
  expect(told).toEqual([waiting[0], waiting[32], waiting[63]]);
});

test('requests held at the gateway are a line of the queues, beside one or many replicas', () => {
  for (const n of [2, 64]) {
    const frame = frameOf(n);
    const spec = specOf('queue-depth');
    const data = columnsOf(n, 'queue-depth');
    const held = { names: [...data.names, 'gateway'], columns: [...data.columns, new Float64Array(3)] };
    const lines = spec.lines(held);
    expect(lines.length).toBe(spec.lines(data).length + 1);
    const gate = lines.at(-1);
    expect(gate).toMatchObject({ name: 'gateway', column: held.names.length - 1, replica: undefined });
    const full: Frame = { ...frame, counts: { ...frame.counts, held: 215 } };
    expect(gate && valueNow(spec, gate, full)).toBe(215);
  }
});

test('bands are lines from the most urgent on, with the saturation beside the title', () => {
  const [spec, data] = [specOf('gateway-bands'), columnsOf(2, 'gateway-bands')];
  const lines = spec.lines(data);
  expect(lines.map((line) => [line.name, data.names[line.column]])).toEqual([
    ['band 100', 'band 100'],
    ['band 0', 'band 0'],
    ['band −10', 'band -10'],
    ['band −100', 'band -100'],
  ]);
  const frame: Frame = { ...frameOf(2), gateway: gatewayOf(3) };
  expect(lines.map((line) => valueNow(spec, line, frame))).toEqual([0, 3, 19, Number.NaN]);
  expect(describeLines(spec, data, frame)).toContain(
    'now: band 100 0, band 0 3, band −10 19, band −100 none, saturation 96',
  );
});

test('ports of replicas that send keep their numbers, and TTFT has the median of prefill replicas', () => {
  const ports = SPECS.find((spec) => spec.view === 'ports-out');
  const column = new Float64Array([1]);
  const lines = ports?.lines({ names: ['t_s', 'r2', 'r5'], columns: [column, column, column] }) ?? [];
  expect(lines.map((line) => [line.name, line.replica, line.column])).toEqual([
    ['r2', 2, 1],
    ['r5', 5, 2],
  ]);
  // The replica in focus has a full line.
  expect(lines.map((line) => line.dash(5))).toEqual([[], []]);
  expect(lines.map((line) => line.width(5))).toEqual([1, 1.75]);
  const ttft = SPECS.find((spec) => spec.view === 'ttft-over-time');
  const names = ['t_s', 'p50_ms', 'p90_ms', 'p99_ms', 'count'];
  expect(ttft?.lines({ names, columns: [] }).map((line) => line.name)).toEqual(['p50', 'p90', 'p99']);
  const apart = ttft?.lines({ names: [...names, 'prefill_p50_ms'], columns: [] }).at(-1);
  expect([apart?.name, apart?.column]).toEqual(['prefill', 5]);
});
