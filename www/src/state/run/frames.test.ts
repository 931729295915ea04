import { createRoot } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CHART_NAMES, viewsOf } from '../../base/chartList.ts';
import { onRunChange } from '../../base/runChange.ts';
import { trust } from '../../base/trust.ts';
import { NO_DATA, NOTHING } from '../../base/view.ts';
import type { Frame, View } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import { setShownViews } from '../view/chartList.ts';
import { setTimeWindow } from '../view/closeup.ts';
import { createFrames } from './frames.ts';

beforeEach(() => {
  vi.useFakeTimers();
  setShownViews(SHOWN);
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('requestAnimationFrame', (paint: (nowMs: number) => void) =>
    setTimeout(() => paint(performance.now()), 1),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const RUN = { run: 1, edit: 0 };
const gateway = { saturation: 0, bands: [] };
const split = trust<NonNullable<Frame['split']>>({});
/** As many charts as a link can name, with all that some runs have only. */
const SHOWN = viewsOf(CHART_NAMES.filter((name) => name !== 'itl-over-time').slice(0, 16));
const VIEWS: readonly View[] = [...SHOWN, 'health'];
/** The views that some runs have only. */
const SOME: readonly View[] = ['gateway-bands', 'stages', 'transfers', 'ports-out', 'ports-in'];
const frame = (nowS: number, more: Partial<Frame> = {}): Frame =>
  trust<Frame>({ now_us: nowS * 1e6, axis_end_us: 240e6, replicas: [], anomalies: [], flags: [], ...more });

/** Plays `seconds` of wall time with a frame every `everyMs`; returns how often each view was requested. */
async function played(
  everyMs: number,
  seconds: number,
  more?: Partial<Frame>,
  onWindow: (window: { readonly fromUs: number; readonly toUs: number } | undefined) => void = () => {},
): Promise<ReadonlyMap<View, number>> {
  const asked = new Map<View, number>(VIEWS.map((view) => [view, 0]));
  const client = trust<Client>({
    columns: async (views: readonly View[], window?: { readonly fromUs: number; readonly toUs: number }) => {
      onWindow(window);
      for (const view of views) asked.set(view, (asked.get(view) ?? 0) + 1);
      return views.map((view) => ({ view, names: [], columns: [], tookMs: 0.5 }));
    },
    ask: async () => ({ parts: [], outside: [], pools: [], coefficients: [] }),
    setDetail: () => {},
  });
  const frames = createRoot(() =>
    createFrames({
      client: () => client,
      speed: () => 1,
      selected: () => NOTHING,
      flagWords: () => [],
      onFrame: () => {},
      speak: () => {},
      refreshDetail: () => {},
    }),
  );
  frames.show(frame(0, more), RUN, 'paused', 0);
  await vi.advanceTimersByTimeAsync(50);
  for (const view of VIEWS) asked.set(view, 0);
  for (let ms = 0; ms < seconds * 1000; ms += everyMs) {
    frames.show(frame(ms / 1000, more), RUN, 'playing', 1);
    await vi.advanceTimersByTimeAsync(everyMs);
  }
  return asked;
}

test('with the first frame of another run all numbers are of it and all pictures are cleared', async () => {
  const client = trust<Client>({
    columns: async () => [],
    ask: async () => ({ parts: [], outside: [], pools: [], coefficients: [] }),
    setDetail: () => {},
  });
  const around = { speed: () => 1, selected: () => NOTHING, flagWords: () => [] };
  const ignored = { onFrame: () => {}, speak: () => {}, refreshDetail: () => {} };
  const frames = createRoot(() => createFrames({ client: () => client, ...around, ...ignored }));
  const turned = vi.fn();
  const end = onRunChange(turned);
  frames.awaitRun(48e6);
  expect(frames.turning(), 'before the first run nothing is left of another').toBe(false);
  frames.show(frame(40), RUN, 'paused', 0);
  turned.mockClear();
  frames.awaitRun(48e6);
  expect(frames.turning()).toBe(true);
  expect(frames.turnsTo()).toBe(48e6);
  frames.show(frame(41), RUN, 'playing', 1);
  expect([frames.turning(), turned.mock.calls.length], 'a late frame of the run before').toEqual([true, 0]);
  frames.show(frame(3), { run: 2, edit: 0 }, 'seeking', 0);
  expect([frames.turning(), turned.mock.calls.length]).toEqual([false, 1]);
  const read = [frames.frame, frames.writtenFrame, frames.figuresFrame, frames.throttledFrame];
  expect(read.map((of) => of()?.now_us)).toEqual([3e6, 3e6, 3e6, 3e6]);
  expect(frames.data()).toEqual(NO_DATA);
  frames.show(frame(4), { run: 2, edit: 1 }, 'paused', 0);
  expect(turned, 'an edit goes on with the run').toHaveBeenCalledTimes(1);
  end();
});

test('bands of the gateway and ports are requested with all others, and only in runs that have them', async () => {
  const without = await played(100, 10);
  expect(SOME.map((view) => without.get(view))).toEqual(SOME.map(() => 0));
  const asked = await played(100, 10, { gateway, split });
  for (const view of VIEWS) expect(asked.get(view), view).toBeGreaterThanOrEqual(5);
});

test.each([16, 40, 100, 140, 200, 249, 251, 500, 900])(
  'every chart is updated while a run plays with a frame every %d ms',
  async (everyMs) => {
    const asked = await played(everyMs, 10);
    for (const view of VIEWS.filter((v) => !SOME.includes(v))) expect(asked.get(view), view).toBeGreaterThanOrEqual(5);
  },
);

test('only the charts on screen are requested, and always the health of the run', async () => {
  setShownViews(['kv-use']);
  const asked = await played(100, 5);
  expect(VIEWS.filter((view) => (asked.get(view) ?? 0) > 0)).toEqual(['kv-use', 'health']);
});

test('a window is requested at whole microseconds, with a margin, whatever the length of the axis', async () => {
  setTimeWindow({ fromS: 58.0000004, toS: 61 });
  const windows: unknown[] = [];
  await played(100, 1, { axis_end_us: 80e6 }, (window) => windows.push(window));
  setTimeWindow(undefined);
  // A bucket of 80 s in 240 is a third of a second.
  expect(windows[0]).toEqual({ fromUs: 57_666_667, toUs: 61_333_333 });
});
