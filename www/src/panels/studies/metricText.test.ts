// Each unit of a further figure has its form.
import { expect, it } from 'vitest';
import { metricText } from './metricText.ts';

it('writes each unit in its form', () => {
  expect(metricText('count', 1200)).toMatch(/^1.200$/u);
  expect(metricText('count', 12.5)).toBe('12.5');
  expect(metricText('ratio', 0.5)).toBe('0.50');
  expect(metricText('share', 0.125)).toMatch(/^12\.5.%$/u);
  expect(metricText('seconds', 0.25)).toBe('0.25 s');
  expect(metricText('usd', 0.000233)).toBe('$0.000233');
});
