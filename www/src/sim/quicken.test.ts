import { expect, test } from 'vitest';
import { setup } from './standIn.ts';

test('a run continues in the quicker module at the same instant and event', () => {
  const t = setup(0.02);
  t.load();
  t.runner.handle({ kind: 'play', speed: 10 });
  t.pass(1000);
  const { us } = t.sim();
  t.quicken();
  t.pass(150);
  expect(t.sims.length).toBe(2);
  expect(t.sims[0]?.freed).toBe(true);
  // It was sent there by a seek, so it kept as many checkpoints on its way as others do.
  expect(t.sims[1]?.wayTo).toBe(us);
  expect(t.sim().us).toBeGreaterThanOrEqual(us);
  expect(t.sim().longestMs).toBeLessThanOrEqual(12);
  t.runner.handle({ kind: 'ack' });
  t.pass(1000);
  expect(t.sim().us).toBeGreaterThan(us + 9e6);
});

test('the next run is made in the quicker module, and a long one stays where it is', () => {
  const t = setup(0.2);
  t.load();
  t.runner.handle({ kind: 'play', speed: Number.POSITIVE_INFINITY });
  t.pass(3000);
  t.quicken();
  t.pass(1000);
  expect(t.sims.length).toBe(1);
  t.load('{}', 0, true);
  expect(t.sims.length).toBe(2);
  expect(t.sims[0]?.freed).toBe(true);
});

test('a run on its first seek restarts in the quicker module, unless it has come far', () => {
  const t = setup(0.2);
  t.load('{}', 60e6);
  t.pass(100);
  const { us } = t.sim();
  t.quicken();
  expect([t.sims.length, t.sims[0]?.freed, t.sim().us]).toEqual([2, true, 0]);
  t.pass(100);
  expect(t.sim().us).toBeGreaterThan(us / 2);
  t.pass(60_000);
  expect(t.sim().us).toBe(60e6);
  const far = setup(0.2);
  far.load('{}', 60e6);
  far.pass(6000);
  far.quicken();
  expect([far.sims.length, far.sims[0]?.freed]).toEqual([1, false]);
});

test('a long seek restarts in the quicker module even if much is lost', () => {
  const t = setup(0.2);
  t.load('{}', 600e6);
  t.pass(4000);
  expect(t.sim().us).toBeLessThan(200e6);
  t.quicken();
  expect([t.sims.length, t.sims[0]?.freed, t.sim().us]).toEqual([2, true, 0]);
  t.pass(120_000);
  expect(t.sim().us).toBe(600e6);
});

test('a run that runs ahead while it is rebuilt in the quicker module continues there', () => {
  const t = setup(0.2);
  t.load('{}', 5e6);
  t.pass(2000);
  t.quicken();
  t.pass(20);
  const { us } = t.sim();
  expect([t.sims.length, us > 0, us < 5e6]).toEqual([2, true, true]);
  t.ask({ kind: 'seek', untilUs: 60e6 });
  expect([t.sims.length, t.sims[0]?.freed, t.sims[1]?.freed, t.sim().us]).toEqual([2, true, false, us]);
  t.pass(60_000);
  expect([t.sims.length, t.sim().us]).toEqual([2, 60e6]);
});

test.each([
  { kind: 'ask', id: 92, question: { kind: 'apply', edit: '{}' } } as const,
  { kind: 'ask', id: 93, question: { kind: 'seek', untilUs: 0 } } as const,
  { kind: 'ask', id: 94, question: { kind: 'step', step: 'event', back: false } } as const,
])('$question.kind keeps the run in its module', (message) => {
  const t = setup(0.2);
  t.load();
  t.runner.handle({ kind: 'play', speed: Number.POSITIVE_INFINITY });
  t.pass(500);
  t.quicken();
  t.pass(20);
  t.runner.handle(message);
  expect(t.sims[0]?.freed).toBe(false);
  expect(t.sims[1]?.freed).toBe(true);
});

test('a run between two events of one instant stays in its module', () => {
  const t = setup(0.01);
  t.load();
  t.ask({ kind: 'step', step: 'event', back: false });
  t.sim().count += 1;
  t.quicken();
  t.pass(20);
  expect(t.sims[0]?.freed).toBe(false);
  expect(t.sims[1]?.freed).toBe(true);
});

test('a run that cannot be rebuilt stays in its module and continues', () => {
  const t = setup(0.01);
  t.load();
  t.sim().scenario = () => 'refuse';
  t.runner.handle({ kind: 'play', speed: 1 });
  t.quicken();
  t.pass(500);
  expect(t.sims.length).toBe(1);
  expect(t.sim().us).toBeGreaterThan(400_000);
});

test('a trace stays with the module that read it until another is read', () => {
  const t = setup(0.01);
  const trace = (): unknown => t.ask({ kind: 'trace', packed: new Uint8Array() });
  trace();
  t.load();
  t.quicken();
  t.pass(20);
  expect(t.sims.length).toBe(1);
  t.load('{}', 0, true);
  expect(t.sims.length).toBe(1);
  trace();
  t.load('{}', 0, true);
  expect(t.sims.length).toBe(2);
});
