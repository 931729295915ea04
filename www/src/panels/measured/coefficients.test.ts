import { expect, test } from 'vitest';
import { coefficientSaid } from './coefficients.ts';

test('a coefficient is a name in words, with its unit apart', () => {
  expect(coefficientSaid('step_us_per_layer')).toEqual({ name: 'Step per layer', unit: '\u00a0µs' });
  expect(coefficientSaid('queueing_us')).toEqual({ name: 'Queueing', unit: '\u00a0µs' });
  expect(coefficientSaid('compute_efficiency')).toEqual({ name: 'Compute efficiency', unit: '' });
});
