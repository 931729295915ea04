import { expect, test } from 'vitest';
import { setup } from './standIn.ts';

const instant = (frame: Uint8Array): number => JSON.parse(new TextDecoder().decode(frame)).now_us;

test('playing at a speed advances that many simulated seconds in a wall second', () => {
  const t = setup();
  t.load();
  t.runner.handle({ kind: 'play', speed: 10 });
  for (let i = 0; i < 100; i += 1) {
    t.pass(10);
    t.runner.handle({ kind: 'ack' });
  }
  expect(t.sim().us / 1e6).toBeGreaterThan(9.8);
  expect(t.sim().us / 1e6).toBeLessThan(10.2);
  const last = t.frames().at(-1);
  expect(last?.kind === 'frame' ? last.achieved : 0).toBeGreaterThan(9);
});

test('messages are handled after 12 milliseconds of work, however much is left', () => {
  const t = setup(0.2);
  t.load();
  t.runner.handle({ kind: 'play', speed: Number.POSITIVE_INFINITY });
  t.pass(1000);
  expect(t.sim().longestMs).toBeLessThanOrEqual(12);
  expect(t.sim().count).toBeGreaterThan(1000);
});

test('a step that ends soon is answered at once', () => {
  const t = setup();
  t.load();
  expect(t.ask({ kind: 'step', step: 'event', back: false })).toMatchObject({
    kind: 'answer',
    value: { stop: 'until', nowUs: expect.any(Number) },
  });
  expect(t.sim().count).toBe(1);
});

test('a step that takes long is run in slices with frames on the way, and answered when it ends', () => {
  const t = setup(0.1);
  t.load();
  t.runner.handle({ kind: 'ack' });
  t.ask({ kind: 'step', step: 'preemption', back: false });
  expect(t.frames().at(-1)).toMatchObject({ mode: 'stepping' });
  t.pass(500);
  t.runner.handle({ kind: 'ack' });
  expect(t.frames().at(-1)).toMatchObject({ mode: 'stepping' });
  expect(t.answers('stop')).toEqual([]);
  t.pass(600);
  expect(t.answers('stop')).toMatchObject([{ stop: 'until' }]);
  t.runner.handle({ kind: 'ack' });
  expect(t.frames().at(-1)).toMatchObject({ mode: 'paused' });
  expect(t.sim().count).toBe(10_000);
});

test.each([
  { kind: 'pause' } as const,
  { kind: 'play', speed: 1 } as const,
  { kind: 'ask', id: 91, question: { kind: 'seek', untilUs: 1e9 } } as const,
  { kind: 'ask', id: 90, question: { kind: 'step', step: 'event', back: false } } as const,
])('$kind ends a step that takes long, which is answered as not found', (message) => {
  const t = setup(0.1);
  t.load();
  t.ask({ kind: 'step', step: 'preemption', back: false });
  t.pass(100);
  t.runner.handle(message);
  expect(t.answers('stop')[0]).toMatchObject({ stop: 'events' });
});

test('a step to an event that never happens is answered when the run ends', () => {
  const t = setup(0.01, 3_000_000);
  t.load();
  t.ask({ kind: 'step', step: 'preemption', back: false });
  t.pass(100);
  expect(t.answers('stop')).toMatchObject([{ stop: 'finished' }]);
});

test('no frame is posted before the last one was drawn, and a pending one follows at once', () => {
  const t = setup();
  t.load();
  expect(t.frames().length).toBe(1);
  t.runner.handle({ kind: 'play', speed: 1 });
  t.pass(200);
  expect(t.frames().length).toBe(1);
  t.runner.handle({ kind: 'ack' });
  expect(t.frames().length).toBe(2);
});

test('a pause stops the clock at once', () => {
  const t = setup();
  t.load();
  t.runner.handle({ kind: 'play', speed: 1 });
  t.pass(100);
  t.runner.handle({ kind: 'pause' });
  const us = t.sim().us;
  t.pass(1000);
  expect(t.sim().us).toBe(us);
});

test('time that passed while nothing could run is not caught up', () => {
  const t = setup();
  t.load();
  t.runner.handle({ kind: 'play', speed: 1 });
  t.pass(10);
  const before = t.sim().us;
  // The page sleeps for a minute: the next tick comes late and takes at most 100 ms of it.
  t.runner.handle({ kind: 'pause' });
  t.pass(60_000);
  t.runner.handle({ kind: 'play', speed: 1 });
  t.pass(10);
  expect(t.sim().us - before).toBeLessThan(200_000);
});

test('loading runs to the requested instant and then pauses', () => {
  const t = setup();
  t.load('{}', 25_000_000);
  t.pass(2000);
  t.runner.handle({ kind: 'ack' });
  expect(t.sim().us).toBe(25_000_000);
  const last = t.frames().at(-1);
  expect(last?.kind === 'frame' ? last.mode : '').toBe('paused');
});

test('a new run and an edit are answered before their first frame', () => {
  const t = setup();
  t.load();
  t.runner.handle({ kind: 'ack' });
  const before = t.posted.length;
  t.load();
  t.runner.handle({ kind: 'ack' });
  t.ask({ kind: 'apply', edit: '{}' });
  expect(t.posted.slice(before).map((message) => message.kind)).toEqual(['answer', 'frame', 'answer', 'frame']);
});

test('a refused scenario leaves the present run alone', () => {
  const t = setup();
  t.load();
  t.runner.handle({ kind: 'play', speed: 1 });
  t.pass(50);
  const answer = t.load('refuse');
  expect(answer?.kind === 'refused' ? answer.diagnostics.map((d) => d.path) : []).toEqual(['seed']);
  const us = t.sim().us;
  t.pass(50);
  expect(t.sims.length).toBe(1);
  expect(t.sim().us).toBeGreaterThan(us);
});

test('a new run frees the old one', () => {
  const t = setup();
  t.load();
  t.load();
  expect(t.sims.map((s) => s.freed)).toEqual([true, false]);
});

test('a changed scenario continues with the present run, and a refused one leaves it alone', () => {
  const t = setup();
  t.load();
  t.load('{}', 0, true);
  expect([t.sims.length, t.sim().adopted, t.sim().freed]).toEqual([1, 1, false]);
  t.runner.handle({ kind: 'play', speed: 1 });
  t.pass(50);
  const us = t.sim().us;
  expect(t.load('refuse', 0, true)?.kind).toBe('refused');
  t.pass(50);
  expect(t.sim().us).toBeGreaterThan(us);
});

test('a seek back starts at a checkpoint, shows only its end, and is answered there', () => {
  const t = setup();
  t.load('{}', 9_000_000);
  t.pass(500);
  t.runner.handle({ kind: 'ack' });
  t.runner.handle({ kind: 'ack' });
  const before = t.frames().length;
  t.ask({ kind: 'seek', untilUs: 4_600_000 });
  expect(t.sim().us).toBe(4_000_000);
  t.pass(500);
  expect(t.sim().us).toBe(4_600_000);
  expect(t.answers('stop')).toMatchObject([{ stop: 'until' }]);
  const shown = t.frames().slice(before);
  expect(shown.map((f) => (f.kind === 'frame' ? instant(f.frame) : 0))).toEqual([4_600_000]);
});

test('a long seek shows its progress', () => {
  const t = setup(0.5);
  t.load('{}', 9_000_000);
  t.pass(50);
  t.runner.handle({ kind: 'ack' });
  t.pass(50);
  expect(t.frames().at(-1)).toMatchObject({ mode: 'seeking' });
});

test('an edit in the past reports the run it leaves, any other edit reports none', () => {
  const t = setup();
  t.load();
  t.ask({ kind: 'apply', edit: '{}' });
  t.sim().computed = 5_000_000;
  t.ask({ kind: 'apply', edit: '{}' });
  expect(t.answers('scenario').slice(-2)).toMatchObject([{ left: undefined }, { left: { computed_us: 5_000_000 } }]);
});

test('a search for an occasion runs in slices and is answered at its end', () => {
  const t = setup(0.1);
  t.load();
  t.ask({ kind: 'run-to', occasion: 'preemption' });
  t.pass(100);
  expect(t.answers('stop')).toEqual([]);
  t.pass(1000);
  expect(t.answers('stop')).toMatchObject([{ stop: 'until' }]);
});

test('a search for an occasion that never comes leaves the run in place and shows no progress', () => {
  const t = setup(0.01, 5_000_000);
  t.load('{}', 2_500_000);
  t.pass(500);
  const before = t.frames().length;
  t.runner.handle({ kind: 'ack' });
  t.ask({ kind: 'run-to', occasion: 'preemption' });
  t.pass(1000);
  expect(t.answers('stop')).toMatchObject([{ stop: 'finished' }]);
  expect(t.sim().us).toBe(2_500_000);
  const shown = t.frames().slice(before);
  const instants = shown.flatMap((m) =>
    m.kind === 'frame' ? [JSON.parse(new TextDecoder().decode(m.frame)).now_us] : [],
  );
  expect(new Set(instants)).toEqual(new Set([2_500_000]));
});

test('a step back is answered at its target', () => {
  const t = setup();
  t.load('{}', 2_500_000);
  t.pass(500);
  t.ask({ kind: 'step', step: 'event', back: true });
  t.pass(100);
  expect(t.sim().us).toBe(2_499_000);
  expect(t.answers('stop')).toMatchObject([{ stop: 'until' }]);
});

test('a refused edit gives the reason and an accepted one returns the document', () => {
  const t = setup();
  t.load();
  expect(t.ask({ kind: 'apply', edit: '"bad"' })?.kind).toBe('refused');
  expect(t.ask({ kind: 'apply', edit: '{"routing":"random"}' })?.kind).toBe('answer');
});

test('the end of the run ends the playing', () => {
  const t = setup(0.01, 3_000_000);
  t.load();
  t.runner.handle({ kind: 'play', speed: Number.POSITIVE_INFINITY });
  t.pass(100);
  t.runner.handle({ kind: 'ack' });
  const last = t.frames().at(-1);
  expect(last?.kind === 'frame' ? [last.mode, instant(last.frame)] : []).toEqual(['paused', 3_000_000]);
});

test('columns are transferred copies, one list for each view', () => {
  const t = setup();
  t.load();
  const answer = t.ask({ kind: 'columns', views: ['health', 'kv-use'] });
  expect(answer?.kind === 'answer' ? answer.value : undefined).toMatchObject([
    { view: 'health', names: ['t_s', 'v'] },
    { view: 'kv-use', names: ['t_s', 'v'] },
  ]);
});

test('a fresh seed keeps all its digits', () => {
  expect(setup().ask({ kind: 'fresh-seed' })).toMatchObject({ value: '18446744073709551615' });
});

test('a run too fast to follow is shown in every second display frame, at full speed in every third, any other in each', () => {
  // A slice of 12 ms ends after the display frame, so that 60 of these take 1.44 s at full speed.
  for (const [speed, least, most] of [
    [Number.POSITIVE_INFINITY, 24, 32],
    [10, 28, 33],
    [2, 55, 61],
  ] as const) {
    const { runner, load, frames, pass } = setup();
    load();
    runner.handle({ kind: 'ack' });
    runner.handle({ kind: 'play', speed });
    const before = frames().length;
    for (let paint = 0; paint < 60; paint++) {
      pass(16);
      runner.handle({ kind: 'ack' });
    }
    expect(frames().length - before).toBeGreaterThanOrEqual(least);
    expect(frames().length - before).toBeLessThanOrEqual(most);
  }
});

test('slow frames are made less often, and never too late for a paused run', () => {
  const { runner, load, sim, frames, pass } = setup();
  load();
  sim().frameMs = 20;
  runner.handle({ kind: 'ack' });
  runner.handle({ kind: 'play', speed: Number.POSITIVE_INFINITY });
  const before = frames().length;
  for (let paint = 0; paint < 60; paint++) {
    pass(16);
    runner.handle({ kind: 'ack' });
  }
  const shown = frames().length - before;
  expect(shown * 20).toBeGreaterThan(0);
  expect(shown * 20).toBeLessThanOrEqual((60 * 16 + 60 * 20) / 5);
  runner.handle({ kind: 'pause' });
  expect(frames().at(-1)).toMatchObject({ mode: 'paused' });
});
