import { expect, test } from 'vitest';
import { isScenario } from './measured.ts';

const KEYS = new Set(['cluster', 'workload', 'seed']);

test.each([
  ['{"cluster": {}}', true],
  ['{}', true],
  ['not JSON', true],
  ['3', true],
  ['[{"start_time": 1}]', false],
  ['{"mean_ttft_ms": 20, "completed": 8}', false],
])('%s is a scenario: %s', (text, expected) => {
  expect(isScenario(text, KEYS)).toBe(expected);
});
