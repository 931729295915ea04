import { expect, test } from 'vitest';
import { Opening } from './opening.ts';
import type { FromWorker, Question } from './protocol.ts';
import type { Recording } from './recorded.ts';
import { setup } from './standIn.ts';

/** Ten tenths of a second from the first one on, each with one move. */
const RECORDING: Recording = {
  text: '{"title":"recorded"}',
  fromUs: 1_000_000,
  apartUs: 100_000,
  diagnostics: [],
  scenario: '{}',
  answers: { '{"documents":null}': [[0, '{}']] },
  frames: [[0, [0, '{"now_us":1000000,"moves":[{"at_us":7}]}']], ...Array.from({ length: 9 }, () => [3, 100_000])],
  columns: { health: { names: ['t_s'], at: [[[0, 0, 1]], ...Array.from({ length: 9 }, () => [[1, 0, 2]])] } },
};

const LOAD: Extract<Question, { kind: 'load' }> = {
  ...{ kind: 'load', id: { run: 1, edit: 0 }, text: RECORDING.text, untilUs: RECORDING.fromUs },
  ...{ useTrace: false, thenPlay: false, keeps: false },
};
const EDIT: Question = { kind: 'apply', edit: '{}' };
const READ: Question = { kind: 'present', question: '{"report":null}' };

function opened(load = LOAD, costMs = 0.001) {
  const t = setup(costMs);
  const posted: FromWorker[] = [];
  const opening = new Opening(RECORDING, t.around, (message) => posted.push(message));
  let id = 0;
  const ask = (question: Question): number => {
    opening.handle({ kind: 'ask', id, question });
    return id++;
  };
  /** Lets time pass, while the page draws every frame. */
  const play = (ms: number): void => {
    for (let left = ms; left > 0; left -= 10) {
      t.pass(10);
      opening.handle({ kind: 'ack' });
    }
  };
  const frames = () =>
    posted.flatMap((m) =>
      m.kind === 'frame' ? [{ ...JSON.parse(new TextDecoder().decode(m.frame)), mode: m.mode }] : [],
    );
  const now = (): number => frames().at(-1)?.now_us;
  const isAnswered = (asked: number): boolean => posted.some((m) => m.kind === 'answer' && m.id === asked);
  const waits = (): boolean => posted.findLast((m) => m.kind === 'waits')?.waits ?? false;
  ask(load);
  play(50);
  return { ...t, opening, posted, ask, play, frames, now, isAnswered, waits };
}

test('the recorded scenario opens and plays without the engine, to the end of its recording', async () => {
  const o = opened();
  expect(o.frames()).toEqual([{ now_us: 1_000_000, moves: [{ at_us: 7 }], mode: 'paused' }]);
  o.opening.handle({ kind: 'play', speed: 1 });
  o.play(550);
  expect(o.now()).toBe(1_500_000);
  expect(o.waits()).toBe(false);
  expect(o.sims).toEqual([]);
  o.play(2000);
  expect(o.now()).toBe(1_900_000);
  expect(o.waits()).toBe(true);
  await o.opening.needsEngine;
});

test('a frame has the moves since the one before it', () => {
  const o = opened();
  o.opening.handle({ kind: 'play', speed: 1 });
  o.pass(350);
  o.opening.handle({ kind: 'pause' });
  o.opening.handle({ kind: 'ack' });
  expect(o.now()).toBe(1_300_000);
  expect(o.frames().at(-1)?.moves).toHaveLength(3);
  o.opening.handle({ kind: 'ack' });
  o.opening.handle({ kind: 'pause' });
  expect(o.frames().at(-1)?.moves).toEqual([]);
});

test('the engine takes over at the instant on screen, and play goes on', () => {
  const o = opened();
  o.opening.handle({ kind: 'play', speed: 1 });
  o.play(420);
  const meets = o.now();
  o.opening.take(o.core);
  expect(o.sim().us).toBe(meets);
  o.play(500);
  const instants = o.frames().map((frame) => frame.now_us);
  expect(instants).toEqual(instants.toSorted((a, b) => a - b));
  expect(o.now()).toBeGreaterThan(meets + 400_000);
});

test('an engine that takes long to catch up lets the recording play on', () => {
  const o = opened(LOAD, 0.3);
  o.opening.handle({ kind: 'play', speed: 1 });
  o.opening.take(o.core);
  o.play(200);
  expect(o.sim().us).toBeLessThan(1_000_000);
  expect(o.now()).toBeGreaterThan(1_000_000);
  o.play(600);
  expect(o.sim().us).toBeGreaterThan(1_400_000);
  expect(o.frames().map((frame) => frame.now_us)).toEqual(
    o
      .frames()
      .map((f) => f.now_us)
      .toSorted((a, b) => a - b),
  );
});

test('an edit stops the run where it was asked for, and is made there by the engine', () => {
  const o = opened();
  o.opening.handle({ kind: 'play', speed: 1 });
  o.play(320);
  const at = o.now();
  const edit = o.ask(EDIT);
  expect(o.waits()).toBe(true);
  o.play(500);
  expect([o.now(), o.isAnswered(edit)]).toEqual([at, false]);
  o.opening.take(o.core);
  expect(o.isAnswered(edit)).toBe(true);
  const answer = o.posted.find((m) => m.kind === 'answer' && m.id === edit);
  expect(answer).toMatchObject({ value: { nowUs: at, id: { run: 1, edit: 1 } } });
  expect(o.waits()).toBe(false);
  o.play(300);
  expect(o.now()).toBeGreaterThan(at);
});

test('a question that was not recorded waits and stops nothing; recorded ones are answered', () => {
  const o = opened();
  o.opening.handle({ kind: 'play', speed: 1 });
  const [read, health] = [o.ask(READ), o.ask({ kind: 'columns', views: ['health', 'throughput'] })];
  o.play(300);
  expect(o.now()).toBeGreaterThan(1_000_000);
  expect([o.isAnswered(read), o.waits()]).toEqual([false, true]);
  const answer = o.posted.find((m) => m.kind === 'answer' && m.id === health);
  expect(answer).toMatchObject({ value: [{ view: 'health', names: ['t_s'], columns: [Float64Array.of(1)] }] });
  o.opening.take(o.core);
  expect([o.isAnswered(read), o.waits()]).toEqual([true, false]);
});

test('any other scenario, instant or trace waits for the engine', () => {
  for (const other of [{ text: '{}' }, { untilUs: 2_000_000 }, { useTrace: true }]) {
    const o = opened({ ...LOAD, ...other });
    expect(o.frames()).toEqual([]);
    expect(o.waits()).toBe(true);
    o.opening.take(o.core);
    o.play(100);
    expect(o.frames().length).toBeGreaterThan(0);
  }
});

test('what is asked for after a seek waits behind it', () => {
  const o = opened();
  const seek = o.ask({ kind: 'seek', untilUs: 5_000_000 });
  o.opening.handle({ kind: 'play', speed: 1 });
  o.play(300);
  expect([o.now(), o.isAnswered(seek)]).toEqual([1_000_000, false]);
  o.opening.take(o.core);
  o.play(500);
  expect(o.isAnswered(seek)).toBe(true);
  expect(o.now()).toBeGreaterThan(5_000_000);
});
