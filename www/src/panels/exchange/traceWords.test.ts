import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { TraceFigures, TraceInspection } from '../../sim/traceTypes.ts';
import { evidenceOf, FIGURES, instantText, lengthText, madeChanges, moved, timeTicks } from './traceWords.ts';

const TRACE = trust<TraceInspection>({
  summary: { requests: 60 },
  rate: { bucket_s: 10, requests: [10, 20, 30] },
  found: { format: 'Mooncake', format_evidence: 'a', unit: 'us', unit_evidence: 'b', block_tokens: 0 },
  arrivals: { at_once: 57.6, step_s: 3, is_coarse: true },
  sessions: null,
});

test('instants and lengths of a trace are short', () => {
  expect(instantText(61.94)).toBe('61.9\u00a0s');
  expect(instantText(2 * 86_400 + 20 * 3600)).toBe('2\u00a0d 20:00');
  expect(instantText(3900)).toBe('1:05\u00a0h');
  expect(lengthText(7 * 86_400)).toBe('7.00\u00a0d');
  expect(lengthText(3600)).toBe('1.00\u00a0h');
});

test('a time axis has a few round ticks', () => {
  expect(timeTicks(240)).toEqual([0, 60, 120, 180, 240]);
  expect(timeTicks(7 * 86_400)).toHaveLength(8);
  expect(timeTicks(0.5)).toEqual([0]);
});

test('only changes that differ from the trace are made', () => {
  expect(madeChanges({ speed: 1, subsample: 1, max_prompt_tokens: 0, jitter_s: 0 })).toEqual({});
  const made = { speed: 2, subsample: 0.25, max_output_tokens: 512, window: { start_s: 5, length_s: 10 } };
  expect(madeChanges(made)).toEqual(made);
});

test('what a trace does not tell is a dash', () => {
  const figures = trust<TraceFigures>({ sessions: null, reuse: null, requests: 12_000, duration_s: 60 });
  const shown = new Map(FIGURES.map(([name, text]) => [name, text]));
  expect(shown.get('Sessions')?.(figures)).toBe('–');
  expect(shown.get('Reuse at ∞')?.({ ...figures, reuse: 0.341 })).toBe('34.1\u00a0%');
  expect(shown.get('Requests')?.(figures)).toBe('12,000');
});

test('keys move a window by its length and keep it in the trace', () => {
  const window = { start_s: 10, length_s: 10 };
  expect(moved(window, 'ArrowRight', 30)).toEqual({ start_s: 20, length_s: 10 });
  expect(moved(window, 'ArrowRight', 25)).toEqual({ start_s: 15, length_s: 10 });
  expect(moved(window, 'ArrowLeft', 30)).toEqual({ start_s: 0, length_s: 10 });
  expect(moved(window, '+', 30)).toEqual({ start_s: 10, length_s: 15 });
  expect(moved(window, '+', 12)).toEqual({ start_s: 0, length_s: 12 });
  expect(moved(window, 'x', 30)).toBe(window);
});

test('a coarse clock is in doubt, and a trace without hash blocks says nothing of them', () => {
  const evidence = evidenceOf(TRACE);
  expect(evidence.map(({ name }) => name)).toEqual(['Format', 'Time unit', 'Sessions', 'Arrivals']);
  expect(evidence.at(-1)).toMatchObject({
    doubtful: true,
    why: 'come in steps of 3.00\u00a0s, 57.6 at once: see Jitter',
  });
  expect(evidence[1]?.value).toBe('µs');
});
