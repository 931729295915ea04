import { expect, test } from 'vitest';
import { benchmarkText, isReport, pythonsNumbers } from './benchmarkText.ts';

test('a report in YAML becomes JSON with words for numbers that are not finite', async () => {
  const text = "version: '0.2'\nscenario: {load: {standardized: {rate_qps: .inf}}}\nresults: {a: .nan}\n";
  expect(isReport(text)).toBe(true);
  expect(await benchmarkText(text)).toBe(
    '{"version":"0.2","scenario":{"load":{"standardized":{"rate_qps":"Infinity"}}},"results":{"a":"NaN"}}',
  );
});

test('other texts stay as they are', async () => {
  for (const text of ['{"scenario": {}, "results": {}}', 'vllm:num_requests_running 3\n', 'scenario: x\n'])
    expect(await benchmarkText(text)).toBe(text);
});

test('numbers that Python writes are no reason to take a file for something else', () => {
  expect(JSON.parse(pythonsNumbers('{"a": Infinity, "b": [NaN, -Infinity], "c": "Infinity, NaN"}'))).toEqual({
    a: null,
    b: [null, null],
    c: 'Infinity, NaN',
  });
});
