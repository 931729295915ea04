import { expect, test } from 'vitest';
import type { SessionRows, SessionTurn } from '../../generated/boundary.ts';
import { NAMED, planSessions } from './sessionLayout.ts';

const turn = (request: number, from_us: number, end_us: number | null, found: number): SessionTurn => ({
  request,
  from_us,
  joined_us: from_us,
  first_us: from_us + 10,
  end_us,
  prompt_tokens: 100,
  context_tokens: 120,
  known_tokens: request === 0 ? 0 : 100,
  found_tokens: found,
  again_tokens: 100 - found,
});

const of = (rows: SessionRows['rows']): SessionRows => ({
  from_us: 0,
  to_us: 1000,
  rows,
  more: 0,
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
  expect(first?.kept?.h).toBeCloseTo(27 / 2);
  expect(last?.kept?.h).toBeCloseTo(27 / 4);
  expect(last?.context.x).toBeCloseTo(plan.left + 0.6 * (plan.right - plan.left));
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
