import { expect, test } from 'vitest';
import type { SessionRows, SessionTurn } from '../../generated/boundary.ts';
import { NAMED, planSessions } from './sessionLayout.ts';

const turn = (request: number, from_us: number, end_us: number | null, found: number): SessionTurn => ({
  request,
  from_us,
  pause_us: null,
  joined_us: from_us,
  first_us: from_us + 10,
  end_us,
  prompt_tokens: 100,
  context_tokens: 120,
  known_tokens: request === 0 ? 0 : 100,
  found_tokens: found,
  again_tokens: 100 - found,
  found: [],
  kept: [],
  wanted: [],
  fetched: [],
});

const of = (rows: SessionRows['rows']): SessionRows => ({
  from_us: 0,
  to_us: 1000,
  rows,
  map: null,
  again: [],
  sessions: 1,
  returns: 0,
  known_tokens: 0,
  again_tokens: 0,
  longest_tokens: 120,
});
const row = (turns: readonly SessionTurn[], kept: number | null = null) => ({
  client: 'agents',
  number: 1,
  turns: [...turns],
  again_tokens: 0,
  kept_tokens: kept,
});

test('a pause is as high as the context, its hatch as what the next turn found', () => {
  const plan = planSessions(of([row([turn(0, 0, 100, 0), turn(1, 500, 600, 60)], 30)]), 500);
  const [first, last] = plan.rows[0]?.pauses ?? [];
  expect(first?.context.h).toBeCloseTo(27);
  const base = plan.rows[0]?.base ?? 0;
  const { left, right } = plan;
  const [from, to] = [left + 0.1 * (right - left), left + 0.5 * (right - left)];
  expect(first?.kept?.gpu).toBe(`M${from} ${base}V${base - 13.5}H${to}V${base}Z`);
  expect(last?.kept?.gpu).toContain(`V${base - 27 / 4}H${right}`);
  expect(last?.context.x).toBeCloseTo(plan.left + 0.6 * (plan.right - plan.left));
});

test('what is kept falls where blocks were evicted, on the GPU and below it', () => {
  const before = {
    ...turn(0, 0, 100, 0),
    kept: [
      { at_us: 100, gpu_tokens: 120, kept_tokens: 120 },
      { at_us: 200, gpu_tokens: 60, kept_tokens: 120 },
      { at_us: 300, gpu_tokens: 0, kept_tokens: 40 },
      { at_us: 400, gpu_tokens: 40, kept_tokens: 40 },
    ],
  };
  const plan = planSessions(of([row([before, turn(1, 500, 600, 60)])]), 628);
  const kept = plan.rows[0]?.pauses[0]?.kept;
  const base = plan.rows[0]?.base ?? 0;
  expect(kept?.gpu).toBe(`M106 ${base}V${base - 27}H156V${base - 13.5}H206V${base}H256V${base - 9}H306V${base}Z`);
  expect(kept?.all).toBe(`M106 ${base}V${base - 27}H156V${base - 27}H206V${base - 9}H256V${base - 9}H306V${base}Z`);
  expect(kept?.falls).toBe(`M156 ${base - 27}V${base - 13.5}M206 ${base - 13.5}V${base}`);
});

test('what a directive wants is a line up to its end, or that of the pause', () => {
  const before = {
    ...turn(0, 0, 100, 0),
    wanted: [
      { tokens: 60, for_us: 100 },
      { tokens: 120, for_us: null },
    ],
  };
  const plan = planSessions(of([row([before, turn(1, 500, 600, 60)])]), 628);
  const base = plan.rows[0]?.base ?? 0;
  expect(plan.rows[0]?.pauses[0]?.wanted).toBe(`M106 ${base - 14.5}H156M106 ${base - 28}H306`);
});

test('what is fetched back is a wedge up to the instant at which it is there', () => {
  const before = { ...turn(0, 0, 100, 0), fetched: [{ after_us: 300, tokens: 40, gpu_tokens: 60 }] };
  const next: SessionTurn = {
    ...turn(1, 500, 700, 80),
    joined_us: 600,
    first_us: 610,
    found: [
      { tier: 'gpu', tokens: 20 },
      { tier: 'cpu', tokens: 40 },
      { tier: 'kvstore', tokens: 20 },
    ],
  };
  const plan = planSessions(of([row([before, next])]), 628);
  const base = plan.rows[0]?.base ?? 0;
  const [fetched] = plan.rows[0]?.pauses[0]?.fetched ?? [];
  expect(fetched?.d).toBe(`M248 ${base}L256 ${base - 13.5}V${base}Z`);
  const loaded = plan.rows[0]?.turns[1]?.loaded;
  expect(loaded?.d).toBe(`M306 ${base - 4.5}L356 ${base - 18}V${base - 4.5}Z`);
  expect(loaded?.words).toBe('#1 loaded what it found: 40 in its CPU memory and 20 in store kvstore');
  expect(plan.rows[0]?.turns[0]?.loaded).toBeUndefined();
});

test('turns that overlap have no pause between them, and none after one that runs', () => {
  const plan = planSessions(of([row([turn(0, 0, 400, 0), turn(1, 100, 200, 60), turn(2, 300, null, 10)])]), 500);
  expect(plan.rows[0]?.pauses).toEqual([]);
});

test('many rows are low', () => {
  const rows = Array.from({ length: NAMED + 1 }, () => row([turn(0, 0, 100, 0)]));
  expect(planSessions(of(rows), 500).isLow).toBe(true);
  expect(planSessions(of(rows.slice(1)), 500).isLow).toBe(false);
});
