import { expect, test } from 'vitest';
import type { EventRow } from '../../generated/boundary.ts';
import { eventSaid, linesSaid } from './stepResult.ts';

const row = (more: Partial<EventRow>): EventRow => ({ seq: 1, at_us: 48_012_000, kind: 'arrived', text: '', ...more });

test.each([
  [row({ request: 7 }), '#7 arrived'],
  [row({ kind: 'routed', request: 1335, replica: 1, text: 'to r1' }), '#1335 routed to r1'],
  [row({ kind: 'queued', request: 7, replica: 0 }), '#7 queued on r0'],
  [row({ kind: 'first-token', request: 7, replica: 0, text: 'TTFT 24.1 ms' }), '#7 first token on r0: TTFT 24.1 ms'],
  [row({ kind: 'edit', text: 'arrivals 30.0/s' }), 'edit: arrivals 30.0/s'],
])('%o becomes one sentence', (line, said) => {
  expect(eventSaid(line)).toBe(said);
});

test('a step is described by the lines of its instant', () => {
  const before = row({ request: 6, at_us: 48_000_000 });
  expect(linesSaid([before, row({ request: 7 })], 48_012_000)).toBe('48.012 s: #7 arrived');
  expect(linesSaid([row({ request: 7 }), row({ kind: 'admitted', request: 7 })], 48_012_000)).toBe(
    '48.012 s: #7 admitted (2 lines of the log at this instant)',
  );
  expect(linesSaid([before], 48_012_000)).toBe('48.012 s: no event of the log');
});
