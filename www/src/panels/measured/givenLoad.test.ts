import { expect, test } from 'vitest';
import { complete } from './givenLoad.ts';

test('a load is complete with a way of sending and all other missing parts', () => {
  const missing = ['sending', 'requests'];
  expect(complete(missing, {})).toBe(false);
  expect(complete(missing, { rate_per_s: 3 })).toBe(false);
  expect(complete(missing, { requests: 9 })).toBe(false);
  expect(complete(missing, { in_flight: 3, requests: 9 })).toBe(true);
  expect(complete(['output_tokens'], { prompt_tokens: 9 })).toBe(false);
  expect(complete([], {})).toBe(true);
});
